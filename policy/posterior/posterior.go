package posterior

import (
	"fmt"
	"math"
	"sync"

	"mapo/game"
)

// Posterior is p_β of one problem for some β. It may be used concurrently and
// does not allocate once its scratch has been made.
type Posterior struct {
	p     *game.Problem
	betas []float64
	odds  []float64   // log((1−β)/β), [len(betas)]
	power [][]float64 // ((1−β)/β)^−j for j = 0 … T, [len(betas)]
	fast  *lanes      // nil where the problem does not fit its 16-bit lanes
	pool  sync.Pool
}

// scratch is one worker's.
type scratch struct {
	exponent []float64 // [|Z|]
	weight   []float64 // [|Z|]
	sum      []float64 // [|X|]
	lane     laneScratch
}

// New returns the posterior on p for each of betas, in (0, ½). Costs O(|Z||X|).
func New(p *game.Problem, betas ...float64) *Posterior {
	q := &Posterior{p: p, betas: betas}
	for _, beta := range betas {
		if !(beta > 0 && beta < 0.5) {
			panic(fmt.Sprintf("posterior: beta is %v, want it in (0, 0.5)", beta))
		}
		odds := Odds(p, beta)
		power := make([]float64, p.T+1)
		for j := range power {
			power[j] = math.Exp(-odds * float64(j))
		}
		q.odds, q.power = append(q.odds, odds), append(q.power, power)
	}
	q.fast = newLanes(p, q.power)
	q.pool.New = func() any {
		sc := &scratch{
			exponent: make([]float64, p.Hypotheses()),
			weight:   make([]float64, p.Hypotheses()),
			sum:      make([]float64, p.Queries()),
		}
		if q.fast != nil {
			sc.lane = q.fast.scratch()
		}
		return sc
	}
	return q
}

// Odds returns what an exponent Σ_i z_i S_i is multiplied by: log((1−β)(C−1)/β), half of it where each agreement adds 2.
func Odds(p *game.Problem, beta float64) float64 {
	q := p.Questions()
	return math.Log((1-beta)*float64(q.Classes(0)-1)/beta) / q.Tells()
}

// Weights writes p_β(z | S) of every state and β to dst, [B, len(betas), |Z|],
// from s, [B, |X|]; each row sums to 1. The exponent is linear in S and computed
// once for all β: O(|Z|·(asked queries + len(betas))) a state.
func (q *Posterior) Weights(dst, s []float32) {
	n, states := q.p.Hypotheses(), q.states(s)
	q.check("Weights", len(dst), states*n)
	sc := q.pool.Get().(*scratch)
	defer q.pool.Put(sc)
	d := q.p.Queries()
	for b := range states {
		q.exponents(sc.exponent, s[b*d:(b+1)*d])
		for j := range q.betas {
			row := dst[(b*len(q.betas)+j)*n:][:n]
			q.weights(sc.weight, sc.exponent, j)
			for k, w := range sc.weight {
				row[k] = float32(w)
			}
		}
	}
}

// Marginals writes Σ_z p_β(z | S) (2z_i − 1), in [−1, 1], of every state, β and
// query to dst, [B, len(betas), |X|], from s, [B, |X|]. Where every S_i is a
// whole number and Σ|S_i| ≤ T, as in any game, hypotheses are counted by their
// exponent once for all β ([lanes]) in O(|Z||X|/4); elsewhere it is the plain
// sum, O(len(betas)·|Z||X|). Both agree to 1e-6 and the first leaves out
// hypotheses of total weight below 1e-12.
func (q *Posterior) Marginals(dst, s []float32) {
	d, states := q.p.Queries(), q.states(s)
	q.check("Marginals", len(dst), states*d)
	sc := q.pool.Get().(*scratch)
	defer q.pool.Put(sc)
	for b := range states {
		out := dst[b*len(q.betas)*d : (b+1)*len(q.betas)*d]
		row := s[b*d : (b+1)*d]
		if q.fast == nil || !q.fast.marginals(out, row, q.power, &sc.lane) {
			q.plain(out, row, sc)
		}
	}
}

// plain computes Marginals of one state as the formula reads, for any S.
func (q *Posterior) plain(dst, s []float32, sc *scratch) {
	d := q.p.Queries()
	q.exponents(sc.exponent, s)
	for j := range q.betas {
		q.weights(sc.weight, sc.exponent, j)
		clear(sc.sum)
		for k, w := range sc.weight {
			for i, z := range q.p.Says(k) {
				sc.sum[i] += w * float64(2*z-1)
			}
		}
		for i, v := range sc.sum {
			dst[j*d+i] = float32(v)
		}
	}
}

// exponents writes Σ_i z_i S_i less its maximum, so at most 0, to e, [|Z|]. It
// is ½ Σ_i (2z_i − 1) S_i but for what all hypotheses share, which normalising
// takes out; the maximum comes off so that no power overflows.
func (q *Posterior) exponents(e []float64, s []float32) {
	clear(e)
	d, says := q.p.Queries(), q.p.Expects()
	for i, v := range s {
		if v == 0 {
			continue
		}
		for k, at := 0, i; k < len(e); k, at = k+1, at+d {
			e[k] += float64(says[at] * v)
		}
	}
	top := math.Inf(-1)
	for _, v := range e {
		top = max(top, v)
	}
	for k := range e {
		e[k] -= top
	}
}

// weights writes the normalised powers of e, [|Z|], for beta number j.
func (q *Posterior) weights(w, e []float64, j int) {
	var total float64
	power := q.power[j]
	for k, v := range e {
		// In a game the exponents are whole numbers no lower than −T.
		if at := int(-v); at < len(power) && float64(-at) == v {
			w[k] = power[at]
		} else {
			w[k] = math.Exp(q.odds[j] * v)
		}
		total += w[k]
	}
	for k := range w {
		w[k] /= total
	}
}

// states returns B of s, [B, |X|].
func (q *Posterior) states(s []float32) int {
	d := q.p.Queries()
	if len(s)%d != 0 {
		panic(fmt.Sprintf("posterior: %d sums, want a multiple of %d", len(s), d))
	}
	return len(s) / d
}

// check panics where dst has not each·len(betas) entries.
func (q *Posterior) check(what string, have, each int) {
	if want := each * len(q.betas); have != want {
		panic(fmt.Sprintf("posterior: %s into %d entries, want %d", what, have, want))
	}
}
