package sim_test

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// TestGaussianVectors: with Gaussian answers to vectors, too, the control variate has mean 0, and with fitted lines a share of
// 0.3 of the loss's variance is left. Unit vectors give the games, losses and variates of arms.
func TestGaussianVectors(t *testing.T) {
	p := check.RandomVectors(3, 6, 4, 10, rng.New(3).Rand())
	p.Reply = game.Answers{Sigma: 1, Bound: 1}
	theta := make([]float64, 6)
	game.Box(p).Draw(theta, rng.New(5).Rand())
	l := &sim.ControlVariate{P: p, Loss: game.BestIdentification, Lines: lines(p)}
	b := &sim.Block{P: p, L: 2000, Theta: theta, Variate: l}
	block := 0
	play := func() {
		block++
		playBlock(b, rng.New(3), block, choose(check.Even{P: p}))
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
	l.Lines = learnt(&sim.Block{P: p, L: 1000, Theta: theta}, check.Even{P: p}, game.BestIdentification)
	play()
	var plain, less sim.Sum
	for g, x := range b.Loss {
		plain.Add(x)
		less.Add(x - l.Of[g])
	}
	left := variance(less) / variance(plain)
	t.Logf("variance left: %.3f", left)
	if left > .45 {
		t.Errorf("a share of %.3f of the loss's variance is left", left)
	}

	arms := check.BestArm(4, 10)
	arms.Reply = p.Reply
	var of [2]sim.Block
	for i, p := range []*game.Problem{arms, check.AsVectors(arms)} {
		of[i] = sim.Block{P: p, L: 300, Theta: []float64{.4, .1, 0, -.2}, Variate: &sim.ControlVariate{P: p, Lines: lines(p)}}
		playBlock(&of[i], rng.New(3), 0, choose(check.Even{P: p}))
		of[i].Judge(game.BestIdentification, nil)
	}
	far := 0
	for g, x := range of[0].Loss {
		if math.Abs(x-of[1].Loss[g]) > 1e-6 {
			t.Fatalf("game %d loses %v and %v", g, x, of[1].Loss[g])
		}
		if math.Abs(of[0].Variate.Of[g]-of[1].Variate.Of[g]) > 1e-4 {
			far++ // an answer that only reaches a hypothesis out of sight of one of the two
		}
	}
	if far > 3 {
		t.Errorf("%d of 300 variates differ", far)
	}
}
