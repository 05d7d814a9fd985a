package difficulty

import (
	"context"
	"math"

	"mapo/game"
)

const (
	mostCuts = 400  // steps of [polar.of]
	cutGap   = 1e-4 // how far from the largest ρ̃^(−1/2) it may end, relative to it
	inward   = 0.5  // how far towards the best point so far a cut is made
)

// polar finds the easiest instances of a problem of vectors, with a worker's scratch.
//
// Where hypothesis k is best f = ρ̃^(−1/2) is concave, and f(cμ) = c·f(μ): so f(μ) ≤ ⟨∇f(μ'), μ⟩ for any μ' of that cell, and
// f(μ) ≤ gap_z/‖a‖₁ for each other z. The largest f in the box that such cuts allow is a linear programme. Each of its
// solutions is in the cell and gives one more cut (Kelley 1960), or a point between it and the best so far does.
type polar struct {
	p    *game.Problem
	c    game.Difficulty
	span *game.Span
	grad []float64 // [|X|]
	at   []float64 // [|X|]
	eta  []float64 // [Rank]
	cut  []float64 // [Rank + 1]
}

func newPolar(p *game.Problem) *polar {
	s, d := p.Span(), p.Queries()
	return &polar{p, game.RhoTilde(p), s, make([]float64, d), make([]float64, d), make([]float64, s.Rank), make([]float64, s.Rank+1)}
}

// of writes about the easiest instance of hypothesis k within the box to best, [|X|], and returns the bounds on the least ρ̃:
// that of best, and one that no instance is below. Where hypothesis k is nowhere best alone, best is 0 and both are +Inf.
// Once ctx is done it ends with what it has.
func (o *polar) of(ctx context.Context, best []float64, k int) (rho, least float64) {
	clear(best)
	l := o.programme(ctx, k)
	rho = math.Inf(1)
	for range mostCuts {
		if ctx.Err() != nil {
			break
		}
		most := l.Solve()
		if !(most > leastGap) {
			return math.Inf(1), math.Inf(1)
		}
		least = 1 / (most * most)
		copy(o.eta, l.Dual())
		o.means(o.eta)
		if v := o.c.Of(o.at); v < rho {
			rho = v
			copy(best, o.at)
		}
		if most*math.Sqrt(rho) <= 1+cutGap {
			break
		}
		for i, v := range best { // between the two; in the cell, as that is convex
			o.at[i] = inward*v + (1-inward)*o.at[i]
		}
		if v := o.c.Of(o.at); v < rho {
			rho = v
			copy(best, o.at)
		}
		o.tangent(l)
		if o.means(o.eta); o.c.Of(o.at) < math.Inf(1) {
			o.tangent(l)
		}
	}
	return rho, least
}

// programme returns the linear programme of the box and the first cuts of hypothesis k, of which ctx's end leaves some out.
func (o *polar) programme(ctx context.Context, k int) *game.L1 {
	r := o.span.Rank
	l := game.NewL1(r + 1)
	column := make([]float64, r+1)
	for x := range o.p.Queries() {
		copy(column, o.span.Vector(x))
		l.Add(column, 1-game.Edge, false)
	}
	first := -1
	for other := range o.p.Hypotheses() {
		if other == k {
			continue
		}
		if first >= 0 && ctx.Err() != nil {
			break
		}
		norm := o.p.Distance(k, other)
		for j, v := range o.span.Hypothesis(k) {
			column[j] = -(v - o.span.Hypothesis(other)[j]) / norm
		}
		column[r] = 1
		if j := l.Add(column, 0, true); first < 0 {
			first = j
		}
	}
	w := make([]float64, r+1)
	w[r] = 1
	l.Start(w, append(append([]int(nil), o.span.Basis...), first))
	return l
}

// means fills o.at with U·η.
func (o *polar) means(eta []float64) {
	for x := range o.at {
		var v float64
		for j, u := range o.span.Vector(x) {
			v += u * eta[j]
		}
		o.at[x] = v
	}
}

// tangent adds the cut of f at o.at: its gradient is −½·ρ̃^(−3/2)·∇ρ̃.
func (o *polar) tangent(l *game.L1) {
	rho := o.c.Grad(o.grad, o.at)
	clear(o.cut)
	scale := 0.5 / (rho * math.Sqrt(rho))
	for x, g := range o.grad {
		for j, u := range o.span.Vector(x) {
			o.cut[j] += scale * g * u
		}
	}
	o.cut[len(o.cut)-1] = 1
	l.Add(o.cut, 0, true)
}
