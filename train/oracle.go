package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"mapo/nn"
	"mapo/search"
	"mapo/sim"
)

// The oracle algorithm is a double oracle (McMahan, Gordon and Blum 2003): the
// policy plays a growing set of instances, weighted by a softmax of their mean
// losses, and every so often a search of the judge's kind adds the worst it finds
// against the policy of the moment in place of the weakest.

const (
	fullSet       = 144  // the set's size refreshEffort is meant for; smaller sets search less
	fullBatch     = 512  // likewise the games of an iteration
	oracleMemory  = 0.05 // the share a new mean takes in an instance's running mean, for each iteration since the last
	oracleFresh   = 0.1  // and at most
	oracleUniform = 0.2  // the share of draws made uniformly over the set
	oracleDropped = 8    // how many times as many as the set holds are remembered of those that left it
	leastFinals   = 8    // candidates a refresh keeps of each rung, at least
	oracleBank    = 16   // of the set's worst a refresh starts from, besides its own starts
	oracleGames   = 192  // fresh games an instance's running mean begins with, of smaller batches fewer
	thoroughAdds  = 2    // how many times as many a thorough refresh adds
	clipPsi       = 0.5  // the longest gradient a policy step takes
	mostLead      = 6    // the largest Lead, and its negative the least
	hedgedTau     = 4    // how many times as large τ is with Lead: less of the means' noise gets into the weights
)

// refreshEffort is the search of a refresh.
var refreshEffort = search.Effort{
	Starts: 192, Screen: 8, Brood: 32, Generations: 2, Corners: 12,
	Rungs: []search.Rung{{Keep: 56, Steps: 8, Games: 32, From: .08, To: .03}, {Keep: 18, Steps: 10, Games: 96, From: .05, To: .01}},
}

// judging is the judge's at desk scale, and a thorough refresh's.
var judging, _ = search.Efforts("desk")

// thorough reports whether a refresh now is one of the at most c.Thorough that search as the
// judge does, at .5 to .9 of the phase: what the others, ten times cheaper, do not find is a
// hole in the policy that ends up judged.
func (r *Run) thorough(ph phase) bool {
	c := &r.t.Config
	for j := range c.Thorough {
		at := int((.5 + .4*float64(j)/float64(max(1, c.Thorough-1))) * float64(ph.iters))
		if r.s.Iter >= at && r.s.Iter < at+c.Refresh {
			return true
		}
	}
	return false
}

// refresh brings the set up to date where the schedule says so. It is done at
// most once an iteration, also when the iteration is begun again.
func (r *Run) refresh(ctx context.Context, ph phase) error {
	c := &r.t.Config
	if r.t.Finite != nil || r.s.Iter%c.Refresh != 0 || r.s.Refreshed == r.s.Iter+1 {
		return nil
	}
	policy := nn.Policy(r.t.P, r.net)
	var steps atomic.Int64 // work is in environment steps, the adversary's included
	levels := r.hunted()
	effort, adds := r.effort(len(levels)), r.adds(len(levels), 1)
	if r.thorough(ph) {
		effort, adds = judging.Over(levels), r.adds(len(levels), thoroughAdds)
	}
	hunt := search.Search{
		P: r.t.P, C: r.t.C, Loss: ph.loss, Policy: policy, Levels: levels, Effort: effort,
		Bank: r.known(levels[len(levels)-1]), Key: r.t.Key.Name("refresh").At(r.s.Phase).At(r.s.Iter), Workers: r.t.Workers, Steps: &steps,
	}
	finds, err := hunt.Finds(ctx, adds)
	if err != nil {
		return err
	}
	// A find's own mean is that of a winner: it is played afresh.
	var theta []float64
	for _, f := range finds {
		theta = append(theta, f.Theta...)
	}
	play, games := sim.Play{P: r.t.P, Policy: policy, Workers: r.t.Workers}, r.batched(oracleGames, 32)
	sums, err := play.Instances(ctx, theta, games, hunt.Key.Name("afresh"), ph.loss)
	if err != nil {
		return err
	}
	for i, f := range finds {
		r.admit(f.Theta, r.scale(ph)*(sums[0][i].Mean()-r.shift(ph, f.Rho)))
	}
	r.s.Work += steps.Load() + int64(len(finds)*games*r.t.P.T)
	r.s.Refreshed = r.s.Iter + 1
	return nil
}

// hunted are the levels a refresh searches: the task's. Regret's worst instances are
// often far easier than the level allows, and hard to find below harder ones that
// lose less; so with one level a refresh searches all those below too, or every second
// keeps to one of them, in turn.
func (r *Run) hunted() []float64 {
	if r.t.Config.Below {
		levels := slices.Concat(r.t.R, r.lower)
		slices.Sort(levels)
		return levels
	}
	turn := r.s.Iter / r.t.Config.Refresh
	if len(r.lower) == 0 || turn%2 == 0 {
		return r.t.R
	}
	at := turn / 2 % len(r.lower)
	return r.lower[at : at+1]
}

// lower are the levels r/√2, r/2, r/√8 … above twice the least difficulty.
func lower(r, least float64) (levels []float64) {
	for r /= math.Sqrt2; r > 2*least; r /= math.Sqrt2 {
		levels = append(levels, r)
	}
	return levels
}

// effort is the refresh's on each of so many levels, its starts shared among them and in
// proportion to the set, its games in proportion to the batch.
func (r *Run) effort(levels int) search.Effort {
	e := refreshEffort
	e.Rungs = append([]search.Rung(nil), e.Rungs...)
	share := func(n, least int) int { return max(least, 2*n*min(r.t.Config.N, fullSet)/((levels+1)*fullSet)) }
	e.Starts, e.Brood = share(e.Starts, 12), share(e.Brood, 4)
	for i := range e.Rungs {
		e.Rungs[i].Keep = share(e.Rungs[i].Keep, 3)
		e.Rungs[i].Games = r.batched(e.Rungs[i].Games, 8)
	}
	e.Finals = max(leastFinals, r.adds(levels, 1))
	return e
}

// adds is how many instances of each of so many levels a refresh adds, or times as many: more
// to an empty set, else no more than leave two thirds of a small one.
func (r *Run) adds(levels, times int) int {
	c, k := &r.t.Config, len(r.t.R)
	n := min(times*max(2, c.Add/k), c.N/3/levels)
	if r.s.Particles.N() == 0 {
		n = max(n, min(c.N, fullSet)/k)
	}
	return max(2, n)
}

// batched is n games in proportion to the batch, n at most and no fewer than least.
func (r *Run) batched(n, least int) int {
	return min(n, max(least, n*r.t.Config.M*r.t.Config.L/fullBatch))
}

// known is what a refresh starts from besides its own starts: the set's worst within the level, and
// all that is remembered of those that left it.
func (r *Run) known(level float64) *search.Bank {
	bank := r.strongest(level, oracleBank)
	bank.Thetas = slices.AppendSeq(bank.Thetas, slices.Chunk(r.s.Dropped, r.t.P.Queries()))
	return bank
}

// strongest are up to n of the set's worst within the level.
func (r *Run) strongest(level float64, n int) *search.Bank {
	d, ps := r.t.P.Queries(), &r.s.Particles
	bank, rho := new(search.Bank), make([]float64, ps.N())
	for i := range rho {
		rho[i] = r.t.C.Of(ps.Theta[i*d : (i+1)*d])
	}
	for range min(n, ps.N()) {
		best, at := math.Inf(-1), -1
		for i, v := range r.s.Mean {
			theta := ps.Theta[i*d : (i+1)*d]
			if v > best && rho[i] <= level && !bank.Has(theta) {
				best, at = v, i
			}
		}
		if at < 0 {
			break
		}
		bank.Put(ps.Theta[at*d : (at+1)*d])
	}
	return bank
}

// Hardest are up to n instances that the adversary holds and the policy does worst
// on, as training sees it, the worst first: good starts for a judge. None where the
// adversary is not the double oracle's.
func (r *Run) Hardest(n int) [][]float64 {
	if !r.oracle() || len(r.s.Mean) == 0 {
		return nil
	}
	return r.strongest(r.t.R[len(r.t.R)-1], n).Instances()
}

// admit takes an instance into the set, for the weakest where the set is full; that one is
// among a search's starts from then on, as the policy may come to lose on it again.
func (r *Run) admit(theta []float64, mean float64) {
	d, ps := r.t.P.Queries(), &r.s.Particles
	if ps.N() < r.t.Config.N {
		ps.Theta = append(ps.Theta, theta...)
		ps.W = append(ps.W, 0)
		r.s.Mean, r.s.Lead, r.s.Last = append(r.s.Mean, mean), append(r.s.Lead, 0), append(r.s.Last, r.s.Iter)
		return
	}
	weakest := 0
	for i, v := range r.s.Mean {
		if v < r.s.Mean[weakest] {
			weakest = i
		}
	}
	r.s.Dropped = append(r.s.Dropped, ps.Theta[weakest*d:(weakest+1)*d]...)
	if most := oracleDropped * r.t.Config.N * d; len(r.s.Dropped) > most {
		r.s.Dropped = r.s.Dropped[len(r.s.Dropped)-most:]
	}
	copy(ps.Theta[weakest*d:], theta)
	r.s.Mean[weakest], r.s.Lead[weakest], r.s.Last[weakest] = mean, 0, r.s.Iter
}

// weigh sets the logits w to mean/τ, τ a share of the losses' deviation, plus Lead, and
// draws I_m from (1−u)·softmax(w) + u/N, with the importance each draw has.
func (r *Run) weigh(rand *rand.Rand) {
	ps, tau := &r.s.Particles, r.tau()
	for i, v := range r.s.Mean {
		ps.W[i] = v/tau + r.s.Lead[i]
	}
	r.prob = grown(r.prob, ps.N())
	r.particleEntropy = ps.Probabilities(r.prob)
	r.mix = grown(r.mix, ps.N())
	for i, p := range r.prob {
		r.mix[i] = (1-oracleUniform)*p + oracleUniform/float64(ps.N())
	}
	r.pick(r.mix, rand)
	for m, i := range r.idx {
		r.importance[m] = r.prob[i] / r.mix[i]
	}
}

// tau is τ, in the units of Mean.
func (r *Run) tau() float64 {
	tau := r.t.Config.Temperature * r.deviation()
	if r.t.Config.Hedge > 0 {
		tau *= hedgedTau
	}
	return tau
}

// lead adds to Lead how far each mean is above the mixture's: with that the weights are
// those of optimistic Hedge (Syrgkanis, Agarwal, Luo and Schapire 2015), η = 1/(τ·hedge), but
// that the last losses count for as much as so many iterations do. By the means alone an
// instance has e times the weight of another only where it loses τ more; with Lead they end up equal.
func (r *Run) lead() {
	if r.t.Config.Hedge == 0 {
		return
	}
	var mixture float64
	for i, p := range r.prob {
		mixture += p * r.s.Mean[i]
	}
	by := 1 / (r.tau() * float64(r.t.Config.Hedge))
	for i, v := range r.s.Mean {
		r.s.Lead[i] = max(-mostLead, min(mostLead, r.s.Lead[i]+by*(v-mixture)))
	}
}

// deviation is that of a game's loss around its instance's mean, as run so far.
func (r *Run) deviation() float64 {
	if r.s.Variance == 0 {
		return 1
	}
	return math.Sqrt(r.s.Variance)
}

// remember takes an iteration's means into the set's: what was last seen long ago
// counts for less.
func (r *Run) remember() {
	for m, i := range r.idx {
		age := max(1, float64(r.s.Iter-r.s.Last[i]))
		share := min(oracleFresh, 1-math.Pow(1-oracleMemory, age))
		r.s.Mean[i] += share * (r.mean[m] - r.s.Mean[i])
		r.s.Last[i] = r.s.Iter
	}
	r.lead()
	var sum float64
	for _, v := range r.variance[:len(r.idx)] {
		sum += v / float64(len(r.idx))
	}
	if r.s.Variance == 0 {
		r.s.Variance = sum
	}
	r.s.Variance += oracleMemory * (sum - r.s.Variance)
}

// setWorst is training's own estimate: the mean loss under softmax(w).
func (r *Run) setWorst(ph phase) float64 {
	var sum float64
	for i, p := range r.prob {
		sum += p * r.s.Mean[i]
	}
	return sum / r.scale(ph)
}

// clip shortens gradPsi to clipPsi, and returns its length before.
func clip(grad []float32) float64 {
	norm := norm32(grad)
	if norm > clipPsi {
		by := float32(clipPsi / norm)
		for i := range grad {
			grad[i] *= by
		}
	}
	return norm
}
