package search

import (
	"math"
	"reflect"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/rng"
)

// TestStopped: a search plays the game as the policy ends it, in its screens, its climbs and its report. What it reports on
// the worst instance, loss and questions, is what all games of it come to.
func TestStopped(t *testing.T) {
	p := check.Thresholds(4, 6)
	policy := check.Strict{Policy: check.Wavy{P: p}, By: check.Lead{P: p, Sum: 2, After: 4}}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	flow := g.Stopped(policy.By).Flow(policy.Policy)
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: policy, Levels: []float64{8, 24}, Effort: modest, Key: rng.New(5)}
	worst := run(t, s)
	again, err := Replay(t.Context(), s, [][]float64{worst[0].Theta}, worst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range append(worst, again...) {
		truth, asked := flow.Loss(s.Loss, w.Theta), flow.Questions(w.Theta)
		// Intervals of 95 %, widened 2.5 times: 8 checks fail once in 10⁵ runs.
		if half := 2.5 * max(w.Mean-w.Lo, w.Hi-w.Mean); math.Abs(truth-w.Mean) > half {
			t.Errorf("r = %v: the loss is said to be %.4f, it is %.4f", w.Level, w.Mean, truth)
		}
		if q := w.Questions; q.Hi == 0 || math.Abs(asked-q.Mean) > 2.5*max(q.Mean-q.Lo, q.Hi-q.Mean) {
			t.Errorf("r = %v: the questions are said to be %v, they are %.4f", w.Level, q, asked)
		}
	}
	s.Policy = policy.Policy
	if w := run(t, s)[0]; w.Questions.Hi != 0 {
		t.Errorf("without a rule of stopping the questions are %v", w.Questions)
	}
}

// TestJournalKnowsTheRule: a search does not go on from the state of one whose games end otherwise.
func TestJournalKnowsTheRule(t *testing.T) {
	p := check.Thresholds(3, 4)
	s := &Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{16}, Effort: modest, Key: rng.New(5)}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := string(h.hash(nil))
	h.Policy = game.Stopping(s.Policy, check.Lead{P: p, Sum: 2, After: 3})
	if string(h.hash(nil)) == before {
		t.Error("the state of a search is the same with a rule of stopping")
	}
}

// TestStoppedResumes: a search of games that end early resumes from any of its states and finds the same, questions too.
func TestStoppedResumes(t *testing.T) {
	all := cuts(t)
	for _, c := range []cut{all[0], all[2], all[5]} {
		c.Policy = game.Stopping(c.Policy, check.Lead{P: c.P, Sum: 2, After: 4})
		whole, err := c.run(t.Context(), &c.Search)
		if err != nil {
			t.Fatal(err)
		}
		states, worst := c.pieces(t)
		if len(states) < 3 || !reflect.DeepEqual(worst, whole) || worst[0].Questions.Hi == 0 {
			t.Errorf("%s: in %d pieces %+v, at once %+v", c.name, len(states), worst, whole)
		}
	}
}
