package adversary

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"mapo/game"
	"mapo/rng"
)

const (
	annealBegin = .1   // τ of softmax(loss/τ) as a share of the losses' range, at the start of a phase
	annealEnd   = 1e-3 // and at its end, falling geometrically
)

// Annealed is the default adversary on a finite Θ whose losses are known exactly. It plays softmax(loss/τ), a softened best
// response. τ falls over a phase.
type Annealed struct {
	Setting
	mix   Mixture
	rho   []float64 // 𝒞(θ), [N]
	parts int       // gradients that are taken in an iteration
	phase Phase
	done  float64   // iterations of the phase behind it
	part  int       // gradients taken in this one
	mean  []float64 // the last losses, scaled, [N]
	prob  []float64 // what each instance counted for, [N]
}

// NewAnnealed returns an adversary on the rows, each [|X|], that is drawn so many times an iteration.
func NewAnnealed(s Setting, rows [][]float64, parts int) *Annealed {
	n := len(rows)
	a := &Annealed{Setting: s, mix: *Rows(rows), parts: parts, mean: make([]float64, n), prob: make([]float64, n)}
	for _, row := range rows {
		a.rho = append(a.rho, s.C.Of(row))
	}
	return a
}

// Enter begins a phase, or goes on in it from the last losses.
func (a *Annealed) Enter(ph Phase, snapshot []byte) error {
	a.phase = ph
	if snapshot == nil {
		return nil
	}
	var err error
	a.mean, err = restored(snapshot, func(mean *[]float64) bool { return len(*mean) == a.mix.N() })
	return err
}

// Prepare notes the iteration.
func (a *Annealed) Prepare(_ context.Context, _ game.Policy, iteration int) (int64, error) {
	a.done, a.part = float64(iteration), 0
	return 0, nil
}

// Draw gives the whole of Θ, with the temperature of the response to its losses in place of a draw.
func (a *Annealed) Draw(b *Batch, _ rng.Key) {
	b.Reset(a.mix.N(), a.P.Queries())
	copy(b.Theta, a.mix.Theta)
	for i, rho := range a.rho {
		b.Benchmark[i] = a.phase.Benchmark(rho)
	}
	done := (a.done + float64(a.part)/float64(a.parts)) / float64(a.phase.Iters)
	a.part++
	b.Temperature = math.Pow(annealBegin, 1-done) * math.Pow(annealEnd, done)
}

// Observe notes the losses and returns the largest.
func (a *Annealed) Observe(b *Batch, g *Games) Diagnostics {
	for i, v := range g.Mean {
		a.mean[i] = a.phase.Scale * v
	}
	nan := math.NaN()
	return Diagnostics{Worst: floats.Max(g.Mean), Feasible: nan, Barrier: nan, Entropy: b.Respond(a.prob, g.Mean), ThetaGrad: nan, WGrad: nan}
}

// Hardest returns the instances within the last level with the largest losses.
func (a *Annealed) Hardest(n int) [][]float64 {
	return strongest(&a.Setting, &a.mix, a.mean, a.R[len(a.R)-1], n).Instances()
}

// Snapshot returns the last losses.
func (a *Annealed) Snapshot() ([]byte, error) { return Encode(a.mean) }
