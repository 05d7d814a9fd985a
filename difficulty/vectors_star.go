package difficulty

import (
	"context"
	"errors"
	"math"

	"mapo/game"
)

// vectorStar solves ρ_* of a problem of vectors,
//
//	ρ_* = min_λ max_z f_z(λ),  f_z = y_zᵀ A(λ)⁻¹ y_z, y_z = (z_* − z)/gap_z, A(λ) = Σ_x λ_x x xᵀ,
//
// in orthonormal coordinates. With weights w over the z, g = Σ_z w_z f_z and W = Σ_z w_z y_z y_zᵀ, d_x = xᵀA⁻¹WA⁻¹x is −∂g/∂λ_x.
// Both sides move multiplicatively: w_z ∝ w_z (f_z/g)^η, λ_x ∝ λ_x (d_x/g)^½. max_z f_z is an upper bound, and as g is convex
// in λ and Σ_x λ_x d_x = g, min_λ g ≥ g²/max_x d_x is a lower one.
type vectorStar struct {
	span *game.Span
	r    int
	y    []float64 // [|Z| − 1, r]
	by   []int     // which z each is, [|Z| − 1]

	w, f          []float64 // [|Z| − 1]
	lambda, d     []float64 // [|X|]
	a, l, inverse []float64 // [r, r]
	both          []float64 // A⁻¹WA⁻¹, [r, r]
	back          []float64 // A⁻¹y, [|Z| − 1, r]

	lower, upper float64
	design, dual []float64 // λ and w where upper is attained
}

// vectorDesigner is a vectorStar as [Star] has it.
type vectorDesigner struct{ *vectorStar }

func newVectorDesigner(p *game.Problem, in *game.Instance) designer {
	return vectorDesigner{newVectorStar(p, in)}
}

func (s vectorDesigner) solve(ctx context.Context, tol float64) (rho float64, lambda []float64, gap float64, err error) {
	err = s.vectorStar.solve(ctx, tol)
	return s.upper, s.design, max(0, 1-s.lower/s.upper), err
}

// newVectorStar sets the problem of one instance up.
func newVectorStar(p *game.Problem, in *game.Instance) *vectorStar {
	span, y := p.Span(), []float64(nil)
	var by []int
	for k, value := range in.Value {
		if k == in.Best {
			continue
		}
		for j, best := range span.Hypothesis(in.Best) {
			y = append(y, (best-span.Hypothesis(k)[j])/(in.Max-value))
		}
		by = append(by, k)
	}
	s := newVectorDesign(span, p.Queries(), y)
	s.by = by
	return s
}

// newVectorDesign sets min_λ max_y yᵀA(λ)⁻¹y up, y [any, Rank].
func newVectorDesign(span *game.Span, d int, y []float64) *vectorStar {
	r := span.Rank
	v := func(n int) []float64 { return make([]float64, n) }
	s := &vectorStar{span: span, r: r, lambda: v(d), d: v(d), a: v(r * r), l: v(r * r), inverse: v(r * r), both: v(r * r)}
	for x := range s.lambda {
		s.lambda[x] = 1 / float64(d)
	}
	s.add(y, 1)
	return s
}

// add takes y, [any, Rank], in; together they get so much of the weight.
func (s *vectorStar) add(y []float64, weight float64) {
	for k := range s.w {
		s.w[k] *= 1 - weight
	}
	n := len(y) / s.r
	for range n {
		s.w = append(s.w, weight/float64(n))
	}
	s.y = append(s.y, y...)
	s.f, s.back, s.upper = make([]float64, len(s.w)), make([]float64, len(s.y)), math.Inf(1)
}

const (
	vectorSteps = 100_000
	leastShare  = 1e-15 // of a weight, so that it can come back
	mostLeast   = 1e-8  // up to where the least share is raised
)

// solve moves until the bounds are a relative tol apart. Where queries say nothing of the
// differences, their shares fall until A is not invertible: the least share is raised then. The error is ctx's, where that is
// done first.
func (s *vectorStar) solve(ctx context.Context, tol float64) error {
	eta, last, least := 1.0, 0.0, leastShare
	for range vectorSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, top, ok := s.evaluate()
		if !ok && least < mostLeast {
			least *= 10
			shares(s.lambda, least)
			continue
		}
		if !ok {
			return errSingular
		}
		if top < s.upper {
			s.upper = top
			s.design, s.dual = append(s.design[:0], s.lambda...), append(s.dual[:0], s.w...)
		}
		most := 0.0
		for _, v := range s.d {
			most = max(most, v)
		}
		lower := g * g / most
		s.lower = max(s.lower, lower)
		if s.upper-s.lower <= tol*s.upper {
			return nil
		}
		if lower > last {
			eta = min(eta*grow, 8)
		} else {
			eta = max(0.25, eta/2)
		}
		last = lower
		by := min(eta, max(0.25, leap/math.Log(max(top/g, 1+1e-12))))
		for j, f := range s.f {
			s.w[j] *= math.Pow(f/g, by)
		}
		shares(s.w, leastShare)
		for x, d := range s.d {
			s.lambda[x] *= math.Sqrt(max(d, 0) / g) // d rounds below 0
		}
		shares(s.lambda, least)
	}
	return errSlow
}

var errSingular = errors.New("the design leaves differences without answers")

// shares makes weights sum to 1, none below the least.
func shares(w []float64, least float64) {
	var sum float64
	for _, v := range w {
		sum += v
	}
	for j, v := range w {
		w[j] = max(v/sum, least)
	}
}

// evaluate fills f and d at the current λ and w, and returns g and the largest f.
func (s *vectorStar) evaluate() (g, top float64, ok bool) {
	r := s.r
	clear(s.a)
	for x, by := range s.lambda {
		addSquare(s.a, s.span.Vector(x), by)
	}
	if !game.Cholesky(s.l, s.a, r) {
		return 0, 0, false
	}
	game.CholeskyInverse(s.inverse, s.l, r)
	clear(s.both)
	for k, w := range s.w {
		y, back := s.y[k*r:(k+1)*r], s.back[k*r:(k+1)*r]
		s.f[k] = 0
		for i := range r {
			back[i] = 0
			for j, v := range y {
				back[i] += s.inverse[i*r+j] * v
			}
			s.f[k] += back[i] * y[i]
		}
		g += w * s.f[k]
		top = max(top, s.f[k])
		addSquare(s.both, back, w)
	}
	for x := range s.d {
		u := s.span.Vector(x)
		s.d[x] = 0
		for i, v := range u {
			for j, w := range u {
				s.d[x] += v * s.both[i*r+j] * w
			}
		}
	}
	return g, top, true
}

// addSquare adds by·v·vᵀ to a, [r, r].
func addSquare(a, v []float64, by float64) {
	r := len(v)
	for i, x := range v {
		for j, y := range v {
			a[i*r+j] += by * x * y
		}
	}
}

// grad: as for the standard basis, ∇ρ_* = Σ_z w_z f_z·(−2/gap_z)·(z_* − z), w the dual weights.
func (s *vectorStar) grad(dst []float64, p *game.Problem, in *game.Instance) {
	copy(s.lambda, s.design)
	copy(s.w, s.dual)
	s.evaluate()
	best := p.Row(in.Best)
	for at, k := range s.by {
		scale := -2 * s.dual[at] * s.f[at] / (in.Max - in.Value[k])
		for i, z := range p.Row(k) {
			dst[i] += scale * float64(best[i]-z)
		}
	}
}
