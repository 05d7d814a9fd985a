package sessions

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"time"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/serve/wire"
)

// The media types of exports.
const (
	TypeCSV   = "text/csv"
	TypeJSONL = "application/x-ndjson"
)

// ExportHeader is the first row of a CSV export.
var ExportHeader = []string{"session", "policy", "step", "query", "text", "outcome", "answer", "probability", "policy_hash", "annotator", "asked", "answered", "undone",
	"title", "recommendation", "recommendation_text", "tied", "confidence", "guess", "truth"}

// exported returns every closed turn of a session as it is exported.
func (g *loaded) exported() []wire.ExportRow {
	var now play.Standing // of a session that its policy no longer plays: nothing
	if g.policy != nil {
		if at, err := g.policy.Game.At(g.record(nil)); err == nil {
			now = at.Standing(g.key(g.open().Step), 0)
		}
	}
	var rows []wire.ExportRow
	for _, e := range g.entries() {
		rows = append(rows, wire.ExportRow{Session: g.ID, Policy: g.Policy, TurnEntry: e, Title: g.Title, Recommendation: now.Recommendation, Tied: now.Tied, Confidence: now.Confidence, Truth: g.Truth})
	}
	return rows
}

// CSV returns every closed turn of a session, one a row, undone ones too. Answers are numbers, 1, 0.5,
// −0.5 and −1 in games of yes and no, names where they are classes, and nothing for don't know; a guess has the name of its hypothesis as text.
// [dataset.EachTurn] reads it.
func (s *Sessions) CSV(ctx context.Context, id string) ([]byte, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	rows := [][]string{ExportHeader}
	for _, e := range g.exported() {
		rows = append(rows, csvRow(&e))
	}
	err = w.WriteAll(rows)
	return out.Bytes(), err
}

// csvRow returns e as a row of CSV.
func csvRow(e *wire.ExportRow) []string {
	var query, text, answer, undone, best, bestText, sure, guess string
	if e.Query != nil {
		query, text = strconv.Itoa(e.Query.Index), e.Query.Text
	}
	if e.Guess != nil {
		guess, text = strconv.Itoa(e.Guess.Index), e.Guess.Text
	}
	if e.Answer.Answer != play.DontKnow {
		answer = wire.Number(e.Answer.Answer.Value())
		if e.Answer.Class != "" {
			answer = dataset.Inert(e.Answer.Class)
		}
	}
	if e.Undone > 0 {
		undone = strconv.Itoa(e.Undone)
	}
	if e.Recommendation != nil {
		best, bestText = strconv.Itoa(e.Recommendation.Index), e.Recommendation.Text
	}
	if e.Confidence != nil {
		sure = strconv.FormatFloat(*e.Confidence, 'g', 6, 64)
	}
	return []string{
		e.Session, dataset.Inert(e.Policy), strconv.Itoa(e.Step), query, dataset.Inert(text), e.Outcome, answer,
		strconv.FormatFloat(e.Probability, 'g', -1, 32), e.TurnEntry.Policy, dataset.Inert(e.Annotator),
		e.Asked.Format(time.RFC3339Nano), e.Answered.Format(time.RFC3339Nano), undone,
		dataset.Inert(e.Title), best, dataset.Inert(bestText), strconv.Itoa(e.Tied), sure, guess, dataset.Inert(e.Truth),
	}
}

// JSONL returns every closed turn of a session, one a line.
func (s *Sessions) JSONL(ctx context.Context, id string) ([]byte, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	w.SetEscapeHTML(false)
	for _, e := range g.exported() {
		if err := w.Encode(e); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
