package adversary

import (
	"context"
	"math"
	"math/rand/v2"

	"mapo/adversary/search"
	"mapo/game"
	"mapo/game/sim"
	"mapo/rng"
)

// MeanOptions are how instances are weighted by their mean losses.
type MeanOptions struct {
	Temperature float64 // τ of softmax(mean loss/τ), in deviations of a game's loss around its instance's mean
	Hedge       int     // iterations in which a lead in mean loss adds once more to a logit, at hedgedTau times the τ; 0: never
}

const (
	meanMemory  = 0.05 // the share a new mean takes in an instance's running mean, for each iteration since the last
	meanFresh   = 0.1  // and at most
	uniformDraw = 0.2  // the share of draws made uniformly over the set
	mostLead    = 6    // the largest lead, and its negative the least
	hedgedTau   = 4    // how many times as large τ is with leads: less of the means' noise gets into the weights
)

// Means is the default adversary on a finite Θ: instances that stay, weighted by a softmax of their running mean losses and,
// with MeanOptions.Hedge, of what they led by so far (optimistic Hedge; Syrgkanis, Agarwal, Luo and Schapire 2015).
type Means struct {
	Setting
	options   MeanOptions
	rows      [][]float64
	phase     Phase
	iteration int
	state     meanState

	draw    rng.Generator
	prob    []float64 // softmax(w), [N]
	mix     []float64 // the distribution I_m is drawn from, [N]
	cdf     []float64 // its sums, [N]
	entropy float64   // of prob over log N
}

// meanState is what Means needs to go on.
type meanState struct {
	Mixture
	Mean     []float64 // running mean of each instance's scaled loss less its benchmark, [N]
	Lead     []float64 // what each mean was above the mixture's, added up, in logits, [N]
	Last     []int     // the iteration in which each was last played, [N]
	Variance float64   // of a game's scaled loss around its instance's mean; 0: not known yet
}

// NewMeans returns an adversary on the rows, each [|X|].
func NewMeans(s Setting, rows [][]float64, o MeanOptions) *Means {
	return &Means{Setting: s, options: o, rows: rows}
}

// Enter begins a phase, or goes on in it.
func (a *Means) Enter(ph Phase, snapshot []byte) error {
	if snapshot == nil {
		a.begin(ph, Rows(a.rows))
		return nil
	}
	var err error
	a.phase = ph
	a.state, err = restored(snapshot, func(s *meanState) bool { return s.fits(a.P.Queries()) && s.N() == len(a.rows) })
	return err
}

// begin begins a phase, a fresh one with the instances of ps, whose losses are not known yet.
func (a *Means) begin(ph Phase, ps *Mixture) {
	a.phase, a.iteration, a.state.Variance = ph, 0, 0
	if ph.Fresh {
		n := ps.N()
		a.state = meanState{Mixture: *ps, Mean: make([]float64, n), Lead: make([]float64, n), Last: make([]int, n)}
	}
}

// Prepare notes the iteration.
func (a *Means) Prepare(_ context.Context, _ game.Policy, iteration int) (int64, error) {
	a.iteration = iteration
	return 0, nil
}

// Draw sets the logits w to mean/τ + lead, and draws I_m from (1−u)·softmax(w) + u/N. Importances make up for u.
func (a *Means) Draw(b *Batch, key rng.Key) { a.drawBy(b, a.draw.Of(key.Name("draw"))) }

func (a *Means) drawBy(b *Batch, rand *rand.Rand) {
	ps, tau := &a.state.Mixture, a.tau()
	for i, v := range a.state.Mean {
		ps.W[i] = v/tau + a.state.Lead[i]
	}
	n := ps.N()
	a.prob, a.mix, a.cdf = sim.Zeros(a.prob, n), sim.Zeros(a.mix, n), sim.Zeros(a.cdf, n)
	a.entropy = ps.Probabilities(a.prob)
	for i, p := range a.prob {
		a.mix[i] = (1-uniformDraw)*p + uniformDraw/float64(n)
	}
	b.take(&a.Setting, &a.phase.Objective, ps, a.mix, a.cdf, rand)
	for m, i := range b.Index {
		b.Importance[m] = a.prob[i] / a.mix[i]
	}
	b.Scale = 1 / a.deviation()
}

// Observe takes an iteration's means into the set's: the mean of an instance that was last played long ago counts for less.
func (a *Means) Observe(b *Batch, g *Games) Diagnostics {
	s := &a.state
	for m, i := range b.Index {
		age := max(1, float64(a.iteration-s.Last[i]))
		share := min(meanFresh, 1-math.Pow(1-meanMemory, age))
		s.Mean[i] += share * (g.Mean[m] - s.Mean[i])
		s.Last[i] = a.iteration
	}
	a.lead()
	var sum float64
	for _, v := range g.Variance[:len(b.Index)] {
		sum += v / float64(len(b.Index))
	}
	if s.Variance == 0 {
		s.Variance = sum
	}
	s.Variance += meanMemory * (sum - s.Variance)
	nan := math.NaN()
	return Diagnostics{Worst: a.worst() / a.phase.Scale, Feasible: nan, Barrier: nan, Entropy: a.entropy, ThetaGrad: nan, WGrad: nan}
}

// worst returns the mean loss under softmax(w), training's own estimate of the maximum.
func (a *Means) worst() (sum float64) {
	for i, p := range a.prob {
		sum += p * a.state.Mean[i]
	}
	return sum
}

// lead adds to Lead how far each mean is above the mixture's. The weights are then those of optimistic Hedge with
// η = 1/(τ·hedge), but that the last losses count for as much as so many iterations do. By the means alone an instance has e
// times the weight of another only where it loses τ more; with leads their losses end up equal.
func (a *Means) lead() {
	if a.options.Hedge == 0 {
		return
	}
	mixture, by := a.worst(), 1/(a.tau()*float64(a.options.Hedge))
	for i, v := range a.state.Mean {
		a.state.Lead[i] = max(-mostLead, min(mostLead, a.state.Lead[i]+by*(v-mixture)))
	}
}

// tau returns τ in the units of the means.
func (a *Means) tau() float64 {
	tau := a.options.Temperature * a.deviation()
	if a.options.Hedge > 0 {
		tau *= hedgedTau
	}
	return tau
}

// deviation returns that of a game's loss around its instance's mean, as observed so far; 1 before the first game.
func (a *Means) deviation() float64 {
	if a.state.Variance == 0 {
		return 1
	}
	return math.Sqrt(a.state.Variance)
}

// Hardest returns the instances within the last level with the largest means.
func (a *Means) Hardest(n int) [][]float64 {
	return strongest(&a.Setting, &a.state.Mixture, a.state.Mean, a.R[len(a.R)-1], n).Instances()
}

// strongest returns up to n different instances within the level, in falling order of their means.
func strongest(s *Setting, ps *Mixture, mean []float64, level float64, n int) *search.Bank {
	bank, rho := new(search.Bank), make([]float64, ps.N())
	for i := range rho {
		rho[i] = s.C.Of(ps.At(i))
	}
	for range min(n, ps.N()) {
		best, at := math.Inf(-1), -1
		for i, v := range mean {
			if v > best && rho[i] <= level && !bank.Has(ps.At(i)) {
				best, at = v, i
			}
		}
		if at < 0 {
			break
		}
		bank.Put(ps.At(at))
	}
	return bank
}

// Snapshot returns the instances and what is known of their losses.
func (a *Means) Snapshot() ([]byte, error) { return Encode(&a.state) }

// fits reports whether the sizes agree with each other and with d queries.
func (s *meanState) fits(d int) bool {
	n := s.N()
	return s.Mixture.fits(d) && len(s.Mean) == n && len(s.Lead) == n && len(s.Last) == n
}
