package adversary

import (
	"context"

	"mapo/game"
	"mapo/rng"
)

// Mix draws some instances from an adversary and the others from a prior, for the objective
//
//	(1−w) · max_θ [ℓ(π, θ) − b^(r_k(θ))] + w · E_{θ∼prior} ℓ(π, θ).
//
// Importances weight both so that Eq. 11's mean is the gradient of the sum. The adversary moves by its own instances alone.
type Mix struct {
	Adversary
	draws
	weight float64
	part   Batch // the adversary's
}

// leastPart is the inverse of the least share of the instances that either part of the objective is estimated from, however
// small its weight.
const leastPart = 8

// NewMix returns a mix of an adversary with a prior of weight w, 0 < w < 1. key is the training's.
func NewMix(a Adversary, prior game.Prior, w float64, key rng.Key) *Mix {
	return &Mix{Adversary: a, draws: draws{prior: prior, key: key}, weight: w}
}

// Enter begins a phase, or goes on in it.
func (a *Mix) Enter(ph Phase, snapshot []byte) error {
	a.draws.enter(ph)
	return a.Adversary.Enter(ph, snapshot)
}

// Prepare readies the adversary's instances.
func (a *Mix) Prepare(ctx context.Context, policy game.Policy, iteration int) (int64, error) {
	a.iteration = iteration
	return a.Adversary.Prepare(ctx, policy, iteration)
}

// Own returns how many of m instances are the adversary's for a prior of weight w: about (1−w)·m, but for either part an
// eighth at least. m is at least 2.
func Own(m int, w float64) int {
	least := (m + leastPart - 1) / leastPart
	return m - min(max(int(w*float64(m)+.5), least), m-least)
}

// Draw fills the first part of b by the adversary, the rest by the prior.
func (a *Mix) Draw(b *Batch, key rng.Key) {
	all := len(b.Importance)
	own := Own(all, a.weight)
	a.part = b.first(own)
	a.Adversary.Draw(&a.part, key)
	b.Index, b.Scale, b.Ascends = a.part.Index, a.part.Scale, a.part.Ascends
	a.fill(b, own)
	m := float64(all)
	worst, average := (1-a.weight)*m/float64(own), a.weight*m/(m-float64(own))
	for i := range b.Importance {
		if i < own {
			b.Importance[i] *= worst
		} else {
			b.Importance[i] *= average
		}
	}
}

// Hardest returns the adversary's.
func (a *Mix) Hardest(n int) [][]float64 { return Hardest(a.Adversary, n) }
