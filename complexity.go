package mapo

import (
	"math"
	"math/bits"
	"slices"
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

// Complexity is 𝒞: how hard an instance is. Implementations may be called
// concurrently.
type Complexity interface {
	// Of is 𝒞(θ), in (0, ∞]; +Inf where z_*(θ) is not unique.
	Of(theta []float64) float64
	// Grad writes ∇𝒞(θ) to dst, [|X|], and returns 𝒞(θ); dst is 0 where 𝒞 is +Inf.
	Grad(dst, theta []float64) float64
}

// RhoTilde is ρ̃ of p (Eq. 1, Cao and Krishnamurthy 2017):
//
//	ρ̃(θ) = Σ_i max_{z : z_i ≠ z_{*,i}} ‖z − z_*‖² / ⟨z − z_*, θ⟩²
//
// A query on which all hypotheses agree adds nothing. ρ̃(cθ) = ρ̃(θ)/c², and
// ρ_* ≤ ρ̃. Costs O(|Z||X|).
func RhoTilde(p *Problem) Complexity {
	r := &rhoTilde{p: p}
	r.pool.New = func() any {
		return &rhoScratch{ratio: make([]float64, p.Queries()), by: make([]int, p.Queries())}
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
		z := p.Row(k)
		differ := 0
		for i, v := range z {
			if v != star[i] {
				differ++
			}
		}
		ratio := float64(differ) / (gap * gap)
		for i, v := range z {
			if v != star[i] && ratio > s.ratio[i] {
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

// Grad: with z(i) the maximiser at i, ∇ρ̃ = Σ_i −2 ‖z(i)−z_*‖²/gap³ · (z_* − z(i)).
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
		n := 0.0
		for j := i; j < len(s.by); j++ {
			if s.by[j] == k {
				n++
				s.by[j] = -1
			}
		}
		scale := -2 * n * s.ratio[i] / (s.in.Max - s.in.Value[k])
		for j, v := range r.p.Row(k) {
			dst[j] += scale * float64(star[j]-v)
		}
	}
	return rho
}

// LeastRho is ρ̃_min, the least ρ̃ of an instance with |θ_i| ≤ 1 − [Edge]
// (reading 8): min_z Σ_i 1/min{|D(z,z′)| : z′_i ≠ z_i} / (1−ε)², D the differing
// queries, reached at θ = (1−ε)(2z − 1). Costs O(|Z|²|X|) on bits, 64 at once.
func LeastRho(p *Problem) float64 { return slices.Min(VertexRho(p)) }

// VertexRho is ρ̃((1−ε)(2z − 1)) of every hypothesis, [|Z|]: the least it has where
// that hypothesis is best. Costs as [LeastRho].
func VertexRho(p *Problem) []float64 {
	rows := pack(p)
	near, order, open := make([]int, p.Queries()), make([]int, len(rows)), make([]uint64, len(rows[0]))
	rho := make([]float64, len(rows))
	for k, z := range rows {
		nearest(near, order, open, rows, z)
		for _, n := range near {
			if n > 0 {
				rho[k] += 1 / float64(n)
			}
		}
		rho[k] /= (1 - Edge) * (1 - Edge)
	}
	return rho
}

// nearest writes to dst, [|X|], the least |D(z,z′)| of a hypothesis z′ in rows
// with z′_i ≠ z_i, 0 where there is none. order, [|Z|], and open, a bit a query as
// in rows, are its scratch.
func nearest(dst, order []int, open []uint64, rows [][]uint64, z []uint64) {
	dist := func(k int) (n int) {
		for w, word := range rows[k] {
			n += bits.OnesCount64(word ^ z[w])
		}
		return n
	}
	// By distance, so that the first hypothesis to differ at a query settles it:
	// sorted as distance · |Z| + index.
	for k := range rows {
		order[k] = dist(k)*len(rows) + k
	}
	slices.Sort(order)
	clear(dst)
	for w := range open {
		open[w] = ^uint64(0)
	}
	left := len(dst)
	for _, at := range order {
		for w, word := range rows[at%len(rows)] {
			differ := (word ^ z[w]) & open[w]
			open[w] &^= differ
			for ; differ != 0; differ &= differ - 1 {
				dst[64*w+bits.TrailingZeros64(differ)] = at / len(rows)
				left--
			}
		}
		if left == 0 {
			return
		}
	}
}

// pack is 𝒵 with one bit an entry, [|Z|] rows of words.
func pack(p *Problem) [][]uint64 {
	words := (p.Queries() + 63) / 64
	rows := make([][]uint64, p.Hypotheses())
	for k := range rows {
		rows[k] = make([]uint64, words)
		for i, z := range p.Row(k) {
			if z != 0 {
				rows[k][i/64] |= 1 << (i % 64)
			}
		}
	}
	return rows
}

// Omega is the set of instances an adversary may use: Θ^(R) = {θ : 𝒞(θ) ≤ R}.
type Omega struct {
	C Complexity
	R float64
}

// Contains reports whether 𝒞(θ) ≤ R, up to rounding.
func (o Omega) Contains(theta []float64) bool { return Within(o.C.Of(theta), o.R) }

// Within reports whether an instance of complexity 𝒞(θ) is in Θ^(r), with a part in 10⁹ for rounding.
func Within(complexity, r float64) bool { return complexity <= r*(1+1e-9) }

// LevelOf is k(θ) as an index from 0: of levels r_1 < … < r_K the least k with
// complexity ≤ r_k, and the last for anything harder (reading 11).
func LevelOf(r []float64 /* [K] */, complexity float64) int {
	for k := range r {
		if Within(complexity, r[k]) {
			return k
		}
	}
	return len(r) - 1
}
