package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mapo/data/table"
)

// Turn is an answer or a guess in an export of sessions, as a server writes it. What was undone is not one.
type Turn struct {
	Line           int // of the file
	Session        string
	Policy, Hash   string
	Text           string // the query's, or the name of what was guessed
	Answer         string // a number or a class; "": don't know, or a guess
	Probability    string // with which the query was drawn
	Annotator      string
	Truth          string // what the session was about; "": it was not told
	Recommendation string
	Guessed        *bool // of a guess, whether it was right; nil: it is an answer
}

// DontKnow is the answer of a turn that has none, as files of answers have it.
const DontKnow = "don't know"

// Inert returns a text as exports have it, which a spreadsheet shows and does not run: what would begin a formula has an
// apostrophe before it. A text that looks like that already gets one more, so that [Turn] has every text as it was.
func Inert(text string) string {
	if isFormula(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

// active returns the text of which [Inert] made this one.
func active(text string) string {
	if rest, marked := strings.CutPrefix(text, "'"); marked && isFormula(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return text
}

// isFormula reports whether a spreadsheet would run a text.
func isFormula(text string) bool {
	return text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0]))
}

// IsExport reports whether a file is an export of sessions, by its first line: CSV, or one JSON object a line.
func IsExport(first []byte) bool {
	l := &lines{text: bytes.TrimSpace(bytes.TrimPrefix(first, []byte("\ufeff")))}
	_, is := l.export()
	return is
}

// exportColumns are those by which an export is known.
var exportColumns = []string{"session", "step", "text", "outcome", "answer"}

// export returns the header of an export whose first line was just read, nil where it has one JSON object a line, and
// whether it is one.
func (l *lines) export() (head []string, is bool) {
	if bytes.HasPrefix(bytes.TrimSpace(l.text), []byte("{")) {
		var keys map[string]json.RawMessage
		err := json.Unmarshal(l.text, &keys)
		return nil, err == nil && keys["session"] != nil && keys["step"] != nil && keys["outcome"] != nil
	}
	head, err := l.split(exportColumns...)
	return head, err == nil && hasAll(head, exportColumns)
}

// EachTurn calls do with every turn of an export of sessions that counts, in order. Exports may follow each other in a
// file, each with its header.
func EachTurn(r io.Reader, name string, do func(*Turn) error) error {
	l, err := newLines(r, name)
	if err != nil {
		return err
	}
	defer l.Close()
	l.most = mostAnswers
	switch err := l.skip(); {
	case errors.Is(err, io.EOF):
		return l.fault("the file is empty; an export of sessions has a turn a line")
	case err != nil:
		return err
	}
	head, is := l.export()
	if !is {
		return l.fault("the file is not an export of sessions, whose header has the columns %s", strings.Join(exportColumns, ","))
	}
	return l.turns(head, func(t *Turn) error {
		if err := do(t); err != nil {
			return l.fault("%v", err)
		}
		return nil
	})
}

// turns calls do with every turn that counts, once the first line was read: the header, or nil where each line is a JSON
// object.
func (l *lines) turns(head []string, do func(*Turn) error) error {
	if head == nil {
		return l.jsonTurns(do)
	}
	return eachLine(l.next, func(cells []string) error {
		if len(cells) != len(head) {
			return l.fault("the row has %d cells, the header %d: export the session again", len(cells), len(head))
		}
		if cells[0] == head[0] && hasAll(cells, head) {
			return nil // another export begins
		}
		of := func(name string) string {
			if at := column(head, name); at >= 0 {
				return active(cells[at])
			}
			return ""
		}
		return l.turn(of, do)
	})
}

// jsonTurns calls do with the turns of an export that has one JSON object a line, the first of which was read.
func (l *lines) jsonTurns(do func(*Turn) error) error {
	for {
		type text struct{ Text string }
		var row struct {
			Session, Policy, Outcome, Annotator, Truth string
			Hash                                       string `json:"policy_hash"`
			Query, Guess, Recommendation               text
			Answer                                     any
			Probability                                json.Number
			Undone                                     json.Number
		}
		d := json.NewDecoder(bytes.NewReader(l.text))
		d.UseNumber()
		if err := d.Decode(&row); err != nil {
			return l.fault("the line is not a turn of an export as JSON (%v): export the session again", err)
		}
		cells := map[string]string{
			"session": row.Session, "policy": row.Policy, "policy_hash": row.Hash, "text": row.Query.Text + row.Guess.Text, "outcome": row.Outcome,
			"probability": row.Probability.String(), "annotator": row.Annotator, "truth": row.Truth, "recommendation_text": row.Recommendation.Text,
			"undone": row.Undone.String(),
		}
		switch answer := row.Answer.(type) {
		case json.Number:
			cells["answer"] = answer.String()
		case string:
			cells["answer"] = answer
		}
		if err := l.turn(func(name string) string { return cells[name] }, do); err != nil {
			return err
		}
		if err := l.skip(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// turn calls do with a turn that counts, of which of returns the cells by the names of their columns.
func (l *lines) turn(of func(name string) string, do func(*Turn) error) error {
	t := &Turn{
		Line: l.line, Session: of("session"), Policy: of("policy"), Hash: of("policy_hash"), Text: table.Fold(of("text")), Answer: of("answer"),
		Probability: of("probability"), Annotator: of("annotator"), Truth: table.Fold(of("truth")), Recommendation: of("recommendation_text"),
	}
	outcome, undone := of("outcome"), of("undone")
	switch outcome {
	case "undo":
		return nil
	case "right", "wrong":
		right := outcome == "right"
		t.Guessed, t.Answer = &right, ""
	case "dont-know", "skip":
		t.Answer = ""
	case "answer":
		if t.Answer == "" {
			return l.fault("the turn is an answer, and the cell of the answer is empty: export the session again")
		}
	default:
		return l.fault("the outcome is %s; it is answer, dont-know, skip, right, wrong or undo", table.Quote(outcome))
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(undone, ".0")); undone != "" && (err != nil || n < 0) {
		return l.fault("undone is %s; it is the step that took the answer back, or empty", table.Quote(undone))
	} else if n > 0 {
		return nil
	}
	return do(t)
}

// hasAll reports whether a header has columns of these names.
func hasAll(head, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return column(head, name) < 0 })
}

// SessionTurns returns the turns of a session that count, of a file with an export of sessions; nil where the file is not
// one. The session's id may be "" where there is no other. The error is one line with a remedy.
func SessionTurns(path, session string) ([]Turn, error) {
	l, err := openLines(path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if err := l.skip(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head, is := l.export()
	if !is {
		if session != "" {
			return nil, l.fault("--session is %s, and the file is not an export of sessions: remove --session", table.Quote(session))
		}
		return nil, nil
	}
	turns, ids := []Turn{}, []string(nil)
	err = l.turns(head, func(t *Turn) error {
		if !slices.Contains(ids, t.Session) {
			if ids = append(ids, t.Session); len(ids) > mostSessions {
				return l.fault("the file has more than %d sessions: write the rows of one to a file", mostSessions)
			}
		}
		if session == "" || t.Session == session {
			turns = append(turns, *t)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case session != "" && !slices.Contains(ids, session):
		return nil, fmt.Errorf("%s: --session is %s, and no answer is of that session; those with answers are %s", path, table.Quote(session), short(ids))
	case session == "" && len(ids) > 1:
		return nil, fmt.Errorf("%s: the answers are of %d sessions (%s); a game takes those of one: add --session %s", path, len(ids), short(ids), table.Shell(ids[0]))
	}
	return turns, nil
}

// mostSessions is among how many sessions of a file one is looked for.
const mostSessions = 100_000
