package difficulty

import (
	"context"
	"fmt"
	"math"

	"mapo/game"
)

// Gap is the relative duality gap at which [Star] and [Design] stop.
const Gap = 1e-3

// Star computes ρ_*(θ) of Section 2 with its design:
//
//	ρ_*(θ) = min_λ max_{z ≠ z_*} ‖z_* − z‖²_{A(λ)⁻¹} / ⟨z_* − z, θ⟩²
//	       = min_λ max_{z ≠ z_*} Σ_i (1/λ_i) (z_* − z)_i² / ⟨z_* − z, θ⟩²,
//
// λ over the simplex, A(λ) = Σ_i λ_i e_i e_iᵀ, or Σ_x λ_x x xᵀ with [game.Vectors]. With offsets ⟨z_* − z, θ⟩ is the difference of the scores. The result is a bracket: ρ_* is in [rho·(1−gap), rho], gap ≤ [Gap]. rho, the upper
// end, is the value that lambda, [|X|], attains. ρ_* ≤ ρ̃ therefore holds of the
// lower end; rho itself may exceed ρ̃ by the gap where they are equal, as between two arms. Where z_*(θ) is not unique, rho is
// +Inf and lambda nil. λ_i is 0 where all hypotheses agree, and where queries are
// classes at all but the first of a cell, which has the cell's share.
// Without offsets ρ_*(cθ) = ρ_*(θ)/c². Takes tens of steps of O(|Z||X|) each; it may be called
// concurrently.
func Star(p *game.Problem, theta []float64) (rho float64, lambda []float64, gap float64, err error) {
	in := p.Instance(theta)
	if in.Many {
		return math.Inf(1), nil, 0, nil
	}
	s := classOf(p).star(p, in)
	if rho, lambda, gap, err = s.solve(context.Background(), Gap); err != nil {
		return 0, nil, 0, fmt.Errorf("ρ_* of %v: %w", theta, err)
	}
	return rho, lambda, gap, nil
}

// star solves ρ_* where queries are the standard basis.
type star struct{ *solver }

// newStar sets the problem of one instance up.
func newStar(p *game.Problem, in *game.Instance) designer {
	cols, asks := make([]column, 0, p.Hypotheses()-1), p.Questions()
	for k, v := range in.Value {
		if k != in.Best {
			cols = append(cols, columnOf(p, asks, in.Best, k, 1/((in.Max-v)*(in.Max-v))))
		}
	}
	s := newSolver(p.Queries())
	s.add(cols)
	return star{s}
}

func (s star) solve(_ context.Context, tol float64) (rho float64, lambda []float64, gap float64, err error) {
	err = s.solver.solve(tol)
	return s.upper, s.lambda(), max(0, 1-s.lower/s.upper), err
}

// grad: by the envelope theorem, with λ the design and w the dual weights,
// ∇ρ_* = Σ_z w_z f_z(λ)·(−2/gap_z)·(z_* − z). Its own error is of the order
// of the gap's square root.
func (s star) grad(dst []float64, p *game.Problem, in *game.Instance) {
	best := p.Row(in.Best)
	for j := range s.cols {
		c := &s.cols[j]
		scale := -2 * s.dual[j] * c.of(s.design) * math.Sqrt(c.scale)
		z := p.Row(c.b)
		for _, at := range c.on {
			lo, hi := p.Together(int(at))
			for i := lo; i < hi; i++ {
				dst[i] += scale * float64(best[i]-z[i])
			}
		}
	}
}

// columnOf returns the pair a, b of p's hypotheses. The columns of a question are asked together: where there are several its first
// stands for all, with the square of the question's weight.
func columnOf(p *game.Problem, asks game.Questions, a, b int, scale float64) column {
	c := newColumn(a, b, p.Row(a), p.Row(b), scale)
	on, by := c.on[:0], c.by[:0]
	for j, i := range c.on {
		lo, hi := asks.Columns(asks.Of(int(i)))
		switch n := len(on); {
		case hi == lo+1:
			on, by = append(on, i), append(by, c.by[j])
		case n == 0 || on[n-1] != int32(lo):
			on, by = append(on, int32(lo)), append(by, 4*c.by[j])
		}
	}
	c.on, c.by = on, by
	return c
}

// RhoStar returns ρ_* of p as a [game.Difficulty]: the upper end of [Star]'s bracket, so that an
// instance said to be within a level is. It panics where [Star] would return an error.
func RhoStar(p *game.Problem) game.Difficulty { return rhoStar{p, Gap, classOf(p).star} }

type rhoStar struct {
	p    *game.Problem
	tol  float64
	star func(p *game.Problem, in *game.Instance) designer
}

func (r rhoStar) Of(theta []float64) float64 {
	return r.Grad(make([]float64, len(theta)), theta)
}

func (r rhoStar) Grad(dst, theta []float64) float64 {
	clear(dst)
	in := r.p.Instance(theta)
	if in.Many {
		return math.Inf(1)
	}
	s := r.star(r.p, in)
	rho, _, _, err := s.solve(context.Background(), r.tol)
	if err != nil {
		panic(fmt.Sprintf("difficulty: ρ_* of %v: %v", theta, err))
	}
	s.grad(dst, r.p, in)
	return rho
}
