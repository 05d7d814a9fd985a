package game

import (
	"math"
	"sync"
)

// Edge is ε of reading 2: what an adversary moves stays in |θ_i| ≤ 1 − Edge,
// because Eq. 10 is biased at 1, where the impossible answer is never drawn,
// and its variance grows like 1/(1−θ²) just inside.
const Edge = 1e-3

// Clip brings θ, [any], back into the box |θ_i| ≤ 1 − [Edge] (reading 2).
func Clip(theta []float64) {
	for i, v := range theta {
		theta[i] = max(Edge-1, min(1-Edge, v))
	}
}

// MostLevel is the highest level r there may be, far above any that tells policies apart.
const MostLevel = 1e9

// Difficulty is 𝒞: how hard an instance is. Implementations may be called
// concurrently.
type Difficulty interface {
	// Of is 𝒞(θ), in (0, ∞]; +Inf where z_*(θ) is not unique.
	Of(theta []float64) float64
	// Grad writes ∇𝒞(θ) to dst, [|X|], and returns 𝒞(θ); dst is 0 where 𝒞 is +Inf.
	Grad(dst, theta []float64) float64
}

// RhoTilde is ρ̃ of p (Eq. 1, Cao and Krishnamurthy 2017). With a = z − z_* and gap the score of z_* less that of z,
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
	if p.IsClasses() {
		return classRho(p)
	}
	if p.Vectors != nil {
		return newVectorRho(p)
	}
	r := &rhoTilde{p: p}
	r.pool.New = func() any {
		return &rhoScratch{base: make([]float64, p.Hypotheses()), ratio: make([]float64, p.Queries()), by: make([]int, p.Queries())}
	}
	return r
}

type rhoTilde struct {
	p    *Problem
	pool sync.Pool
}

// rhoScratch holds, per query i, the maximum so far and the z that has it.
type rhoScratch struct {
	in    Instance
	base  []float64 // ‖a‖₁/gap² of each z, [|Z|]
	ratio []float64 // [|X|]
	by    []int     // [|X|]
}

func (r *rhoTilde) Of(theta []float64) float64 {
	s := r.pool.Get().(*rhoScratch)
	defer r.pool.Put(s)
	return r.fill(s, theta)
}

func (r *rhoTilde) fill(s *rhoScratch, theta []float64) float64 {
	p := r.p
	p.Fill(&s.in, theta)
	if s.in.Many {
		return math.Inf(1)
	}
	for i := range s.ratio {
		s.ratio[i], s.by[i] = 0, -1
	}
	star := p.Row(s.in.Best)
	for k, v := range s.in.Value {
		if k == s.in.Best {
			continue
		}
		gap := s.in.Max - v
		base := p.Distance(k, s.in.Best) / (gap * gap)
		s.base[k] = base
		for i, v := range p.Row(k) {
			if ratio := math.Abs(float64(v-star[i])) * base; ratio > s.ratio[i] {
				s.ratio[i], s.by[i] = ratio, k
			}
		}
	}
	var sum float64
	for _, v := range s.ratio {
		sum += v
	}
	return sum
}

// Grad: with a(i) of the maximiser at i, ∇ρ̃ = Σ_i 2 |a(i)_i|·‖a(i)‖₁/gap³ · a(i), a subgradient where there are several.
func (r *rhoTilde) Grad(dst, theta []float64) float64 {
	s := r.pool.Get().(*rhoScratch)
	defer r.pool.Put(s)
	for i := range dst {
		dst[i] = 0
	}
	rho := r.fill(s, theta)
	if math.IsInf(rho, 1) {
		return rho
	}
	star := r.p.Row(s.in.Best)
	for i, k := range s.by {
		if k < 0 || s.ratio[i] == 0 {
			continue
		}
		// All queries that share this z are taken together.
		n, z := 0.0, r.p.Row(k)
		for j := i; j < len(s.by); j++ {
			if s.by[j] == k {
				n += math.Abs(float64(z[j] - star[j]))
				s.by[j] = -1
			}
		}
		scale := -2 * n * s.base[k] / (s.in.Max - s.in.Value[k])
		for j, v := range z {
			dst[j] += scale * float64(star[j]-v)
		}
	}
	return rho
}

// Omega is the set of instances an adversary may use: Θ^(R) = {θ : 𝒞(θ) ≤ R}.
type Omega struct {
	C Difficulty
	R float64
}

// Contains reports whether 𝒞(θ) ≤ R, up to rounding.
func (o Omega) Contains(theta []float64) bool { return Within(o.C.Of(theta), o.R) }

// Within reports whether an instance of difficulty 𝒞(θ) is in Θ^(r), with a part in 10⁹ for rounding.
func Within(rho, r float64) bool { return rho <= r*(1+1e-9) }

// LevelOf is k(θ) as an index from 0: of levels r_1 < … < r_K the least k with
// difficulty ≤ r_k, and the last for anything harder (reading 11).
func LevelOf(r []float64 /* [K] */, rho float64) int {
	for k := range r {
		if Within(rho, r[k]) {
			return k
		}
	}
	return len(r) - 1
}
