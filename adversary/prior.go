package adversary

import (
	"context"
	"math"

	"mapo/game"
	"mapo/rng"
)

// Prior draws all instances from a prior. It is not an opponent: training against it is learning to actively learn under a prior
// (Bayes-LAL, App. H).
type Prior struct {
	Setting
	draws
	phase Phase
	worst running // mean loss of the instances drawn
}

// NewPrior returns an adversary that draws from the prior.
func NewPrior(s Setting, prior game.Prior) *Prior {
	return &Prior{Setting: s, draws: draws{prior: prior, key: s.Key}}
}

// Enter begins a phase, or goes on in it from the running mean.
func (a *Prior) Enter(ph Phase, snapshot []byte) error {
	a.draws.enter(ph)
	a.phase, a.worst.Seen = ph, false
	if snapshot == nil {
		return nil
	}
	return Decode(snapshot, &a.worst)
}

// Prepare notes the iteration.
func (a *Prior) Prepare(_ context.Context, _ game.Policy, iteration int) (int64, error) {
	a.iteration = iteration
	return 0, nil
}

// Draw draws all instances from the prior.
func (a *Prior) Draw(b *Batch, _ rng.Key) { a.fill(b, 0) }

// Observe takes the mean loss into the running one.
func (a *Prior) Observe(_ *Batch, g *Games) Diagnostics {
	var sum float64
	for _, v := range g.Mean {
		sum += v
	}
	a.worst.add(sum / float64(len(g.Mean)) / a.phase.Scale)
	nan := math.NaN()
	return Diagnostics{Worst: a.worst.Mean, Feasible: nan, Barrier: nan, Entropy: nan, ThetaGrad: nan, WGrad: nan}
}

// Snapshot returns the running mean.
func (a *Prior) Snapshot() ([]byte, error) { return Encode(&a.worst) }

// draws is a prior's stream of instances in a training.
type draws struct {
	prior     game.Prior
	key       rng.Key // the training's
	stream    rng.Key // the phase's
	iteration int
	generator rng.Generator
}

func (p *draws) enter(ph Phase) { p.stream, p.iteration = p.key.Name("prior").At(ph.Index), 0 }

// fill fills b's instances from the lo-th on, and b.Drawn where there is one.
func (p *draws) fill(b *Batch, lo int) {
	d, key := len(b.Theta)/len(b.Importance), p.stream.At(p.iteration)
	for m := lo; m < len(b.Importance); m++ {
		drawn := p.prior.Draw(b.Theta[m*d:(m+1)*d], p.generator.Of(key.At(m)))
		if b.Drawn != nil {
			b.Drawn[m] = drawn
		}
	}
}
