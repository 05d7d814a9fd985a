package game

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Span is a problem with [Vectors] in orthonormal coordinates η of the column space of 𝒳: means are μ = U·η, and the score of a
// hypothesis is ⟨v, η⟩. It must not be written to.
type Span struct {
	Rank  int
	U     []float64 // [|X|, Rank]
	V     []float64 // [|Z|, Rank]
	Unit  float64   // the largest weight of a hypothesis on a query: ties are relative to it
	Basis []int     // queries whose rows of U are independent, [Rank]

	lift []float64 // the inverse of the rows of Basis, [Rank, Rank]
	ut   []float64 // U transposed, [Rank, |X|]
	vt   []float64 // V transposed, [Rank, |Z|]
	pair pairs
}

// Span returns p in orthonormal coordinates; p has [Vectors]. Worked out once.
func (p *Problem) Span() *Span {
	v := p.vectors()
	v.span.Do(func() {
		d, s := p.Queries(), &v.of
		s.U, s.Rank = v.columns(d)
		s.V = make([]float64, p.Hypotheses()*s.Rank)
		for k := range p.Hypotheses() {
			for x, a := range p.Row(k) {
				s.Unit = max(s.Unit, math.Abs(float64(a)))
				for j := range s.Rank {
					s.V[k*s.Rank+j] += float64(a) * s.U[x*s.Rank+j]
				}
			}
		}
		s.ut, s.vt = transposed(s.U, s.Rank), transposed(s.V, s.Rank)
		_, s.Basis = orthonormal(s.U, s.Rank, 0)
		s.lift = make([]float64, s.Rank*s.Rank)
		var rows []float64
		for _, x := range s.Basis {
			rows = append(rows, s.Vector(x)...)
		}
		invert(s.lift, rows, s.Rank)
		s.pair = newPairs(p.Hypotheses())
	})
	return &v.of
}

// transposed returns a, [any, m], by columns.
func transposed(a []float64, m int) []float64 {
	out := make([]float64, len(a))
	n := len(a) / max(1, m)
	for i := range n {
		for j := range m {
			out[j*n+i] = a[i*m+j]
		}
	}
	return out
}

// Queries returns the vectors of the queries by columns, [Rank, |X|].
func (s *Span) Queries() []float64 { return s.ut }

// Vector returns query x's vector, [Rank].
func (s *Span) Vector(x int) []float64 { return s.U[x*s.Rank : (x+1)*s.Rank] }

// Hypothesis returns hypothesis k's vector v, [Rank].
func (s *Span) Hypothesis(k int) []float64 { return s.V[k*s.Rank : (k+1)*s.Rank] }

// admit projects theta onto the column space of 𝒳, and scales it down into the box.
func (s *Span) admit(theta []float64) {
	eta := make([]float64, s.Rank)
	for x, v := range theta {
		for j, u := range s.Vector(x) {
			eta[j] += v * u
		}
	}
	most := 0.0
	for x := range theta {
		theta[x] = inner(s.Vector(x), eta)
		most = max(most, math.Abs(theta[x]))
	}
	if most > 1-Edge {
		by := (1 - Edge) / most
		for x := range theta {
			theta[x] = max(Edge-1, min(1-Edge, theta[x]*by)) // rounding
		}
	}
}

// Free returns how many means of an instance determine it: |X|, or with [Vectors] their rank.
func (p *Problem) Free() int {
	if p.vectors() != nil {
		return p.Span().Rank
	}
	free := p.Queries()
	for c := 0; p.isClasses() && c < p.pool().Cells(); c++ {
		if p.pool().All(c) {
			free--
		}
	}
	return free
}

// Extend returns the instance, [|X|], of which so many means are given, [Problem.Free]: with [Vectors] those of the queries of
// [Span.Basis], and where queries are classes all but the last of a cell that has each class. It is nil where other means would be
// outside of [−1, 1], or probabilities of classes sum to more than 1.
func (p *Problem) Extend(free []float64) []float64 {
	switch {
	case p.isClasses():
		return p.extendClasses(free)
	case p.vectors() == nil:
		return slices.Clone(free)
	}
	s := p.Span()
	theta, eta := make([]float64, p.Queries()), make([]float64, s.Rank)
	for i := range eta {
		eta[i] = inner(s.lift[i*s.Rank:(i+1)*s.Rank], free)
	}
	for x := range theta {
		theta[x] = inner(s.Vector(x), eta)
		if math.Abs(theta[x]) > 1+tieTrue {
			return nil
		}
		theta[x] = max(-1, min(1, theta[x]))
	}
	for i, x := range s.Basis {
		theta[x] = free[i]
	}
	return theta
}

// extendClasses does what Extend does where queries are classes.
func (p *Problem) extendClasses(free []float64) []float64 {
	theta := make([]float64, 0, p.Queries())
	for c := range p.pool().Cells() {
		lo, hi := p.pool().Queries(c)
		rest := 1.0
		for i := lo; i < hi; i++ {
			if i == hi-1 && p.pool().All(c) {
				theta = append(theta, 2*max(0, rest)-1)
				break
			}
			theta, rest, free = append(theta, free[0]), rest-(1+free[0])/2, free[1:]
		}
		if rest < -tieTrue {
			return nil
		}
	}
	return theta
}

// Sums fills a with Σ_x N_x u_x u_xᵀ, [Rank, Rank], and b with Σ_x S_x u_x, [Rank], of a state's
// counts n and sums, [|X|]. Costs O(Rank²·(queries asked)).
func (s *Span) Sums(a, b []float64, n, sum []float32) {
	r := s.Rank
	clear(a)
	clear(b)
	for x, times := range n {
		if times == 0 {
			continue
		}
		u := s.Vector(x)
		for i, v := range u {
			b[i] += float64(sum[x]) * v
			by := float64(times) * v
			for j, w := range u[:i+1] {
				a[i*r+j] += by * w
			}
		}
	}
	for i := range r {
		for j := range i {
			a[j*r+i] = a[i*r+j]
		}
	}
}

// walkSteps times the rank is the length of a walk.
const walkSteps = 20

// walk fills theta with an instance that is about uniform among those within [−1, 1], by hit-and-run from 0.
func (s *Span) walk(theta []float64, r *rand.Rand) {
	clear(theta)
	HitAndRun(theta, walkSteps*s.Rank, 1, s.Direction, func(*Chord, []float64) {}, r)
}

// Chord is the interval of t for which a point θ + t·step is allowed.
type Chord struct{ lo, hi float64 }

// Keep leaves of the chord where at + t·slope ≥ 0.
func (c *Chord) Keep(at, slope float64) {
	switch {
	case slope > 0:
		c.lo = max(c.lo, -at/slope)
	case slope < 0:
		c.hi = min(c.hi, -at/slope)
	}
}

// HitAndRun moves theta so many steps within |θ_i| ≤ box. Each is along a step of direct to a uniform point of its chord, which
// cut may shorten.
func HitAndRun(theta []float64, steps int, box float64, direct func(step []float64, r *rand.Rand), cut func(c *Chord, step []float64), r *rand.Rand) {
	step := make([]float64, len(theta))
	for range steps {
		direct(step, r)
		c := Chord{math.Inf(-1), math.Inf(1)}
		for x, v := range step {
			c.Keep(box-theta[x], -v)
			c.Keep(box+theta[x], v)
		}
		cut(&c, step)
		lo, hi := min(c.lo, 0), max(c.hi, 0) // rounding
		t := lo + (hi-lo)*r.Float64()
		for x, v := range step {
			theta[x] = max(-box, min(box, theta[x]+t*v))
		}
	}
}

// Direction fills dst, [|X|], with a random one in the column space of 𝒳, all alike.
func (s *Span) Direction(dst []float64, r *rand.Rand) {
	clear(dst)
	for j := range s.Rank {
		by := r.NormFloat64()
		for x := range dst {
			dst[x] += by * s.U[x*s.Rank+j]
		}
	}
}
