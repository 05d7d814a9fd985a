package spec

import (
	"slices"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
)

func TestArms(t *testing.T) {
	for _, c := range []struct {
		text       string
		names      []string
		difficulty string
	}{
		{"problem: {arms: {count: 3}}\n", []string{"arm 1", "arm 2", "arm 3"}, difficulty.MAB},
		{"problem: {arms: {names: [red, green]}}\nbudget: 9\n", []string{"red", "green"}, difficulty.MAB},
		{"problem: {arms: {count: 2}}\ndifficulty: rho-tilde\n", []string{"arm 1", "arm 2"}, ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			s, err := Parse("s.yaml", []byte(c.text), Override{})
			if err != nil {
				t.Fatal(err)
			}
			p := s.Problem
			if !slices.Equal(p.Names, c.names) || !check.Is[game.Arms](p) || p.AskOnce || p.Difficulty != c.difficulty || p.Check() != nil {
				t.Errorf("hypotheses %v, arms %v, ask-once %v, difficulty %q, check %v", p.Names, check.Is[game.Arms](p), p.AskOnce, p.Difficulty, p.Check())
			}
			if want := "Pull " + c.names[0] + ": a success?"; p.X[0] != want {
				t.Errorf("the first query is %q, want %q", p.X[0], want)
			}
			if want := []string{"uniform", "round-robin", "successive-rejects", "sequential-halving", "top-two", "ugapeb:2", "ucb-e:2", "eb-tc:0.5", BayesLAL}; !slices.Equal(s.Rivals, want) || s.Priors[0].Name() != "box" {
				t.Errorf("rivals %v and priors %v, want %v and box", s.Rivals, s.priorNames(), want)
			}
			again, err := Parse("resolved.yaml", s.Resolved(), Override{})
			if err != nil {
				t.Fatal(err)
			}
			if again.Problem.Difficulty != c.difficulty || !slices.Equal(again.Problem.Z, p.Z) || string(again.Resolved()) != string(s.Resolved()) {
				t.Errorf("resolved again:\n%s\nwant\n%s", again.Resolved(), s.Resolved())
			}
		})
	}
}

// TestGaussian: answers are kept in the user's units, and resolved specs keep them.
func TestGaussian(t *testing.T) {
	for text, rivals := range map[string][]string{
		"problem: {arms: {count: 3}}\nanswers: {gaussian: 0.3, bound: 0.7}\n":   {"uniform", "round-robin", "successive-rejects", "sequential-halving", "top-two", "ugapeb:2", "ucb-e:2", "eb-tc:0.5", BayesLAL},
		"problem: {thresholds: {d: 3}}\nanswers: {gaussian: 0.3, bound: 0.7}\n": {"uniform", "uncertainty", BayesLAL},
	} {
		s, err := Parse("s.yaml", []byte(text), Override{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("resolved.yaml", s.Resolved(), Override{})
		if err != nil {
			t.Fatal(err)
		}
		if want := (game.Answers{Sigma: .3, Bound: .7}); s.Problem.Reply.(game.Answers) != want || again.Problem.Reply.(game.Answers) != want || s.Problem.Check() != nil {
			t.Errorf("answers %v, resolved %v, want %v; check %v", s.Problem.Reply.(game.Answers), again.Problem.Reply.(game.Answers), want, s.Problem.Check())
		}
		if !slices.Equal(s.Rivals, rivals) {
			t.Errorf("rivals %v, want %v", s.Rivals, rivals)
		}
	}
}
