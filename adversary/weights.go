package adversary

import (
	"context"
	"math"

	"mapo/game"
	"mapo/game/sim"
	"mapo/rng"
)

// WeightOptions are how Algorithm 2's weights w ascend.
type WeightOptions struct {
	Rate        float64 // learning rate of w
	Entropy     float64 // λ_Gen-reg, the weight of the entropy of softmax(w)
	LeaveOneOut bool    // baselines of the other instances' means (reading 18); else Eq. 9 as printed
}

// Weights is Algorithm 2's adversary on a finite Θ: the instances stay, and w ascends by Eq. 9.
type Weights struct {
	Setting
	options WeightOptions
	rows    [][]float64
	phase   Phase
	state   weightState

	draw      rng.Generator
	prob, cdf []float64 // softmax(w) and its sums, [N]
	entropy   float64   // its entropy over log N
	excess    []float64 // ℒ_barrier/λ_barrier of those drawn, [A]
	grad      []float64 // Eq. 9, [N]
}

// weightState is what Weights needs to go on.
type weightState struct {
	Mixture
	Adam  Adam    // of w
	Worst running // mean loss of the feasible instances drawn
}

// NewWeights returns an adversary on the rows, each [|X|].
func NewWeights(s Setting, rows [][]float64, o WeightOptions) *Weights {
	return &Weights{Setting: s, options: o, rows: rows}
}

// Enter begins a phase, a fresh one with equal weights, or goes on in it.
func (a *Weights) Enter(ph Phase, snapshot []byte) error {
	a.phase = ph
	if snapshot == nil {
		if ph.Fresh {
			a.begin(Rows(a.rows))
		}
		a.state.Worst.Seen = false
		return nil
	}
	var err error
	a.state, err = restored(snapshot, func(s *weightState) bool { return s.fits(a.P.Queries()) && s.N() == len(a.rows) })
	return err
}

// fits reports whether the sizes agree with each other and with d queries.
func (s *weightState) fits(d int) bool { return s.Mixture.fits(d) && s.Adam.Fits(s.N()) }

// begin takes instances whose weights have not moved.
func (a *Weights) begin(ps *Mixture) {
	a.state.Mixture, a.state.Adam = *ps, *NewAdam(ps.N())
}

// Prepare does nothing.
func (a *Weights) Prepare(context.Context, game.Policy, int) (int64, error) { return 0, nil }

// Draw draws I_m ~ softmax(w).
func (a *Weights) Draw(b *Batch, key rng.Key) {
	n, d := a.state.N(), a.P.Queries()
	a.prob, a.cdf = sim.Zeros(a.prob, n), sim.Zeros(a.cdf, n)
	a.entropy = a.state.Probabilities(a.prob)
	b.take(&a.Setting, &a.phase.Objective, &a.state.Mixture, a.prob, a.cdf, a.draw.Of(key.Name("draw")))
	a.excess = sim.Zeros(a.excess, len(b.Index))
	for m := range a.excess {
		a.excess[m] = Excess(a.C.Of(b.Theta[m*d:(m+1)*d]), a.R[len(a.R)-1])
	}
}

// Observe moves w by the estimate of Eq. 9 and the gradient of its entropy (Algorithm 2).
func (a *Weights) Observe(b *Batch, g *Games) Diagnostics {
	out := a.measure(g)
	out.ThetaGrad, out.WGrad = math.NaN(), math.NaN()
	if a.phase.Frozen || a.options.Rate == 0 {
		return out
	}
	a.grad = sim.Zeros(a.grad, a.state.N())
	WGrad(a.grad, a.prob, b.Index, g.Mean[:len(b.Index)], a.options.LeaveOneOut)
	out.WGrad = norm(a.grad)
	EntropyGrad(a.grad, a.prob, a.options.Entropy)
	a.state.Adam.Ascend(a.state.W, a.grad, a.options.Rate)
	return out
}

// measure takes the losses of the feasible instances drawn into the running estimate of the worst case.
func (a *Weights) measure(g *Games) Diagnostics {
	var sum, feasible, barrier float64
	for m, excess := range a.excess {
		barrier += excess
		if excess == 0 {
			sum += g.Mean[m]
			feasible++
		}
	}
	n := float64(len(a.excess))
	if feasible > 0 {
		a.state.Worst.add(sum / feasible / a.phase.Scale)
	}
	return Diagnostics{Worst: a.state.Worst.Mean, Feasible: feasible / n, Barrier: barrier / n, Entropy: a.entropy}
}

// Snapshot returns the weights and their optimiser.
func (a *Weights) Snapshot() ([]byte, error) { return Encode(&a.state) }

// norm returns the Euclidean length of x.
func norm(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}
