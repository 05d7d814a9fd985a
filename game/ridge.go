package game

// Ridge is the ridge regression of one state of a problem with [Vectors], and scratch of one caller. With
// A = κI + Σ_x N_x u_x u_xᵀ = LLᵀ and W = L⁻¹, vectors are whitened by W, so that vᵀA⁻¹w is the product of two.
type Ridge struct {
	Span   *Span
	W      []float64 // 0 above the diagonal, [Rank, Rank]
	B      []float64 // W·Σ_x S_x u_x, [Rank]
	V      []float64 // W·v of the hypotheses, [Rank, |Z|]
	Score  []float64 // ⟨v, η̂⟩, [|Z|]
	Square []float64 // ‖v_best − v‖²_{A⁻¹} of the hypothesis that [Ridge.Against] was called with, [|Z|]

	n    int
	a, l []float64 // [Rank, Rank]
}

// NewRidge returns the scratch for p.
func (p *Problem) NewRidge() *Ridge {
	s, n := p.Span(), p.Hypotheses()
	r, v := s.Rank, func(n int) []float64 { return make([]float64, n) }
	return &Ridge{Span: s, W: v(r * r), B: v(r), V: v(r * n), Score: v(n), Square: v(n), n: n, a: v(r * r), l: v(r * r)}
}

// Solve works the regression out from [Span.Sums]. Costs O(Rank²·|Z| + Rank³).
func (g *Ridge) Solve(a, b []float64, kappa float64) {
	r := g.Span.Rank
	copy(g.a, a)
	for i := range r {
		g.a[i*r+i] += kappa
	}
	Cholesky(g.l, g.a, r)
	TriangularInverse(g.W, g.l, r)
	g.Whiten(g.V, g.Span.vt)
	clear(g.Score)
	for i := range r {
		g.B[i] = inner(g.W[i*r:i*r+i+1], b)
		addTo(g.Score, g.B[i], g.V[i*g.n:])
	}
}

// Whiten writes W·v to dst for the columns v of vectors, [Rank, any].
func (g *Ridge) Whiten(dst, vectors []float64) {
	r := g.Span.Rank
	n := len(vectors) / max(1, r)
	clear(dst)
	for i := range r {
		for j, by := range g.W[i*r : i*r+i+1] {
			addTo(dst[i*n:(i+1)*n], by, vectors[j*n:])
		}
	}
}

// addTo adds by·v to dst.
func addTo(dst []float64, by float64, v []float64) {
	v = v[:len(dst)]
	for k := range dst {
		dst[k] += by * v[k]
	}
}

// Against fills Square for the best hypothesis.
func (g *Ridge) Against(best int) {
	clear(g.Square)
	for i := range g.Span.Rank {
		v := g.V[i*g.n : (i+1)*g.n]
		own, square := v[best], g.Square[:len(v)]
		for k, z := range v {
			square[k] += (own - z) * (own - z)
		}
	}
}

// Differ writes W(v_a − v_b) to dst, [Rank].
func (g *Ridge) Differ(dst []float64, a, b int) {
	for i := range dst {
		dst[i] = g.V[i*g.n+a] - g.V[i*g.n+b]
	}
}

// Back writes Wᵀy to dst, [Rank]: A⁻¹v of the whitened y = Wv, and η̂ of [Ridge.B].
func (g *Ridge) Back(dst, y []float64) {
	r := len(dst)
	clear(dst)
	for i, v := range y {
		addTo(dst[:i+1], v, g.W[i*r:])
	}
}
