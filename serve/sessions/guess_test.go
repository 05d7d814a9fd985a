package sessions_test

import (
	"net/http"
	"slices"
	"testing"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/policy/nn"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// answersOf answers a view's query as a row does.
func answersOf(row []float64, v *wire.View) play.Answer {
	if row[v.Query.Index] > 0.5 {
		return play.Yes
	}
	return play.No
}

// TestSessionGuesses: a sure session guesses, a wrong guess uses an answer and rules the hypothesis out, undo takes it
// back, a right one ends the session; all of it repeated changes nothing.
func TestSessionGuesses(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		served := servetest.RowsOf(t, 4, servetest.FourRows()...)
		set, err := policies.NewSet([]string{"t"}, func(string) (*policies.Policy, error) { return served, nil })
		must(t, err)
		s, err := sessions.New(t.Context(), set, servetest.Opened(t, open), sessions.Options{})
		must(t, err)
		v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Guess: true})
		if v.Confidence != nil || v.Recommendation != nil || v.Stop != 0.9 || v.Guess != nil {
			t.Fatalf("a new session: %+v", v)
		}
		for v.State == wire.StateOpen {
			v = servetest.Tell(t, s, v, answersOf(servetest.FourRows()[1], v))
		}
		if v.State != wire.StateGuess || v.Guess.Text != "B" || v.Query != nil || *v.Confidence < 0.9 {
			t.Fatalf("after the answers of B: %+v", v)
		}
		_, err = s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Yes}})
		servetest.Faulty(t, err, http.StatusConflict, `it guesses "B"; say whether that is right`)
		left, step := v.Remaining, v.Step
		wrong, err := s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: step, Right: false})
		must(t, err)
		again, err := s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: step, Right: false})
		must(t, err)
		if wrong.Step != step+1 || again.Step != wrong.Step || wrong.Recommendation.Text == "B" || left > 0 && wrong.Remaining != left-1 {
			t.Fatalf("after a wrong guess %+v, repeated %+v", wrong, again)
		}
		_, err = s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: step, Right: true})
		servetest.Faulty(t, err, http.StatusConflict, "closed before, as wrong")
		undone, err := s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: wrong.Step})
		must(t, err)
		if undone.State != wire.StateGuess || undone.Guess.Text != "B" || undone.Remaining != left {
			t.Fatalf("after the undo %+v", undone)
		}
		right, err := s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: undone.Step, Right: true})
		must(t, err)
		if right.State != wire.StateDone || right.Recommendation.Text != "B" || right.Query != nil || len(right.Pro) == 0 {
			t.Fatalf("after a right guess %+v", right)
		}
		full, err := s.View(t.Context(), v.ID)
		must(t, err)
		var outcomes []string
		for _, e := range full.History {
			outcomes = append(outcomes, e.Outcome)
		}
		if n := len(outcomes); n < 4 || !slices.Equal(outcomes[n-3:], []string{database.OutcomeWrong, database.OutcomeUndo, database.OutcomeRight}) || full.History[n-1].Guess.Text != "B" {
			t.Errorf("the history is %v", outcomes)
		}
	})
}

// TestHalfAnswersKept: half answers are kept as they were given, and refused where questions repeat.
func TestHalfAnswersKept(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		served := servetest.RowsOf(t, 4, servetest.FourRows()...)
		again := dataset.Thresholds(3, 4)
		path := servetest.Write(t, t.TempDir(), "again", again, nil)
		set, err := policies.NewSet([]string{"t", path}, func(path string) (*policies.Policy, error) {
			if path == "t" {
				return served, nil
			}
			return policies.Open(path)
		})
		must(t, err)
		s, err := sessions.New(t.Context(), set, servetest.Opened(t, open), sessions.Options{})
		must(t, err)
		zero := 0.
		v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Stop: &zero})
		var given []play.Answer
		for range 2 {
			given = append(given, play.OfHalves(answersOf(servetest.FourRows()[1], v).Halves()/2))
			v = servetest.Tell(t, s, v, given[len(given)-1])
		}
		given = append(given, play.DontKnow)
		v = servetest.Tell(t, s, v, play.DontKnow)
		full, err := s.View(t.Context(), v.ID)
		must(t, err)
		for k, want := range given {
			if got := full.History[k].Answer.Answer; got != want {
				t.Errorf("answer %d is kept as %v, want %v", k, got.Value(), want.Value())
			}
		}
		if full.Answers != 2 || *full.Confidence <= 0 {
			t.Errorf("two half answers and a don't know: %d answers, %+v", full.Answers, full.Said)
		}
		other := servetest.Begin(t, s, wire.NewSession{Policy: "again"})
		_, err = s.Answer(t.Context(), other.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Probably}})
		servetest.Faulty(t, err, http.StatusUnprocessableEntity, "half an answer")
	})
}

// TestStopRules: a posterior has stop, scores have stop_margin, and neither takes the other's.
func TestStopRules(t *testing.T) {
	served := servetest.RowsOf(t, 4, servetest.FourRows()...)
	trained := servetest.Policy(t, "trained", dataset.Thresholds(3, 4), func(c *nn.Contract) {})
	set, err := policies.NewSet([]string{"t", "trained"}, func(path string) (*policies.Policy, error) {
		return map[string]*policies.Policy{"t": served, "trained": trained}[path], nil
	})
	must(t, err)
	s, err := sessions.New(t.Context(), set, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{})
	must(t, err)
	high, low, odd := 0.97, 0.3, 1.
	for _, c := range []struct {
		in    wire.NewSession
		fault string
	}{
		{wire.NewSession{Policy: "t", StopMargin: 2}, "stop_margin is for policies without a posterior"},
		{wire.NewSession{Policy: "trained", Stop: &high}, "stop needs a posterior and trained has none"},
		{wire.NewSession{Policy: "t", Stop: &low}, "must be between 0.5 and 1"},
		{wire.NewSession{Policy: "t", Stop: &odd}, "must be between 0.5 and 1"},
	} {
		_, err := s.Create(t.Context(), &c.in)
		servetest.Faulty(t, err, http.StatusUnprocessableEntity, c.fault)
	}
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Stop: &high})
	for v.State == wire.StateOpen {
		v = servetest.Tell(t, s, v, answersOf(servetest.FourRows()[2], v))
	}
	if v.State != wire.StateDone || v.Recommendation.Text != "C" || v.Guess != nil || v.Stop != high {
		t.Errorf("without guesses a sure session is %+v", v)
	}
	// Stateless: the same, with a guess where it is asked for, and what was ruled out.
	history := []wire.HistoryEntry{{Query: wire.Ref{Index: 0}, Answer: wire.Reply{Answer: play.No}}, {Query: wire.Ref{Index: 1}, Answer: wire.Reply{Answer: play.Yes}}, {Query: wire.Ref{Index: 2}, Answer: wire.Reply{Answer: play.No}}, {Query: wire.Ref{Index: 3}, Answer: wire.Reply{Answer: play.Yes}}}
	reply, err := served.Next(&wire.NextRequest{History: history, Guess: true})
	must(t, err)
	if reply.Query != nil || reply.Guess == nil || reply.Guess.Text != "C" || reply.Confidence == nil {
		t.Errorf("a whole game of C: %+v", reply)
	}
	reply, err = served.Next(&wire.NextRequest{History: history, Guess: true, RuledOut: []int{2}})
	must(t, err)
	if reply.Guess != nil || reply.Recommendation.Text == "C" {
		t.Errorf("C is ruled out, and no answer is left: %+v", reply)
	}
	_, err = served.Next(&wire.NextRequest{RuledOut: []int{4}})
	servetest.Faulty(t, err, http.StatusUnprocessableEntity, "ruled_out names hypothesis 4")
}
