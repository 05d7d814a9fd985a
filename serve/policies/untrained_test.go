package policies_test

import (
	"fmt"
	"math"
	"testing"

	"mapo/game"
	"mapo/policy/rival"
	"mapo/serve/policies"
)

// TestHashCovers: each thing that a game depends on, changed alone, changes the hash, and so the fingerprint that sessions
// are tied to. What is not part of the game changes neither.
func TestHashCovers(t *testing.T) {
	wrong, other := 0.1, 0.2
	base := func() *game.Problem {
		return &game.Problem{
			Name: "n", X: []string{"a", "b"}, Names: []string{"u", "v"}, T: 2, AskOnce: true,
			Seek: &game.Shares{Yes: []float64{.9, .2, .1, .6}, Unknown: make([]bool, 4), Weight: []float64{.5, .5}, Wrong: &wrong},
		}
	}
	type setting struct {
		p       *game.Problem
		name    string
		rules   policies.Rules
		version int
	}
	seen := map[string]string{}
	for what, change := range map[string]func(*setting){
		"nothing":              func(*setting) {},
		"the policy":           func(s *setting) { s.name = "uncertainty" },
		"its parameter":        func(s *setting) { s.name = "information:0.1" },
		"the name":             func(s *setting) { s.p.Name = "m" },
		"a query's text":       func(s *setting) { s.p.X[1] = "c" },
		"a hypothesis's text":  func(s *setting) { s.p.Names[1] = "w" },
		"a share":              func(s *setting) { s.p.Seek.(*game.Shares).Yes[3] = math.Nextafter(.6, 1) },
		"the mask":             func(s *setting) { s.p.Seek.(*game.Shares).Unknown[2] = true },
		"that there is a mask": func(s *setting) { s.p.Seek.(*game.Shares).Unknown = nil },
		"the weights":          func(s *setting) { s.p.Seek.(*game.Shares).Weight = []float64{.25, .75} },
		"the budget":           func(s *setting) { s.p.T = 1 },
		"ask-once":             func(s *setting) { s.p.AskOnce = false },
		"don't know":           func(s *setting) { s.rules.DontKnow = "spends" },
		"wrong answers":        func(s *setting) { s.p.Seek.(*game.Shares).Wrong = &other },
		"inferred wrong ones":  func(s *setting) { s.p.Seek.(*game.Shares).Wrong = nil },
		"other":                func(s *setting) { s.p.Seek.(*game.Shares).Other = true },
		"stop":                 func(s *setting) { s.rules.Stop = 0.9 },
		"the decision":         func(s *setting) { s.version++ },
	} {
		s := setting{p: base(), name: "information:0.03", version: policies.DecisionVersion}
		change(&s)
		s.p.Grade()
		policy, err := rival.Parse(s.p, game.BestIdentification, s.name)
		must(t, err)
		got, err := policies.Untrained("id", s.p, policy, s.rules)
		must(t, err)
		hash := policies.HashOf(s.version, fmt.Sprint(policy)+rival.Revision(policy), s.p, got.Spends(), s.rules.Stop)
		if s.version == policies.DecisionVersion && hash != got.Hash() {
			t.Errorf("%s: hash %s, want %s", what, got.Hash(), hash)
		}
		if before, ok := seen[hash[:32]]; ok {
			t.Errorf("%s and %s have the same hash", what, before)
		}
		seen[hash[:32]] = what
		s.rules.Version, s.rules.Warnings = "2", []string{"w"}
		again, err := policies.Untrained("another", s.p, policy, s.rules)
		must(t, err)
		if again.Hash() != got.Hash() {
			t.Errorf("%s: the id or the program's version changes the hash", what)
		}
	}
}
