package difficulty

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"weak"

	"mapo/game"
)

const (
	staticGap  = 1e-2       // the relative gap of [Static]: what comes of a finer one is a policy's rounding
	staticWork = 10_000_000 // up to which |Z|²/2·Rank² all pairs are taken in at once
	staticAdd  = 4          // times the rank pairs join in a round
)

// Static returns the static design of a problem of vectors over all pairs of hypotheses, [|X|], min_λ max ‖z − z'‖²_{A(λ)⁻¹} (the
// XY-allocation of Soare, Lazaric and Munos 2014), and nothing for other problems. Where there are many pairs, the farthest ones are taken in as they are needed: solve over
// those at hand, look over all pairs for ones that are farther, repeat. A look costs O(|Z|²·Rank). The design of the last
// problem is kept. The error is ctx's, where that is done first.
func Static(ctx context.Context, p *game.Problem) (lambda []float64, err error) {
	return classOf(p).static(ctx, p)
}

// lastStatic is the design of the last problem.
var lastStatic staticMemory

type staticMemory struct {
	lock   sync.Mutex
	of     weak.Pointer[float32] // the first entry of its Z
	lambda []float64
	err    error
}

func (m *staticMemory) design(ctx context.Context, p *game.Problem) ([]float64, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if of := weak.Make(&p.Z[0]); m.of != of {
		lambda, err := static(ctx, p, staticWork)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.of, m.lambda, m.err = of, lambda, err
	}
	return slices.Clone(m.lambda), m.err
}

// static works the design out. Up to so much work all pairs are taken in at once.
func static(ctx context.Context, p *game.Problem, most int) ([]float64, error) {
	fail := func(err error) ([]float64, error) { return nil, fmt.Errorf("the static design: %w", err) }
	span, n := p.Span(), p.Hypotheses()
	if n*(n-1)/2*span.Rank*span.Rank <= most {
		s := newVectorDesign(span, p.Queries(), allPairs(p))
		if err := s.solve(ctx, staticGap); err != nil {
			return fail(err)
		}
		return s.design, nil
	}
	s := newVectorDesign(span, p.Queries(), nil)
	far := newFarthest(p)
	_, more, ok := far.look(s, s.lambda, n)
	if !ok {
		return fail(errSingular)
	}
	s.add(more, 1)
	best, tol := math.Inf(1), 0.1
	var lambda []float64
	for range rounds {
		if err := s.solve(ctx, tol); err != nil {
			return fail(err)
		}
		worst, more, ok := far.look(s, s.design, staticAdd*span.Rank)
		if !ok {
			return fail(errSingular)
		}
		if worst < best {
			best, lambda = worst, slices.Clone(s.design)
		}
		gap := 1 - s.lower/best
		if gap <= staticGap {
			return lambda, nil
		}
		tol = max(staticGap*3/4, min(tol, gap/2)) // the bounds of those at hand meet a little nearer
		if len(more) > 0 {
			s.add(more, 0.1)
		}
	}
	return fail(errSlow)
}

// allPairs lists the differences of all pairs, [any, Rank].
func allPairs(p *game.Problem) (y []float64) {
	for a := range p.Hypotheses() {
		for b := range a {
			y = appendDifference(y, p.Span(), a, b)
		}
	}
	return y
}

func appendDifference(y []float64, span *game.Span, a, b int) []float64 {
	for j, v := range span.Hypothesis(a) {
		y = append(y, v-span.Hypothesis(b)[j])
	}
	return y
}

// farthest looks for the pairs of hypotheses that are farthest apart by a design.
type farthest struct {
	p     *game.Problem
	known map[[2]int]bool // taken in
	white []float64       // W·v, [|Z|, Rank]
}

func newFarthest(p *game.Problem) *farthest {
	return &farthest{p, map[[2]int]bool{}, make([]float64, p.Hypotheses()*p.Span().Rank)}
}

// look returns max ‖z − z'‖²_{A(λ)⁻¹}, and as new rows of y the farthest pair of each hypothesis with those before it, the
// farthest so many of them; false where A is singular.
func (f *farthest) look(s *vectorStar, lambda []float64, most int) (worst float64, y []float64, ok bool) {
	span, r := s.span, s.r
	clear(s.a)
	for x, by := range lambda {
		addSquare(s.a, span.Vector(x), by)
	}
	if !game.Cholesky(s.l, s.a, r) {
		return 0, nil, false
	}
	game.TriangularInverse(s.inverse, s.l, r)
	for k := range f.p.Hypotheses() {
		v, white := span.Hypothesis(k), f.white[k*r:(k+1)*r]
		for i := range white {
			white[i] = 0
			for j, w := range s.inverse[i*r : i*r+i+1] {
				white[i] += w * v[j]
			}
		}
	}
	type pair struct {
		a, b   int
		square float64
	}
	var all []pair
	for a := 1; a < f.p.Hypotheses(); a++ {
		it, own := pair{a: a}, f.white[a*r:(a+1)*r]
		for b := range a {
			square, other := 0.0, f.white[b*r:(b+1)*r]
			for i, v := range own {
				square += (v - other[i]) * (v - other[i])
			}
			if square > it.square {
				it.b, it.square = b, square
			}
		}
		worst = max(worst, it.square)
		if it.square > s.lower && !f.known[[2]int{it.a, it.b}] {
			all = append(all, it)
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.square, a.square) })
	for _, it := range all[:min(most, len(all))] {
		f.known[[2]int{it.a, it.b}] = true
		y = appendDifference(y, span, it.a, it.b)
	}
	return worst, y, true
}
