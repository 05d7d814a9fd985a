package game

import (
	"math"
	"sync"
)

// RhoTilde computes ρ̃ of p (Eq. 1, Cao and Krishnamurthy 2017). With a = z − z_* and gap the score of z_* less that of z,
//
//	ρ̃(θ) = Σ_i max_z |a_i|·‖a‖₁ / gap²
//
// which for 𝒵 of 0 and 1 is Σ_i max_{z : z_i ≠ z_{*,i}} ‖a‖²/⟨a, θ⟩². A query on which all hypotheses agree adds nothing.
// Where queries are classes the sum is over cells, with Σ_i |a_i| of a cell's queries in place of |a_i|: distances are over
// items. max_z ‖a‖₁²/gap² ≤ ρ_* ≤ ρ̃. On the θ for which one hypothesis is best ρ̃ is convex. Without offsets ρ̃(cθ) = ρ̃(θ)/c².
// Costs O(|Z||X|).
//
// With [Vectors] a are the weights of least ℓ1 norm that make up z − z_* of the queries.
func RhoTilde(p *Problem) Difficulty {
	r := &rhoTilde{p: p, of: entries{p}}
	places := p.Queries()
	switch {
	case p.isClasses():
		r.of, places = newCells(p), p.pool().Cells()
	case p.vectors() != nil:
		r.of = spanned{p}
	}
	r.pool.New = func() any {
		return &rhoScratch{base: make([]float64, p.Hypotheses()), size: make([]float64, places), ratio: make([]float64, places), by: make([]int, places)}
	}
	return r
}

// rhoTilde is ρ̃ over places, which are queries or cells. The rest is the same whatever a is.
type rhoTilde struct {
	p    *Problem
	of   differences
	pool sync.Pool // of *rhoScratch
}

// differences are what a = z − z_* is at each place.
type differences interface {
	// weigh works out s.base of hypothesis k, and enters |a_i|·‖a‖₁/gap² at the places where it is the largest so far.
	weigh(s *rhoScratch, k int)
	// add adds by times the gradient of the gap of hypothesis k to dst, [|X|].
	add(dst []float64, s *rhoScratch, k int, by float64)
}

// rhoScratch holds, per place i, the maximum so far and the z that has it.
type rhoScratch struct {
	in    Instance
	base  []float64 // ‖a‖₁/gap² of each z, [|Z|]
	size  []float64 // |a_i| of the z that has the maximum, [places]
	ratio []float64 // the maximum, [places]
	by    []int     // the z that has it, −1: none, [places]
}

// gap returns the score of z_* less that of hypothesis k.
func (s *rhoScratch) gap(k int) float64 { return s.in.Max - s.in.Value[k] }

func (r *rhoTilde) Of(theta []float64) float64 {
	s := r.pool.Get().(*rhoScratch)
	defer r.pool.Put(s)
	return r.fill(s, theta)
}

func (r *rhoTilde) fill(s *rhoScratch, theta []float64) float64 {
	r.p.Fill(&s.in, theta)
	if s.in.Many {
		return math.Inf(1)
	}
	for i := range s.ratio {
		s.ratio[i], s.by[i] = 0, -1
	}
	for k := range s.in.Value {
		if k != s.in.Best {
			r.of.weigh(s, k)
		}
	}
	var sum float64
	for _, v := range s.ratio {
		sum += v
	}
	return sum
}

// Grad: with a(i) of the maximiser at i, ∇ρ̃ = −Σ_i 2 |a(i)_i|·‖a(i)‖₁/gap³ · ∇gap, a subgradient where there are several.
func (r *rhoTilde) Grad(dst, theta []float64) float64 {
	s := r.pool.Get().(*rhoScratch)
	defer r.pool.Put(s)
	clear(dst)
	rho := r.fill(s, theta)
	if math.IsInf(rho, 1) {
		return rho
	}
	for i, k := range s.by {
		if k < 0 {
			continue
		}
		// All places that share this z are taken together.
		n := 0.0
		for j := i; j < len(s.by); j++ {
			if s.by[j] == k {
				n += s.size[j]
				s.by[j] = -1
			}
		}
		r.of.add(dst, s, k, -2*n*s.base[k]/s.gap(k))
	}
	return rho
}

// entries are the differences of entries of 𝒵.
type entries struct{ p *Problem }

func (e entries) weigh(s *rhoScratch, k int) {
	star, gap := e.p.Row(s.in.Best), s.gap(k)
	base := e.p.Distance(k, s.in.Best) / (gap * gap)
	s.base[k] = base
	for i, v := range e.p.Row(k) {
		size := math.Abs(float64(v - star[i]))
		if ratio := size * base; ratio > s.ratio[i] {
			s.ratio[i], s.size[i], s.by[i] = ratio, size, k
		}
	}
}

func (e entries) add(dst []float64, s *rhoScratch, k int, by float64) {
	star := e.p.Row(s.in.Best)
	for j, v := range e.p.Row(k) {
		dst[j] += by * float64(star[j]-v)
	}
}
