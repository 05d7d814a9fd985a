package game_test

import (
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// TestStoppingKeepsDeciding: a policy may have a rule of stopping and a decision, whichever it is given first, and has the other
// rule alone where it is given none.
func TestStoppingKeepsDeciding(t *testing.T) {
	p := check.Thresholds(3, 3)
	asks, decides, stops := game.Policy(check.Even{P: p}), game.LeastSquares(p), check.Lead{P: p, Sum: 2, After: 2}
	for name, c := range map[string]struct {
		policy        game.Policy
		decides, ends bool
	}{
		"neither":            {asks, false, false},
		"no rule":            {game.Stopping(asks, nil), false, false},
		"stopping":           {game.Stopping(asks, stops), false, true},
		"deciding":           {game.Deciding(asks, decides), true, false},
		"stopping, deciding": {game.Deciding(game.Stopping(asks, stops), decides), true, true},
		"deciding, stopping": {game.Stopping(game.Deciding(asks, decides), stops), true, true},
	} {
		_, own := c.policy.(game.Decider)
		if own != c.decides || own && game.DeciderOf(p, c.policy) == nil {
			t.Errorf("%s: has a decision of its own: %v, want %v", name, own, c.decides)
		}
		if by := game.StopperOf(c.policy); (by != nil) != c.ends {
			t.Errorf("%s: stops by %v, want a rule: %v", name, by, c.ends)
		}
	}
}
