package game

import (
	"math"
	"sync"
)

// Decider recommends: it gives, for every state of a batch, the distribution over the hypotheses from which the
// recommendation is drawn. Like a [Policy] it is a pure function of the states, row by row. A policy that decides
// by another rule than [LeastSquares] is a Decider itself; see [DeciderOf].
type Decider interface {
	// Decide writes the distributions to dst, [B,|Z|]; a row sums to 1. It may be called concurrently.
	Decide(dst []float32, s States)
}

// DeciderOf returns the rule by which policy recommends on p: its own where it is a [Decider], else [LeastSquares].
func DeciderOf(p *Problem, policy Policy) Decider {
	if own, ok := policy.(Decider); ok {
		return own
	}
	return LeastSquares(p)
}

// Deciding returns policy with a rule of its own by which it recommends; its games end as before.
func Deciding(policy Policy, by Decider) Policy {
	return Stopping(deciding{policy, by}, StopperOf(policy))
}

type deciding struct {
	Policy
	Decider
}

// LeastSquares recommends ẑ, the hypothesis with the best score at the estimate θ̂ = S/N: argmax ⟨z, θ̂⟩ (Section 2 of the
// paper). Where p has [Shares] it is the row with the least squared distance over the queries asked,
// argmax Σ_{i: N_i>0} (z_i θ̂_i − z_i²/2). With [Vectors] θ̂ is the least squares of least norm ([Fit]). Hypotheses that are ruled out (States.Out) are not recommended. Ties within [Tie]
// share the probability (reading 4). Costs O(|Z|·(queries asked)) a state.
func LeastSquares(p *Problem) Decider {
	l := &leastSquares{Scorer: NewScorer(p)}
	n := l.n
	l.scratch.New = func() any { return &leastScratch{make([]float32, n), make([]int, 0, n)} }
	return l
}

// leastSquares is read-only.
type leastSquares struct {
	*Scorer
	scratch sync.Pool // of *leastScratch
}

type leastScratch struct {
	scores []float32 // [|Z|]
	tie    []int
}

// Decide writes the distributions over ties.
func (l *leastSquares) Decide(dst []float32, s States) {
	sc := l.scratch.Get().(*leastScratch)
	defer l.scratch.Put(sc)
	for b := range s.Len(l.d) {
		l.Score(sc.scores, s.N[b*l.d:(b+1)*l.d], s.S[b*l.d:(b+1)*l.d])
		if s.Out != nil {
			for k, out := range s.Out[b*l.n : (b+1)*l.n] {
				if out {
					sc.scores[k] = float32(math.Inf(-1))
				}
			}
		}
		sc.tie = Recommend(sc.tie[:0], sc.scores)
		row := dst[b*l.n : (b+1)*l.n]
		clear(row)
		for _, k := range sc.tie {
			row[k] = 1 / float32(len(sc.tie))
		}
	}
}

// Scorer computes what [LeastSquares] maximises, in units of [Problem.Unit]. Read-only once made; it may be used concurrently.
type Scorer struct {
	d, n    int
	nearest bool       // whether a query that was asked takes z_i²/2 off
	zt      []float32  // 𝒵 transposed, [|X|, |Z|]
	fits    *sync.Pool // of *Fit; nil: queries are the standard basis
	unit    float64    // what scores are relative to where there are fits
}

// NewScorer returns the scorer of p. Costs O(|Z||X|).
func NewScorer(p *Problem) *Scorer {
	d, n := p.Queries(), p.Hypotheses()
	if p.vectors() != nil {
		return &Scorer{d: d, n: n, unit: p.Span().Unit, fits: &sync.Pool{New: func() any { return p.NewFit() }}}
	}
	l := &Scorer{d: d, n: n, nearest: p.rows() != nil, zt: make([]float32, d*n)}
	unit := p.Unit()
	for k := range n {
		for i, z := range p.Row(k) {
			l.zt[i*n+k] = z / unit
		}
	}
	return l
}

// Score writes the hypotheses' scores in one state to dst, [|Z|]; with [Vectors] they are relative to [Span.Unit]. Costs
// O(|Z|·(queries asked)), with vectors O(Rank³) besides.
func (l *Scorer) Score(dst, n, s []float32 /* [|X|] */) {
	if l.fits != nil {
		f := l.fits.Get().(*Fit)
		f.Solve(n, s)
		f.Scores(dst, l.unit)
		l.fits.Put(f)
		return
	}
	clear(dst)
	for i, times := range n {
		if times == 0 || s[i] == 0 && !l.nearest {
			continue
		}
		mean := s[i] / times
		zt := l.zt[i*l.n : (i+1)*l.n]
		if !l.nearest {
			for k, z := range zt {
				dst[k] += z * mean
			}
			continue
		}
		for k, z := range zt {
			dst[k] += z * (mean - z/2)
		}
	}
}

// Recommend appends to tie the hypotheses whose score is within [Tie] of the best.
func Recommend(tie []int, scores []float32) []int {
	best := scores[0]
	for _, v := range scores {
		best = max(best, v)
	}
	for k, v := range scores {
		if v >= best-Tie {
			tie = append(tie, k)
		}
	}
	return tie
}
