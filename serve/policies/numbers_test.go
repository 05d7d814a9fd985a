package policies_test

import (
	"testing"

	"mapo/game"
	"mapo/policy/rival"
	"mapo/serve/policies"
	"mapo/serve/servetest"
)

// TestNumberHashes: what answers are is in the hash and the fingerprint of a game.
func TestNumberHashes(t *testing.T) {
	hashes, plays := map[string]bool{}, map[string]bool{}
	for _, answers := range []game.Answer{nil, game.Answers{Sigma: 1, Bound: 1}, game.Answers{Sigma: 2, Bound: 1}, game.Answers{Sigma: 1, Bound: 2}} {
		p := servetest.Rewards(t)
		p.Reply = answers
		policy, err := rival.Parse(p, game.BestIdentification, "top-two")
		must(t, err)
		served, err := policies.Untrained("top-two", p, policy, policies.Rules{})
		must(t, err)
		hashes[served.Hash()], plays[policies.PlayOf(p, false)] = true, true
	}
	if len(hashes) != 4 || len(plays) != 4 {
		t.Errorf("of 4 games of other answers there are %d hashes and %d fingerprints", len(hashes), len(plays))
	}
}
