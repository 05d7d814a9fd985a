package policies_test

import (
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/rival"
	"mapo/serve/policies"
	"mapo/serve/servetest"
)

// TestOwnRules: a contract states the rule of a policy that recommends by its own, and its hash is that of earlier versions.
func TestOwnRules(t *testing.T) {
	arms, err := dataset.Arms([]string{"red", "green", "blue"}, 8)
	must(t, err)
	const left, agrees = "the arm of the largest mean answer among those that are not rejected", "the classifier that agrees with the most labels"
	for _, c := range []struct {
		p          *game.Problem
		name, rule string
	}{{arms, "successive-rejects", left}, {arms, "sequential-halving", left}, {servetest.Photos(), "model-selector:0.46", agrees}, {arms, "successive-rejects+posterior", policies.VotesRule}} {
		for _, loss := range []game.Loss{game.BestIdentification, game.SimpleRegret} {
			if c.rule == policies.VotesRule && loss == game.SimpleRegret {
				continue
			}
			asks, err := rival.Parse(c.p, loss, c.name)
			must(t, err)
			policy, err := policies.Untrained("own", c.p, asks, policies.Rules{Loss: loss})
			must(t, err)
			if want := policies.HashOf(policies.DecisionVersion, c.name+" decides", c.p, false, 0); policy.Contract.Rule != c.rule || policy.Hash() != want {
				t.Errorf("%s: the rule is %q, want %q; the hash %.12s, want %.12s", c.name, policy.Contract.Rule, c.rule, policy.Hash(), want)
			}
		}
	}
}
