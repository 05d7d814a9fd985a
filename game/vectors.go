package game

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// Vectors are what a [Problem] has whose queries are vectors x ∈ ℝ^d: answers have mean ⟨x, θ⟩. Instances are kept as these means,
// μ ∈ ℝ^|X|, which are in the column space of 𝒳. A hypothesis z ∈ ℝ^d is kept as Problem.Z by the weights a of least norm with
// Σ_x a_x x = z, so that ⟨a, μ⟩ = ⟨z, θ⟩. Nothing depends on the coordinates of ℝ^d.
type Vectors struct {
	X   []float64 // 𝒳, [|X|, Dim]
	Dim int       // d

	span sync.Once
	of   Span
}

const (
	spanTolerance = 1e-9 // of columns of 𝒳, relative to their norms
	outside       = 1e-5 // how far outside of the span a hypothesis may lie, relative to its norm
	tieCost       = 1e-7 // by what share the last query costs more where differences of least norm tie
)

// Fold sets Z by hypotheses z, [|Z|, Dim], and Majority; it returns p. The error names the first hypothesis outside of the span
// of 𝒳, as no answers tell its score.
func (p *Problem) Fold(z []float64) (*Problem, error) {
	v, d := p.vectors(), p.Queries()
	u, rank := v.columns(d)
	if rank == 0 {
		return nil, errZero
	}
	// z = Xᵀ·U·t, least squares over t
	r := make([]float64, rank*v.Dim) // UᵀX
	for x := range d {
		for j := range rank {
			for c := range v.Dim {
				r[j*v.Dim+c] += u[x*rank+j] * v.X[x*v.Dim+c]
			}
		}
	}
	p.Z = make([]float32, p.Hypotheses()*d)
	t, fit := make([]float64, rank), newRowFit(r, rank, v.Dim)
	for k := range p.Hypotheses() {
		row := z[k*v.Dim : (k+1)*v.Dim]
		if rest := fit.solve(t, row); rest > outside {
			return nil, fmt.Errorf("hypothesis %q lies outside of the span of the queries, so that no answers tell its score: add queries that reach it, or leave it out", p.Names[k])
		}
		for x := range d {
			p.Z[k*d+x] = float32(inner(u[x*rank:(x+1)*rank], t))
		}
	}
	p.Expect()
	return p, nil
}

var errZero = errors.New("all queries are 0, so that no answers tell anything: write vectors of which some are not")

// Expect sets Majority by Z, where p has [Vectors]: 1 where a hypothesis has more weight on a query than hypotheses have on average, 0 where less.
func (p *Problem) Expect() {
	d, n := p.Queries(), p.Hypotheses()
	p.made.says = make([]float32, n*d)
	for x := range d {
		var mean, most float64
		for k := range n {
			mean += float64(p.Z[k*d+x]) / float64(n)
			most = max(most, math.Abs(float64(p.Z[k*d+x])))
		}
		for k := range n {
			switch more := float64(p.Z[k*d+x]) - mean; {
			case math.Abs(more) <= outside*most:
				p.made.says[k*d+x] = 0.5
			case more > 0:
				p.made.says[k*d+x] = 1
			}
		}
	}
}

// rowFit solves least squares over the same independent rows r, [m, dim].
type rowFit struct {
	r              []float64
	m, dim         int
	scale, inverse []float64 // 1/‖r_i‖, [m]; of the rows' products at norm 1, [m, m]
	left, on       []float64 // [dim], [m]
}

func newRowFit(r []float64, m, dim int) *rowFit {
	f := &rowFit{r, m, dim, make([]float64, m), make([]float64, m*m), make([]float64, dim), make([]float64, m)}
	for i := range m {
		f.scale[i] = 1 / math.Sqrt(inner(f.row(i), f.row(i)))
	}
	a := make([]float64, m*m)
	for i := range m {
		for j := range m {
			a[i*m+j] = inner(f.row(i), f.row(j)) * f.scale[i] * f.scale[j]
		}
	}
	invert(f.inverse, a, m)
	return f
}

func (f *rowFit) row(i int) []float64 { return f.r[i*f.dim : (i+1)*f.dim] }

// solve writes to t, [m], the least squares of Σ_j t_j·r_j = z, [dim], and returns how far off it is relative to ‖z‖.
func (f *rowFit) solve(t, z []float64) (rest float64) {
	m := f.m
	clear(t)
	copy(f.left, z)
	for range 3 { // refined twice
		for j := range m {
			f.on[j] = inner(f.row(j), f.left)
		}
		for i := range m {
			for j, on := range f.on {
				t[i] += f.scale[i] * f.inverse[i*m+j] * f.scale[j] * on
			}
		}
		copy(f.left, z)
		for i, v := range t {
			for c := range f.left {
				f.left[c] -= v * f.r[i*f.dim+c]
			}
		}
	}
	if norm := inner(z, z); norm > 0 {
		return math.Sqrt(inner(f.left, f.left) / norm)
	}
	return 0
}

// columns returns an orthonormal basis of the column space of 𝒳, [|X|, rank].
func (v *Vectors) columns(d int) (u []float64, rank int) {
	t := make([]float64, len(v.X)) // columns of norm 1, [Dim, |X|]
	for c := range v.Dim {
		column := t[c*d : (c+1)*d]
		for x := range d {
			column[x] = v.X[x*v.Dim+c]
		}
		if norm := math.Sqrt(inner(column, column)); norm > 0 {
			for x := range column {
				column[x] /= norm
			}
		}
	}
	basis, of := orthonormal(t, d, spanTolerance)
	rank = len(of)
	u = make([]float64, d*rank)
	for j := range rank {
		for x := range d {
			u[x*rank+j] = basis[j*d+x]
		}
	}
	return u, rank
}

// MostVectors is the most queries and hypotheses that are vectors, and the most entries of each.
const MostVectors = 1000

// least and most a weight may be: losses are compared with absolute tolerances.
const (
	leastUnit = 1e-2
	mostUnit  = 1e4
)

// Check reports the first reason why the vectors do not fit p.
func (v *Vectors) Check(p *Problem) error {
	d := p.Queries()
	switch {
	case v.Dim < 1 || len(v.X) != d*v.Dim:
		return fmt.Errorf("the problem has %d entries in 𝒳, want %d×%d", len(v.X), d, v.Dim)
	case len(p.made.says) != len(p.Z):
		return errors.New("the problem's hypotheses do not say what they expect")
	case p.Hypotheses() > MostVectors || d > MostVectors || v.Dim > MostVectors:
		return fmt.Errorf("the problem has %d queries of %d entries and %d hypotheses; there may be %d of each", d, v.Dim, p.Hypotheses(), MostVectors)
	case len(p.Known) > 0:
		return errors.New("problems of vectors know no instances")
	}
	for at, x := range v.X {
		if math.IsNaN(x) || math.Abs(x) > MostLevel {
			return fmt.Errorf("query %q has the entry %v; it must be a number of size up to %g", p.X[at/v.Dim], x, float64(MostLevel))
		}
	}
	for at, z := range p.Z {
		if !(math.Abs(float64(z)) <= mostUnit) {
			return fmt.Errorf("hypothesis %q has the weight %v at query %q; it must be a number of size up to %g: divide the hypotheses by their size", p.Names[at/d], z, p.X[at%d], float64(mostUnit))
		}
	}
	if _, rank := v.columns(d); rank == 0 {
		return errZero
	}
	s := p.Span()
	if s.Unit < leastUnit {
		return fmt.Errorf("the largest weight of a hypothesis on a query is %.3g; it must be at least %g: multiply the hypotheses by a number", s.Unit, leastUnit)
	}
	for k := range p.Hypotheses() {
		back := 0.0
		for x, a := range p.Row(k) {
			back = max(back, math.Abs(inner(s.Vector(x), s.Hypothesis(k))-float64(a)))
		}
		if back > outside*s.Unit {
			return fmt.Errorf("hypothesis %q lies outside of the span of the queries: no answers tell its score", p.Names[k])
		}
		for j := range k {
			var square float64
			for i, a := range s.Hypothesis(k) {
				square += (a - s.V[j*s.Rank+i]) * (a - s.V[j*s.Rank+i])
			}
			if math.Sqrt(square) <= outside*s.Unit {
				return fmt.Errorf("hypotheses %q and %q are the same, so that no allocation of answers separates them: remove one", p.Names[j], p.Names[k])
			}
		}
	}
	return nil
}

// Plain returns p without its vectors where they make no difference: 𝒳 holds the unit vectors, in any order, and hypotheses are 0
// and 1. Such games, of arms or of a table's majorities, have policies and bounds of their own.
func (p *Problem) Plain() *Problem {
	v, d := p.vectors(), p.Queries()
	if v == nil || v.Dim != d {
		return p
	}
	seen := make([]bool, d)
	for x := range d {
		unit := -1
		for c, value := range v.X[x*d : (x+1)*d] {
			switch {
			case value == 1 && unit < 0:
				unit = c
			case value != 0:
				return p
			}
		}
		if unit < 0 || seen[unit] {
			return p
		}
		seen[unit] = true
	}
	for _, z := range p.Z {
		if z != 0 && z != 1 {
			return p
		}
	}
	q := *p
	q.Seek, q.made = nil, made{}
	return &q
}

// Words says how problems of vectors are spoken of.
func (v *Vectors) Words() *Words { return &vectors }

// Answer returns yes and no.
func (v *Vectors) Answer() Answer { return YesNo{} }

// Decisions: vectors expect no answers, so that there is no posterior.
func (v *Vectors) Decisions() []string { return []string{"least-squares"} }

var vectors = Words{
	Query: "query", Queries: "queries", Hypothesis: "hypothesis", Hypotheses: "hypotheses", Questions: "answers",
	Asked: "query", AskedMany: "queries", Answer: "answer", Answers: "answers", Candidates: "hypotheses",
	Fewer:     majorities.Fewer,
	Maximises: "maximises ⟨z, θ̂⟩, θ̂ the least squares whose means fit the answers, those of least norm where several do, ties (within 1e-5 of the largest weight) broken uniformly at random",
	Lead:      "A policy that chooses among %[1]s queries x, of mean answers ⟨x, θ⟩, to find out which of %[2]s hypotheses z has the largest ⟨z, θ⟩ with %[3]d answers%[4]s.",
	Bars: "One bar a query, in the problem’s order: its mean answer ⟨x, θ⟩ in the worst instance found, from −1, the least (below), " +
		"to +1, the largest (above). The strip below is filled where the best hypothesis has more weight on the query than hypotheses have on average.",
	Assumed: "Answers that drift, or depend on earlier ones, break this; so do means that are not linear in the vectors.",
}

// vectors returns those of p; nil where its queries are the standard basis.
func (p *Problem) vectors() *Vectors {
	v, _ := p.Seek.(*Vectors)
	return v
}
