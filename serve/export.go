package serve

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// The media types of exports.
const (
	typeCSV   = "text/csv"
	typeJSONL = "application/x-ndjson"
)

// exportHeader is the first row of a CSV export.
var exportHeader = []string{"session", "policy", "step", "query", "text", "outcome", "answer", "probability", "policy_hash", "annotator", "asked", "answered", "undone"}

// ExportRow is a closed turn in a JSONL export.
type ExportRow struct {
	Session string `json:"session"`
	Policy  string `json:"policy"`
	TurnEntry
}

// CSV is every closed turn of a session, one a row, undone ones too. Answers are 1,
// −1 and nothing.
func (s *Sessions) CSV(ctx context.Context, id string) ([]byte, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	rows := [][]string{exportHeader}
	for _, e := range g.entries() {
		rows = append(rows, e.row(g))
	}
	err = w.WriteAll(rows)
	return out.Bytes(), err
}

// row is e as a row of CSV.
func (e *TurnEntry) row(g *game) []string {
	var query, text, answer, undone string
	if e.Query != nil {
		query, text = strconv.Itoa(e.Query.Index), e.Query.Text
	}
	if e.Answer != Reply(DontKnow) {
		answer = strconv.Itoa(int(e.Answer))
	}
	if e.Undone > 0 {
		undone = strconv.Itoa(e.Undone)
	}
	return []string{
		g.ID, inert(g.Policy), strconv.Itoa(e.Step), query, inert(text), e.Outcome, answer,
		strconv.FormatFloat(e.Probability, 'g', -1, 32), e.Policy, inert(e.Annotator),
		e.Asked.Format(time.RFC3339Nano), e.Answered.Format(time.RFC3339Nano), undone,
	}
}

// inert is text that a spreadsheet shows and does not run: what would begin a
// formula gets an apostrophe before it.
func inert(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// JSONL is every closed turn of a session, one a line.
func (s *Sessions) JSONL(ctx context.Context, id string) ([]byte, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	w.SetEscapeHTML(false)
	for _, e := range g.entries() {
		if err := w.Encode(ExportRow{g.ID, g.Policy, e}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
