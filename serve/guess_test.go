package serve

import (
	"net/http"
	"slices"
	"testing"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/nn"
	"mapo/policy/rival"
)

// rowsOf is a policy without training over a table of rows, stopping at 0.9.
func rowsOf(t testing.TB, budget int, rows ...[]float64) *Policy {
	t.Helper()
	raw := &table.Table{Name: "t.csv"}
	for k, row := range rows {
		raw.Objects, raw.Lines = append(raw.Objects, string(rune('A'+k))), append(raw.Lines, k+2)
		raw.P = append(raw.P, row...)
	}
	for i := range rows[0] {
		raw.Queries = append(raw.Queries, string(rune('p'+i))+"?")
	}
	p, _, err := dataset.Rows(raw, dataset.RowOptions{Options: dataset.Options{T: budget, AskOnce: true}})
	must(t, err)
	ask, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	must(t, err)
	served, err := Untrained("t", p, ask, Rules{Stop: 0.9})
	must(t, err)
	return served
}

// four rows that two questions tell apart, and two questions more.
func fourRows() [][]float64 {
	return [][]float64{{1, 1, 1, 1}, {1, 0, 1, 0}, {0, 1, 0, 1}, {0, 0, 0, 0}}
}

// answersOf answers a view's query as a row does.
func answersOf(row []float64, v *View) play.Answer {
	if row[v.Query.Index] > 0.5 {
		return play.Yes
	}
	return play.No
}

// TestSessionGuesses: a sure session guesses, a wrong guess uses an answer and rules the hypothesis out, undo takes it
// back, a right one ends the session; all of it repeated changes nothing.
func TestSessionGuesses(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		served := rowsOf(t, 4, fourRows()...)
		set, err := NewSet([]string{"t"}, func(string) (*Policy, error) { return served, nil })
		must(t, err)
		s, err := NewSessions(t.Context(), set, opened(t, open), SessionOptions{})
		must(t, err)
		v := begin(t, s, NewSession{Policy: "t", Guess: true})
		if v.Confidence != nil || v.Recommendation != nil || v.Stop != 0.9 || v.Guess != nil {
			t.Fatalf("a new session: %+v", v)
		}
		for v.State == stateOpen {
			v = tell(t, s, v, answersOf(fourRows()[1], v))
		}
		if v.State != stateGuess || v.Guess.Text != "B" || v.Query != nil || *v.Confidence < 0.9 {
			t.Fatalf("after the answers of B: %+v", v)
		}
		_, err = s.Answer(t.Context(), v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Yes}})
		faulty(t, err, http.StatusConflict, `it guesses "B"; say whether that is right`)
		left, step := v.Remaining, v.Step
		wrong, err := s.Guess(t.Context(), v.ID, &GuessRequest{Step: step, Right: false})
		must(t, err)
		again, err := s.Guess(t.Context(), v.ID, &GuessRequest{Step: step, Right: false})
		must(t, err)
		if wrong.Step != step+1 || again.Step != wrong.Step || wrong.Recommendation.Text == "B" || left > 0 && wrong.Remaining != left-1 {
			t.Fatalf("after a wrong guess %+v, repeated %+v", wrong, again)
		}
		_, err = s.Guess(t.Context(), v.ID, &GuessRequest{Step: step, Right: true})
		faulty(t, err, http.StatusConflict, "closed before, as wrong")
		undone, err := s.Undo(t.Context(), v.ID, &UndoRequest{Step: wrong.Step})
		must(t, err)
		if undone.State != stateGuess || undone.Guess.Text != "B" || undone.Remaining != left {
			t.Fatalf("after the undo %+v", undone)
		}
		right, err := s.Guess(t.Context(), v.ID, &GuessRequest{Step: undone.Step, Right: true})
		must(t, err)
		if right.State != stateDone || right.Recommendation.Text != "B" || right.Query != nil || len(right.Pro) == 0 {
			t.Fatalf("after a right guess %+v", right)
		}
		full, err := s.View(t.Context(), v.ID)
		must(t, err)
		var outcomes []string
		for _, e := range full.History {
			outcomes = append(outcomes, e.Outcome)
		}
		if n := len(outcomes); n < 4 || !slices.Equal(outcomes[n-3:], []string{outcomeWrong, outcomeUndo, outcomeRight}) || full.History[n-1].Guess.Text != "B" {
			t.Errorf("the history is %v", outcomes)
		}
	})
}

// TestHalfAnswersKept: half answers are kept as they were given, and refused where questions repeat.
func TestHalfAnswersKept(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		served := rowsOf(t, 4, fourRows()...)
		again := dataset.Thresholds(3, 4)
		path := write(t, t.TempDir(), "again", again, nil)
		set, err := NewSet([]string{"t", path}, func(path string) (*Policy, error) {
			if path == "t" {
				return served, nil
			}
			return Open(path)
		})
		must(t, err)
		s, err := NewSessions(t.Context(), set, opened(t, open), SessionOptions{})
		must(t, err)
		zero := 0.
		v := begin(t, s, NewSession{Policy: "t", Stop: &zero})
		var given []play.Answer
		for range 2 {
			given = append(given, play.OfHalves(answersOf(fourRows()[1], v).Halves()/2))
			v = tell(t, s, v, given[len(given)-1])
		}
		given = append(given, play.DontKnow)
		v = tell(t, s, v, play.DontKnow)
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
		other := begin(t, s, NewSession{Policy: "again"})
		_, err = s.Answer(t.Context(), other.ID, &AnswerRequest{Step: 1, Answer: Reply{Answer: play.Probably}})
		faulty(t, err, http.StatusUnprocessableEntity, "half an answer")
	})
}

// TestStopRules: a posterior has stop, scores have stop_margin, and neither takes the other's.
func TestStopRules(t *testing.T) {
	served := rowsOf(t, 4, fourRows()...)
	trained := policy(t, "trained", dataset.Thresholds(3, 4), func(c *nn.Contract) {})
	set, err := NewSet([]string{"t", "trained"}, func(path string) (*Policy, error) {
		return map[string]*Policy{"t": served, "trained": trained}[path], nil
	})
	must(t, err)
	s, err := NewSessions(t.Context(), set, opened(t, stores["sqlite"](t)), SessionOptions{})
	must(t, err)
	high, low, odd := 0.97, 0.3, 1.
	for _, c := range []struct {
		in    NewSession
		fault string
	}{
		{NewSession{Policy: "t", StopMargin: 2}, "stop_margin is for policies without a posterior"},
		{NewSession{Policy: "trained", Stop: &high}, "stop needs a posterior and trained has none"},
		{NewSession{Policy: "t", Stop: &low}, "must be between 0.5 and 1"},
		{NewSession{Policy: "t", Stop: &odd}, "must be between 0.5 and 1"},
	} {
		_, err := s.Create(t.Context(), &c.in)
		faulty(t, err, http.StatusUnprocessableEntity, c.fault)
	}
	v := begin(t, s, NewSession{Policy: "t", Stop: &high})
	for v.State == stateOpen {
		v = tell(t, s, v, answersOf(fourRows()[2], v))
	}
	if v.State != stateDone || v.Recommendation.Text != "C" || v.Guess != nil || v.Stop != high {
		t.Errorf("without guesses a sure session is %+v", v)
	}
	// Stateless: the same, with a guess where it is asked for, and what was ruled out.
	history := []HistoryEntry{{Ref{Index: 0}, Reply{Answer: play.No}}, {Ref{Index: 1}, Reply{Answer: play.Yes}}, {Ref{Index: 2}, Reply{Answer: play.No}}, {Ref{Index: 3}, Reply{Answer: play.Yes}}}
	reply, err := served.Next(&NextRequest{History: history, Guess: true})
	must(t, err)
	if reply.Query != nil || reply.Guess == nil || reply.Guess.Text != "C" || reply.Confidence == nil {
		t.Errorf("a whole game of C: %+v", reply)
	}
	reply, err = served.Next(&NextRequest{History: history, Guess: true, RuledOut: []int{2}})
	must(t, err)
	if reply.Guess != nil || reply.Recommendation.Text == "C" {
		t.Errorf("C is ruled out, and no answer is left: %+v", reply)
	}
	_, err = served.Next(&NextRequest{RuledOut: []int{4}})
	faulty(t, err, http.StatusUnprocessableEntity, "ruled_out names hypothesis 4")
}
