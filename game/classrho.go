package game

import (
	"math"
	"sync"
)

// cellRho is ρ̃ where queries are classes. With D the cells in which the predictions of z and z_* differ and w_c their weights
//
//	ρ̃(θ) = Σ_c max_{z: c ∈ D} w_c·(Σ_{D} w)/gap²
type cellRho struct {
	p       *Problem
	weights []float64 // [cells]
	class   []int32   // the query that each hypothesis predicts in each cell, [|Z|, cells]
	pool    sync.Pool
}

type cellScratch struct {
	in    Instance
	base  []float64 // (Σ_D w)/gap² of each z, [|Z|]
	ratio []float64 // [cells]
	by    []int     // the z that has it, [cells]
}

func classRho(p *Problem) Difficulty {
	cells := p.Labels.Cells()
	r := &cellRho{p: p, weights: p.Weights(), class: p.Predictions()}
	r.pool.New = func() any {
		return &cellScratch{base: make([]float64, p.Hypotheses()), ratio: make([]float64, cells), by: make([]int, cells)}
	}
	return r
}

func (r *cellRho) row(k int) []int32 {
	cells := len(r.weights)
	return r.class[k*cells : (k+1)*cells]
}

// Of returns ρ̃(θ), +Inf where two hypotheses are best. O(|Z|·(|X| + cells)).
func (r *cellRho) Of(theta []float64) float64 {
	s := r.pool.Get().(*cellScratch)
	defer r.pool.Put(s)
	return r.fill(s, theta)
}

func (r *cellRho) fill(s *cellScratch, theta []float64) float64 {
	r.p.Fill(&s.in, theta)
	if s.in.Many {
		return math.Inf(1)
	}
	for c := range s.ratio {
		s.ratio[c], s.by[c] = 0, -1
	}
	star := r.row(s.in.Best)
	for k, v := range s.in.Value {
		if k == s.in.Best {
			continue
		}
		row, differ := r.row(k), 0.0
		for c, w := range r.weights {
			if row[c] != star[c] {
				differ += w
			}
		}
		gap := s.in.Max - v
		s.base[k] = differ / (gap * gap)
		for c, w := range r.weights {
			if ratio := w * s.base[k]; row[c] != star[c] && ratio > s.ratio[c] {
				s.ratio[c], s.by[c] = ratio, k
			}
		}
	}
	var sum float64
	for _, v := range s.ratio {
		sum += v
	}
	return sum
}

// Grad: ∂gap/∂θ_i = ±w_c/2 at the two queries of a cell in D, so ∇ρ̃ = −Σ_c 2·ratio_c/gap·∇gap, a subgradient.
func (r *cellRho) Grad(dst, theta []float64) float64 {
	s := r.pool.Get().(*cellScratch)
	defer r.pool.Put(s)
	clear(dst)
	rho := r.fill(s, theta)
	if math.IsInf(rho, 1) {
		return rho
	}
	star := r.row(s.in.Best)
	for c, k := range s.by {
		if k < 0 {
			continue
		}
		// All cells that share this z are taken together.
		sum := 0.0
		for o := c; o < len(s.by); o++ {
			if s.by[o] == k {
				sum += s.ratio[o]
				s.by[o] = -1
			}
		}
		scale, row := -2*sum/(s.in.Max-s.in.Value[k]), r.row(k)
		for o, w := range r.weights {
			if row[o] != star[o] {
				dst[star[o]] += scale * w / 2
				dst[row[o]] -= scale * w / 2
			}
		}
	}
	return rho
}
