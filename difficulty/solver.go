package difficulty

import (
	"errors"
	"math"
)

const (
	most  = 20_000 // multiplicative steps a restricted solve may take
	grow  = 1.2    // how the exponent grows while the bound rises; it halves where it falls
	leap  = 2      // the most a step may add to a weight's logarithm
	floor = 1e-14  // the least weight, so that a column can come back
)

var errSlow = errors.New("the design did not converge")

// column is one pair of hypotheses, a = z_a − z_b: f(λ) = scale·Σ_{i ∈ on} a_i²/λ_i.
type column struct {
	a, b  int
	on    []int32   // the queries on which a and b differ
	by    []float64 // a_i² there
	scale float64
}

func newColumn(a, b int, za, zb []float32, scale float64) column {
	c := column{a: a, b: b, scale: scale}
	for i, v := range zb {
		if diff := float64(za[i]) - float64(v); diff != 0 {
			c.on, c.by = append(c.on, int32(i)), append(c.by, diff*diff)
		}
	}
	return c
}

// of returns Σ_{i ∈ on} a_i²/λ_i, scaled.
func (c *column) of(inverse []float64) float64 {
	var sum float64
	for j, i := range c.on {
		sum += c.by[j] * inverse[i]
	}
	return sum * c.scale
}

// solver minimises max_j f_j(λ) over the simplex through its dual. For weights
// w over the columns, with c_i = Σ_j w_j scale_j a_{j,i}²,
//
//	g(w) = min_λ Σ_j w_j f_j(λ) = (Σ_i √c_i)²,  at λ_i ∝ √c_i,
//
// is a concave lower bound whose gradient is f(λ(w)), so the multiplicative
// steps w_j ← w_j·(f_j/g)^η climb it, and max_j f_j(λ(w)) is an upper bound.
// With η = 1 the gap shrinks at least like log J/t: log w_j ≤ 0 gives
// Σ_t log f_j(λ_t) ≤ log J + Σ_t log g_t. A larger η is much faster, and both
// bounds hold whatever it is.
type solver struct {
	cols    []column
	w       []float64 // [columns]
	f       []float64 // f_j at the current design, [columns]
	inverse []float64 // 1/λ_i of the current design, 0 where λ_i is, [|X|]
	eta     float64

	lower  float64   // the best g, also of fewer columns
	upper  float64   // the least max_j f_j over the columns taken in
	design []float64 // 1/λ_i that attains upper, [|X|]
	dual   []float64 // w where upper is attained, [columns]
}

func newSolver(d int) *solver {
	return &solver{inverse: make([]float64, d), design: make([]float64, d), eta: 1}
}

// add takes columns in; together they get a tenth of the weight.
func (s *solver) add(cols []column) {
	for j := range s.w {
		s.w[j] *= 0.9
	}
	for _, c := range cols {
		s.cols = append(s.cols, c)
		s.w = append(s.w, 0.1/float64(len(cols)))
	}
	s.f = make([]float64, len(s.w))
	s.normal()
}

// normal makes the weights sum to 1, none below the floor.
func (s *solver) normal() {
	var sum float64
	for _, w := range s.w {
		sum += w
	}
	for j, w := range s.w {
		s.w[j] = max(w/sum, floor)
	}
}

// solve climbs until upper and lower are a relative tol apart.
func (s *solver) solve(tol float64) error {
	s.upper = math.Inf(1)
	last := 0.0
	for range most {
		g, top := s.evaluate()
		s.lower = max(s.lower, g)
		if top < s.upper {
			s.upper = top
			copy(s.design, s.inverse)
			s.dual = append(s.dual[:0], s.w...)
		}
		if s.upper-s.lower <= tol*s.upper {
			return nil
		}
		if g > last {
			s.eta *= grow
		} else {
			s.eta = max(1, s.eta/2)
		}
		last = g
		eta := min(s.eta, max(1, leap/math.Log(top/g)))
		for j, f := range s.f {
			s.w[j] *= math.Pow(f/g, eta)
		}
		s.normal()
	}
	return errSlow
}

// evaluate fills inverse and f for the current weights, and returns g and the
// largest f. The weights need not sum to 1: g is divided by their sum.
func (s *solver) evaluate() (g, top float64) {
	c, total := s.inverse, 0.0
	clear(c)
	for j := range s.cols {
		total += s.w[j]
		x := s.w[j] * s.cols[j].scale
		for l, i := range s.cols[j].on {
			c[i] += x * s.cols[j].by[l]
		}
	}
	var sum float64
	for _, v := range c {
		sum += math.Sqrt(v)
	}
	for i, v := range c {
		if v > 0 {
			c[i] = sum / math.Sqrt(v)
		}
	}
	for j := range s.cols {
		s.f[j] = s.cols[j].of(s.inverse)
		top = max(top, s.f[j])
	}
	return sum * sum / total, top
}

// lambda returns the design kept, [|X|].
func (s *solver) lambda() []float64 {
	out := make([]float64, len(s.design))
	for i, v := range s.design {
		if v > 0 {
			out[i] = 1 / v
		}
	}
	return out
}
