package game

import "math"

// Fit is the least squares of one state of a problem with [Vectors], and scratch of one caller. With A = Σ_x N_x u_x u_xᵀ and
// b = Σ_x S_x u_x over the rows of U it is η̂ = A⁺b. That is of least norm where the queries asked do not determine it.
type Fit struct {
	Span *Span
	A    []float64 // [Rank, Rank]
	Pinv []float64 // A⁺, [Rank, Rank]
	Eta  []float64 // η̂, [Rank]
	Seen []float64 // an orthonormal basis of the span of the queries asked, [any, Rank]; nil where that is everything

	b, l, q []float64
	asked   []float64
}

// NewFit returns the scratch for p.
func (p *Problem) NewFit() *Fit {
	s := p.Span()
	v := func(n int) []float64 { return make([]float64, n) }
	return &Fit{Span: s, A: v(s.Rank * s.Rank), Pinv: v(s.Rank * s.Rank), Eta: v(s.Rank), b: v(s.Rank), l: v(s.Rank * s.Rank), q: v(s.Rank * s.Rank)}
}

// newDirection is the least part of a query's vector outside of the span of those asked, relative to the largest, that counts.
const newDirection = 1e-6

// Solve works the fit of a state out. Costs O(Rank²·(queries asked) + Rank³), and more until the queries asked span everything.
func (f *Fit) Solve(n, s []float32 /* [|X|] */) {
	r := f.Span.Rank
	f.Span.Sums(f.A, f.b, n, s)
	f.Seen = nil
	if !Cholesky(f.l, f.A, r) {
		f.partly(n)
	} else {
		CholeskyInverse(f.Pinv, f.l, r)
	}
	for i := range r {
		f.Eta[i] = inner(f.Pinv[i*r:(i+1)*r], f.b)
	}
}

// partly works A⁺ out within the span of the queries asked, Q(QᵀAQ)⁻¹Qᵀ.
func (f *Fit) partly(n []float32) {
	r := f.Span.Rank
	f.asked = f.asked[:0]
	most := 0.0
	for x, times := range n {
		if times > 0 {
			u := f.Span.Vector(x)
			f.asked = append(f.asked, u...)
			most = max(most, inner(u, u))
		}
	}
	f.Seen, _ = orthonormal(f.asked, r, newDirection*math.Sqrt(most))
	clear(f.Pinv)
	k := len(f.Seen) / r
	if f.Seen == nil {
		f.Seen = []float64{}
		return
	}
	a, l, inverse := make([]float64, k*k), make([]float64, k*k), make([]float64, k*k)
	for i := range k {
		clear(f.q[:r])
		for c, v := range f.Seen[i*r : (i+1)*r] {
			for j := range r {
				f.q[j] += v * f.A[c*r+j]
			}
		}
		for j := range k {
			a[i*k+j] = inner(f.q[:r], f.Seen[j*r:(j+1)*r])
		}
	}
	if !Cholesky(l, a, k) {
		return // rounding alone
	}
	CholeskyInverse(inverse, l, k)
	for i := range k {
		for j := range k {
			by := inverse[i*k+j]
			for c, v := range f.Seen[i*r : (i+1)*r] {
				for e, w := range f.Seen[j*r : (j+1)*r] {
					f.Pinv[c*r+e] += by * v * w
				}
			}
		}
	}
}

// Step writes to dst, [Rank], how η̂ moves per unit by which one more answer to query x exceeds ⟨u_x, η̂⟩ (Greville 1960).
func (f *Fit) Step(dst []float64, x int) {
	r, u := f.Span.Rank, f.Span.Vector(x)
	if f.Seen != nil {
		copy(dst, u)
		without(dst, f.Seen)
		without(dst, f.Seen)
		if rest := inner(dst, dst); rest > newDirection*newDirection*inner(u, u) {
			for i := range dst {
				dst[i] /= rest
			}
			return
		}
	}
	var leverage float64
	for i := range r {
		dst[i] = inner(f.Pinv[i*r:(i+1)*r], u)
		leverage += dst[i] * u[i]
	}
	for i := range dst {
		dst[i] /= 1 + leverage
	}
}

// flat is the least pivot, relative to its diagonal, with which a matrix counts as of full rank.
const flat = 1e-10

// Cholesky writes to l the lower triangle with a = l·lᵀ, [m, m]; false where a is singular up to rounding.
func Cholesky(l, a []float64, m int) bool {
	for i := range m {
		for j := range i + 1 {
			v := a[i*m+j] - inner(l[i*m:i*m+j], l[j*m:j*m+j])
			switch {
			case i > j:
				l[i*m+j] = v / l[j*m+j]
			case !(v > flat*a[i*m+i]):
				return false
			default:
				l[i*m+i] = math.Sqrt(v)
			}
		}
	}
	return true
}

// TriangularInverse writes the inverse of the lower triangle l to dst, [m, m], 0 above the diagonal.
func TriangularInverse(dst, l []float64, m int) {
	for j := range m {
		for i := range m {
			switch {
			case i < j:
				dst[i*m+j] = 0
			case i == j:
				dst[i*m+i] = 1 / l[i*m+i]
			default:
				var v float64
				for k := j; k < i; k++ {
					v -= l[i*m+k] * dst[k*m+j]
				}
				dst[i*m+j] = v / l[i*m+i]
			}
		}
	}
}

// CholeskyInverse writes the inverse of l·lᵀ to dst, [m, m].
func CholeskyInverse(dst, l []float64, m int) {
	TriangularInverse(dst, l, m)
	for i := range m {
		for j := range i + 1 {
			var v float64
			for k := i; k < m; k++ {
				v += dst[k*m+i] * dst[k*m+j]
			}
			dst[i*m+j] = v
		}
	}
	for i := range m {
		for j := range i {
			dst[j*m+i] = dst[i*m+j]
		}
	}
}

// Means writes the means that least squares estimate in one state to dst, [|X|]: S/N, 0 where nothing was asked, and with
// [Vectors] X·θ̂ of least norm.
func (p *Problem) Means(dst, n, s []float32) {
	if p.vectors() == nil {
		for i, times := range n {
			dst[i] = s[i] / max(1, times)
		}
		return
	}
	f := p.NewFit()
	f.Solve(n, s)
	for x := range dst {
		dst[x] = float32(inner(f.Span.Vector(x), f.Eta))
	}
}

// Scores writes the scores ⟨v, η̂⟩/unit of the hypotheses to dst, [|Z|].
func (f *Fit) Scores(dst []float32, unit float64) {
	for k := range dst {
		dst[k] = float32(inner(f.Span.Hypothesis(k), f.Eta) / unit)
	}
}
