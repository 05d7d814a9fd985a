package num

// Layers with one output, the last of a network that scores queries one by one, would leave all lanes but one
// of a tile idle. Their products are computed transposed: the rows of the batch, or the inputs, become lanes.
// Every sum keeps its order, so the results are those of the wide form.

// thinForward is runForward for out = 1: dstᵀ = f(wᵀ·xᵀ + b).
func (s *simd) thinForward(m *scratch, dst, x, w []float32, b float32, n, in int, slope float32) {
	width := 2 * s.lanes
	m.packed = grown(m.packed, (in+1)*width)
	bias := m.packed[in*width:]
	for i := range bias {
		bias[i] = b
	}
	for r := 0; r < n; r += width {
		p := s.panel(r, n)
		p.b, p.ld = m.packed, s.width(p)
		m.transposed(p.b, p.ld, x[r*in:min(n, r+width)*in], in)
		s.run(column{kernels: s.forward, panel: p, dst: &dst[r], a: &w[0], extra: &bias[0], rows: 1, k: in, slope: slope})
	}
}

// thinWeightGrad is a chunk of runWeightGrad for out = 1: dwᵀ += dyᵀ·x.
func (s *simd) thinWeightGrad(m *scratch, dw, db, x, dy []float32, in int) {
	for c := 0; c < in; c += 2 * s.lanes {
		p := s.panel(c, in)
		p.b, p.ld = x, in
		if in != s.width(p) {
			s.pack[p.vectors-1](&m.packed[0], &x[c], len(dy), in, p.last)
			p.b, p.ld = m.packed, s.width(p)
		}
		s.run(column{kernels: s.weightGrad, panel: p, dst: &dw[c], a: &dy[0], extra: &one, rows: 1, k: len(dy), lda: 1})
	}
	var sum float32
	for _, v := range dy {
		sum += v
	}
	db[0] += sum
}
