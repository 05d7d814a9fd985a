package serve

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"mapo/baseline"
	"mapo/dataset"
	"mapo/game"
)

// openTable opens examples/animals.csv under any name, to be played without training: with wrong answers at that share,
// negative: inferred, and games that end at stop.
func openTable(wrong, stop float64) Opener {
	return func(path string) (*Policy, error) {
		raw, err := dataset.ReadTable("../examples/animals.csv", "")
		if err != nil {
			return nil, err
		}
		var o dataset.RowOptions
		o.T, o.AskOnce = 20, true
		if wrong >= 0 {
			o.Wrong = &wrong
		}
		p, _, err := dataset.Rows(raw.Table, o)
		if err != nil {
			return nil, err
		}
		policy, err := baseline.Parse(p, "information:0.03")
		if err != nil {
			return nil, err
		}
		return Untrained(dataset.Base(path), p, policy, Rules{Stop: stop})
	}
}

// sessionsOn is sessions of what open opens.
func sessionsOn(t testing.TB, store func() (Store, error), o SessionOptions, open Opener, paths ...string) *Sessions {
	t.Helper()
	set, err := NewSet(paths, open)
	must(t, err)
	s, err := NewSessions(t.Context(), set, opened(t, store), o)
	must(t, err)
	return s
}

// guessed answers the guess of the view's step.
func guessed(t testing.TB, s *Sessions, v *View, right bool) *View {
	t.Helper()
	next, err := s.Guess(t.Context(), v.ID, &GuessRequest{Step: v.Step, Right: right})
	must(t, err)
	return next
}

// toGuess begins a session and answers until it guesses, with half answers on the way.
func toGuess(t testing.TB, s *Sessions, stop float64) *View {
	t.Helper()
	seed := uint64(1)
	v := begin(t, s, NewSession{Policy: "table", Guess: true, Stop: &stop, Seed: &seed})
	for i := 0; v.State == stateOpen; i++ {
		v = tell(t, s, v, []game.Answer{game.Yes, game.Probably, game.DontKnow, game.ProbablyNot, game.No}[i%5])
	}
	if v.State != stateGuess || v.Query != nil || *v.Guess != *v.Recommendation {
		t.Fatalf("the session ends in %+v, want a guess of its recommendation", v)
	}
	return v
}

// TestGuessSession: a wrong guess uses an answer and is not guessed again, also after an undo of it and in a session
// that is read anew; the same request again changes nothing and another one is a conflict; a right guess ends it.
func TestGuessSession(t *testing.T) {
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			s := sessionsOn(t, store(t), SessionOptions{}, openTable(-1, 0.95), "table.csv")
			v := toGuess(t, s, 0.6)
			first, step, remaining := *v.Guess, v.Step, v.Remaining
			if remaining == 0 || *v.Confidence < 0.6 {
				t.Fatalf("the session guesses with %d answers left and confidence %v, want it to stop at 0.6", remaining, *v.Confidence)
			}
			_, err := s.Answer(t.Context(), v.ID, &AnswerRequest{Step: v.Step, Answer: Reply(game.Yes)})
			faulty(t, err, http.StatusConflict, "it guesses")
			v = guessed(t, s, v, false)
			if v.Remaining != remaining-1 || *v.Recommendation == first || v.Guess != nil && *v.Guess == first {
				t.Errorf("after a wrong guess: %+v", v)
			}
			again, err := s.Guess(t.Context(), v.ID, &GuessRequest{Step: step})
			must(t, err)
			if again.Step != v.Step {
				t.Errorf("the same wrong guess again is step %d, want %d", again.Step, v.Step)
			}
			_, err = s.Guess(t.Context(), v.ID, &GuessRequest{Step: step, Right: true})
			faulty(t, err, http.StatusConflict, "was closed before, as wrong")
			v, err = s.Undo(t.Context(), v.ID, &UndoRequest{Step: v.Step})
			must(t, err)
			if v.State != stateGuess || *v.Guess != first || v.Remaining != remaining {
				t.Errorf("after an undo: %+v, want the guess of %v again", v, first)
			}
			v = guessed(t, s, v, true)
			if v.State != stateDone || *v.Recommendation != first || v.Query != nil || v.Guess != nil || len(v.Pro) == 0 {
				t.Errorf("after a right guess: %+v", v)
			}
			_, err = s.Guess(t.Context(), v.ID, &GuessRequest{Step: v.Step, Right: true})
			faulty(t, err, http.StatusConflict, "nothing is guessed")
		})
	}
}

// TestExportGuesses: both forms of an export have half answers as numbers and guesses by index and name, with what came
// of them, undone ones too.
func TestExportGuesses(t *testing.T) {
	s := sessionsOn(t, stores["sqlite"](t), SessionOptions{}, openTable(-1, 0.95), "table.csv")
	v := toGuess(t, s, 0.6)
	first := *v.Guess
	v = guessed(t, s, v, false)
	v, err := s.Undo(t.Context(), v.ID, &UndoRequest{Step: v.Step})
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
		case outcomeAnswer, outcomeDontKnow:
			answers = append(answers, at(row, "answer"))
		case outcomeUndo: // its query or guess was not answered
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
		var row ExportRow
		must(t, json.Unmarshal(line, &row))
		if row.Confidence == nil || *row.Confidence != *v.Confidence {
			t.Errorf("line %d has confidence %v, the session %v", i+1, row.Confidence, *v.Confidence)
		}
		if got := row.row(); !slices.Equal(got, rows[i+1]) {
			t.Errorf("line %d is %q as a row, want %q", i+1, got, rows[i+1])
		}
	}
}

// TestRuledOut: the stateless way guesses the same: a wrong guess goes into ruled_out.
func TestRuledOut(t *testing.T) {
	p, err := openTable(-1, 0.6)("table.csv")
	must(t, err)
	in, seed := NextRequest{Guess: true, Seed: new(uint64)}, uint64(5)
	*in.Seed = seed
	out, err := p.Next(&in)
	must(t, err)
	for out.Query != nil {
		in.History = append(in.History, HistoryEntry{Query: Ref{Index: out.Query.Index}, Answer: Reply(game.Probably)})
		out, err = p.Next(&in)
		must(t, err)
	}
	if out.Guess == nil || len(out.Probabilities) != 0 || len(out.Pro) == 0 {
		t.Fatalf("at the end: %+v, want a guess with its reasons", out)
	}
	first := *out.Guess
	in.RuledOut = []int{first.Index}
	out, err = p.Next(&in)
	must(t, err)
	if *out.Recommendation == first || out.Guess != nil && *out.Guess == first {
		t.Errorf("%v is ruled out, and the reply is %+v", first, out)
	}
	in.RuledOut = []int{first.Index, first.Index}
	if _, err = p.Next(&in); err == nil {
		t.Error("a hypothesis may be ruled out twice")
	}
	in.RuledOut, in.Guess = nil, false
	if out, err = p.Next(&in); err != nil || out.Guess != nil {
		t.Errorf("a guess that was not asked for: %+v, %v", out, err)
	}
}
