package adversary

import (
	"slices"

	"mapo/game/sim"
	"mapo/rng"
)

// ParticleOptions are how Algorithm 2's particles and weights ascend.
type ParticleOptions struct {
	WeightOptions
	N         int     // particles
	ThetaRate float64 // learning rate of θ̃
	Barrier   float64 // λ_barrier, the weight of the barrier
	Dense     bool    // Adam moves all particles, as in the paper; else those drawn alone (reading 1)
}

// Particles is the adversary of Algorithm 2: N particles θ̃ with weights w. Both ascend, w by Eq. 9 and θ̃ by Eq. 10, which a
// barrier keeps within Θ^(r).
type Particles struct {
	Weights
	options ParticleOptions
	theta   Adam      // of θ̃
	steps   []int     // Adam's steps of each particle, where only drawn ones move, [N]
	all     []float64 // Eq. 10 for all particles, [N, |X|]
	scratch []float64 // [|X|]
}

// particleState is what Particles needs to go on.
type particleState struct {
	Weights weightState
	Theta   Adam
	Steps   []int
}

// NewParticles returns Algorithm 2's adversary.
func NewParticles(s Setting, o ParticleOptions) *Particles {
	return &Particles{Weights: Weights{Setting: s, options: o.WeightOptions}, options: o, scratch: make([]float64, s.P.Queries())}
}

// Enter begins a phase, a fresh one with the particles of [Start] and equal weights, or goes on in it.
func (a *Particles) Enter(ph Phase, snapshot []byte) error {
	a.phase = ph
	if snapshot == nil {
		if ph.Fresh {
			a.begin(Start(a.P, a.options.N, a.Key.Name("particles").At(ph.Index)))
			a.theta, a.steps = *NewAdam(len(a.state.Theta)), make([]int, a.state.N())
		}
		a.state.Worst.Seen = false
		return nil
	}
	s, err := restored(snapshot, func(s *particleState) bool {
		return s.Weights.fits(a.P.Queries()) && s.Theta.Fits(len(s.Weights.Theta)) && len(s.Steps) == s.Weights.N()
	})
	a.state, a.theta, a.steps = s.Weights, s.Theta, s.Steps
	return err
}

// Draw draws I_m ~ softmax(w) and asks for Eq. 10 of each.
func (a *Particles) Draw(b *Batch, key rng.Key) {
	a.Weights.Draw(b, key)
	b.Ascends = true
}

// Observe moves w by the estimate of Eq. 9 and θ̃ by that of Eq. 10 (Algorithm 2).
func (a *Particles) Observe(b *Batch, g *Games) Diagnostics {
	out := a.Weights.Observe(b, g)
	grad := g.ThetaGrad[:len(b.Index)*a.P.Queries()]
	a.addBarrier(grad, b, g.L)
	out.ThetaGrad = norm(grad)
	if a.options.Dense {
		a.ascendAll(b.Index, grad)
	} else {
		a.ascendDrawn(b.Index, grad)
	}
	return out
}

// addBarrier adds Eq. 10's −1/(AL) Σ_l λ_barrier ∇barrier to grad, [A, |X|], for each of the A
// instances drawn: the barrier is a penalty within the sum over l (reading 1).
func (a *Particles) addBarrier(grad []float64, b *Batch, l int) {
	d := a.P.Queries()
	each := 1 / float64(len(b.Index)*l)
	for at := 0; at < len(grad); at += d {
		BarrierGrad(grad[at:at+d], a.C, b.Theta[at:at+d], a.R[len(a.R)-1], -a.options.Barrier*each*float64(l), a.scratch)
	}
}

// ascendAll makes a step of Adam on all particles: those not drawn go on by their momentum.
func (a *Particles) ascendAll(index []int, grad []float64) {
	d := a.P.Queries()
	a.all = sim.Zeros(a.all, len(a.state.Theta))
	for m, i := range index {
		for j, g := range grad[m*d : (m+1)*d] {
			a.all[i*d+j] += g
		}
	}
	a.theta.Ascend(a.state.Theta, a.all, a.options.ThetaRate)
	for lo := 0; lo < len(a.state.Theta); lo += d {
		a.P.Admit(a.state.Theta[lo : lo+d])
	}
}

// ascendDrawn moves the particles drawn alone, each with an Adam of its own. It adds up in grad what a particle that was
// drawn twice gets.
func (a *Particles) ascendDrawn(index []int, grad []float64) {
	d := a.P.Queries()
	for m, i := range index {
		if slices.Contains(index[:m], i) {
			continue
		}
		row := grad[m*d : (m+1)*d]
		for o := m + 1; o < len(index); o++ {
			if index[o] == i {
				for j, g := range grad[o*d : (o+1)*d] {
					row[j] += g
				}
			}
		}
		lo, hi := i*d, (i+1)*d
		own := Adam{M: a.theta.M[lo:hi], V: a.theta.V[lo:hi], T: a.steps[i]}
		own.Ascend(a.state.Theta[lo:hi], row, a.options.ThetaRate)
		a.steps[i] = own.T
		a.P.Admit(a.state.Theta[lo:hi])
	}
}

// Snapshot returns the particles, their weights and both optimisers.
func (a *Particles) Snapshot() ([]byte, error) {
	return Encode(particleState{a.state, a.theta, a.steps})
}
