package game

import (
	"math"
	"sync"
)

// vectorRho is ρ̃ of a problem with [Vectors], with a the weights of least ℓ1 norm with Σ_x a_x x = z_* − z.
type vectorRho struct {
	p    *Problem
	pool sync.Pool // of *rhoScratch
}

func newVectorRho(p *Problem) Difficulty {
	r := &vectorRho{p: p}
	r.pool.New = func() any {
		return &rhoScratch{base: make([]float64, p.Hypotheses()), ratio: make([]float64, p.Queries()), by: make([]int, p.Queries())}
	}
	return r
}

func (r *vectorRho) Of(theta []float64) float64 {
	s := r.pool.Get().(*rhoScratch)
	defer r.pool.Put(s)
	return r.fill(s, theta)
}

func (r *vectorRho) fill(s *rhoScratch, theta []float64) float64 {
	p := r.p
	p.Fill(&s.in, theta)
	if s.in.Many {
		return math.Inf(1)
	}
	for i := range s.ratio {
		s.ratio[i], s.by[i] = 0, -1
	}
	for k, v := range s.in.Value {
		if k == s.in.Best {
			continue
		}
		gap := s.in.Max - v
		a, _ := p.Difference(s.in.Best, k)
		s.base[k] = a.Norm / (gap * gap)
		for j, x := range a.On {
			if ratio := math.Abs(a.By[j]) * s.base[k]; ratio > s.ratio[x] {
				s.ratio[x], s.by[x] = ratio, k
			}
		}
	}
	var sum float64
	for _, v := range s.ratio {
		sum += v
	}
	return sum
}

// Grad: with z(x) the maximiser at x, ∇ρ̃ = −2 Σ_x |a_x|·‖a‖₁/gap³ · (z_* − z(x)), which is in the column space of 𝒳.
func (r *vectorRho) Grad(dst, theta []float64) float64 {
	s := r.pool.Get().(*rhoScratch)
	defer r.pool.Put(s)
	clear(dst)
	rho := r.fill(s, theta)
	if math.IsInf(rho, 1) {
		return rho
	}
	star := r.p.Row(s.in.Best)
	for i, k := range s.by {
		if k < 0 {
			continue
		}
		// All queries that share this z are taken together.
		sum := 0.0
		for j := i; j < len(s.by); j++ {
			if s.by[j] == k {
				sum += s.ratio[j]
				s.by[j] = -1
			}
		}
		scale := -2 * sum / (s.in.Max - s.in.Value[k])
		for j, v := range r.p.Row(k) {
			dst[j] += scale * float64(star[j]-v)
		}
	}
	return rho
}
