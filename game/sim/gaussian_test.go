package sim_test

import (
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// TestGaussianControlVariate: its mean is 0 on every instance whatever the lines are. With fitted ones a share of 0.1 of the
// loss's variance is left.
func TestGaussianControlVariate(t *testing.T) {
	p := check.BestArm(4, 10)
	p.Reply = game.Answers{Sigma: 1, Bound: 1}
	theta := []float64{.4, .1, 0, -.2}
	l := &sim.ControlVariate{P: p, Loss: game.BestIdentification, Lines: lines(p), Steps: &sim.Steps{Weight: []float64{1}}}
	b := &sim.Block{P: p, L: 2000, Theta: theta, Variate: l}
	block := 0
	play := func() {
		block++
		playBlock(b, rng.New(3), block, func(_ int, to []float32, s game.States) { check.Even{P: p}.Probs(to, s) })
		b.Judge(game.BestIdentification, nil)
	}
	check.Mean(t, 0, -4, 4, .15, func(dst []float64) {
		for at := range dst {
			if at%b.L == 0 {
				play()
			}
			dst[at] = l.Of[at%b.L]
		}
	})
	policy := check.Even{P: p}
	l.Lines = learnt(&sim.Block{P: p, L: 1000, Theta: theta}, policy, game.BestIdentification)
	play()
	var plain, less sim.Sum
	for g, x := range b.Loss {
		plain.Add(x)
		less.Add(x - l.Of[g])
	}
	left := variance(less) / variance(plain)
	t.Logf("variance left: %.3f", left)
	if left > .2 {
		t.Errorf("a share of %.3f of the loss's variance is left", left)
	}
}
