package sessions_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// guessed answers the guess of the view's step.
func guessed(t testing.TB, s *sessions.Sessions, v *wire.View, right bool) *wire.View {
	t.Helper()
	next, err := s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: v.Step, Right: right})
	must(t, err)
	return next
}

// toGuess begins a session and answers until it guesses, with half answers on the way.
func toGuess(t testing.TB, s *sessions.Sessions, stop float64) *wire.View {
	t.Helper()
	seed := uint64(1)
	v := servetest.Begin(t, s, wire.NewSession{Policy: "table", Guess: true, Stop: &stop, Seed: &seed})
	for i := 0; v.State == wire.StateOpen; i++ {
		v = servetest.Tell(t, s, v, []play.Answer{play.Yes, play.Probably, play.DontKnow, play.ProbablyNot, play.No}[i%5])
	}
	if v.State != wire.StateGuess || v.Query != nil || *v.Guess != *v.Recommendation {
		t.Fatalf("the session ends in %+v, want a guess of its recommendation", v)
	}
	return v
}

// TestExportGuesses: both forms of an export have half answers as numbers and guesses by index and name, with what came
// of them, undone ones too.
func TestExportGuesses(t *testing.T) {
	s := servetest.SessionsOn(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.OpenTable(-1, 0.95), "table.csv")
	v := toGuess(t, s, 0.6)
	first := *v.Guess
	v = guessed(t, s, v, false)
	v, err := s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: v.Step})
	must(t, err)
	v = guessed(t, s, v, true)
	data, err := s.CSV(t.Context(), v.ID)
	must(t, err)
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	must(t, err)
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	var answers, ends []string
	for _, row := range rows[1:] {
		switch at(row, "outcome") {
		case database.OutcomeAnswer, database.OutcomeDontKnow:
			answers = append(answers, at(row, "answer"))
		case database.OutcomeUndo: // its query or guess was not answered
		default:
			ends = append(ends, fmt.Sprint(at(row, "outcome"), " ", at(row, "guess"), " ", at(row, "text"), " ", at(row, "undone") != "", " ", at(row, "query")))
		}
	}
	want := []string{"1", "0.5", "", "-0.5", "-1"}
	for i, got := range answers {
		if got != want[i%5] {
			t.Errorf("answer %d is exported as %q, want %q", i, got, want[i%5])
		}
	}
	name := fmt.Sprint(first.Index, " ", first.Text)
	if want := []string{"wrong " + name + " true ", "right " + name + " false "}; !slices.Equal(ends, want) {
		t.Errorf("guesses are exported as %q, want %q", ends, want)
	}
	lines, err := s.JSONL(t.Context(), v.ID)
	must(t, err)
	for i, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
		var row wire.ExportRow
		must(t, json.Unmarshal(line, &row))
		if row.Confidence == nil || *row.Confidence != *v.Confidence {
			t.Errorf("line %d has confidence %v, the session %v", i+1, row.Confidence, *v.Confidence)
		}
		if got := sessions.CsvRow(&row); !slices.Equal(got, rows[i+1]) {
			t.Errorf("line %d is %q as a row, want %q", i+1, got, rows[i+1])
		}
	}
}
