package posterior

import (
	"math"
	"slices"
	"sync"

	"mapo/game"
)

// Reaches reports whether one row has at least that probability.
func (b *Belief) Reaches(confidence float64) bool { return slices.Max(b.Weight) >= confidence }

// Begun reports whether a game with so many answers to each query, [|X|], has any.
func Begun(answers []float32) bool {
	return slices.ContainsFunc(answers, func(n float32) bool { return n > 0 })
}

// Until returns the rule by which a game ends once it has an answer and one row has at least that probability. It stops in the
// states in which [Belief.Reaches] says so, and works many states out at once: by matrix products in float32, and by
// [Rows.Believe] where these leave it open. Costs O(|Z||X|) a value of ε.
func (r *Rows) Until(confidence float64) game.Stopper {
	u := &until{rows: r, confidence: confidence}
	if r.lax == nil && !r.shares.Other {
		u.quick = newFixed(r.p, r.noise.share)
	}
	u.pool.New = func() any { return u.scratch() }
	return u
}

type until struct {
	rows       *Rows
	confidence float64
	quick      *Fixed    // nil: exact answers may rule all rows out, or a hypothesis is none of the rows
	pool       sync.Pool // of *untilScratch
}

type untilScratch struct {
	belief Belief
	fixed  *FixedScratch
	weight [][]float32 // of each row by one ε, [values of ε][untilStates, N]
	logSum [][]float64 // of the ε's weights, [values of ε][untilStates]
	best   [][]int     // the row of the largest, [values of ε][untilStates]
	factor []float64   // what an ε counts for in a state, [values of ε]
	mixed  []float64   // the weights over all ε in a state, [N]
}

// untilStates is how many states are worked out at once.
const untilStates = 64

func (u *until) scratch() *untilScratch {
	sc := new(untilScratch)
	if u.quick == nil {
		return sc
	}
	sc.fixed = u.quick.Scratch(untilStates)
	for range u.quick.each {
		sc.weight = append(sc.weight, make([]float32, untilStates*u.quick.N))
		sc.logSum, sc.best = append(sc.logSum, make([]float64, untilStates)), append(sc.best, make([]int, untilStates))
	}
	sc.factor, sc.mixed = make([]float64, len(u.quick.each)), make([]float64, u.quick.N)
	return sc
}

// Stop writes to dst, [B], whether a row has the confidence in each state, false before the first answer.
func (u *until) Stop(dst []bool, s game.States) {
	sc := u.pool.Get().(*untilScratch)
	defer u.pool.Put(sc)
	d := u.rows.p.Queries()
	quick := u.quick != nil && s.Out == nil
	for lo := 0; lo < len(dst); lo += untilStates {
		part := s.Slice(lo, min(lo+untilStates, len(dst)), d)
		if quick {
			u.weigh(sc, part)
		}
		for b := range part.Len(d) {
			one := part.Row(b, d)
			if dst[lo+b] = Begun(one.N); !dst[lo+b] {
				continue
			}
			if quick {
				if over, sure := u.over(sc, b, one.N); sure {
					dst[lo+b] = over
					continue
				}
			}
			u.rows.Believe(&sc.belief, one.N, one.S, one.Out)
			dst[lo+b] = sc.belief.Reaches(u.confidence)
		}
	}
}

// weigh works the rows' weights out for each ε alone.
func (u *until) weigh(sc *untilScratch, s game.States) {
	states := s.Len(u.quick.d)
	u.quick.Scores(sc.fixed, s)
	for e := range u.quick.each {
		u.quick.sums(sc.weight[e], sc.fixed, e, states)
		copy(sc.logSum[e], sc.fixed.LogSum[:states])
		copy(sc.best[e], sc.fixed.best[:states])
	}
}

// over reports whether a row has the confidence in state b of those weighed, with so many answers to each query, and whether
// that is sure. Sums of logarithms in float32 are off by less than a part in 10⁷ of each sum and answer.
func (u *until) over(sc *untilScratch, b int, answers []float32) (over, sure bool) {
	top, total := math.Inf(-1), 0.
	for e := range sc.factor {
		top = max(top, sc.logSum[e][b])
	}
	for e := range sc.factor {
		sc.factor[e] = u.rows.noise.weight[e] * math.Exp(sc.logSum[e][b]-top)
		total += sc.factor[e]
	}
	asked := 0.
	for _, times := range answers {
		asked += float64(times)
	}
	near := 1e-4 + 1e-6*asked*asked
	most, one := u.most(sc, b)
	if most /= total; !one && most > u.confidence-near {
		most = u.mix(sc, b) / total
	}
	return most > u.confidence, math.Abs(most-u.confidence) > near
}

// most returns the largest weights of state b by each ε summed, which is what one row has if it is the same for all of them.
func (u *until) most(sc *untilScratch, b int) (most float64, one bool) {
	one = true
	for e, factor := range sc.factor {
		most += factor * float64(sc.weight[e][b*u.quick.N+sc.best[e][b]])
		one = one && sc.best[e][b] == sc.best[0][b]
	}
	return most, one
}

// mix returns the largest weight of a row of state b over all ε.
func (u *until) mix(sc *untilScratch, b int) float64 {
	clear(sc.mixed)
	for e, factor := range sc.factor {
		for j, w := range sc.weight[e][b*u.quick.N:][:u.quick.N] {
			sc.mixed[j] += factor * float64(w)
		}
	}
	return slices.Max(sc.mixed)
}
