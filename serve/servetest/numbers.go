package servetest

import (
	"testing"

	"mapo/data/dataset"
	"mapo/game"
)

// Rewards returns a game of three arms whose answers are numbers, of means up to 4.
func Rewards(t testing.TB) *game.Problem {
	t.Helper()
	p, err := dataset.Arms([]string{"red", "green", "blue"}, 8)
	must(t, err)
	dataset.Measured(p)
	p.Reply = game.Answers{Sigma: 0.5, Bound: 4}
	return p
}
