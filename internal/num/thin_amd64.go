package num

// Layers with one output, the last of a network that scores queries one by one, would leave all lanes but one
// of a tile idle. Their products are computed transposed: the rows of the batch, or the inputs, become lanes.
// Every sum keeps its order, so the results are those of the wide form.

// thinForward computes runForward for out = 1: dstᵀ = f(wᵀ·xᵀ + b).
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

// thinWeightGrad computes runWeightGrad for out = 1: dwᵀ += dyᵀ·x.
func (s *simd) thinWeightGrad(m *scratch, dw, db, x, dy []float32, n, in int) {
	addSums(&db[0], dy[:n])
	if n > chunkRows && in%s.lanes == 0 && in <= 2*s.lanes {
		s.addChunks(m, dw, dy, x, n, in)
		return
	}
	for r := 0; r < n; r += chunkRows {
		rows := min(chunkRows, n-r)
		m.packed = grown(m.packed, rows*2*s.lanes)
		for c := 0; c < in; c += 2 * s.lanes {
			p := s.panel(c, in)
			p.b, p.ld = x[r*in:], in
			if in != s.width(p) {
				s.pack[p.vectors-1](&m.packed[0], &x[r*in+c], rows, in, p.last)
				p.b, p.ld = m.packed, s.width(p)
			}
			s.run(column{kernels: s.weightGrad, panel: p, dst: &dw[c], a: &dy[r], extra: &one, rows: 1, k: rows, lda: 1})
		}
	}
}

// addSums adds each chunk's sum to dst, one after the other; four chunks are summed at a time.
func addSums(dst *float32, v []float32) {
	for ; len(v) >= 4*chunkRows; v = v[4*chunkRows:] {
		v0, v1, v2, v3 := v[:chunkRows], v[chunkRows:2*chunkRows], v[2*chunkRows:3*chunkRows], v[3*chunkRows:4*chunkRows]
		var s0, s1, s2, s3 float32
		for i := range v0 {
			s0, s1, s2, s3 = s0+v0[i], s1+v1[i], s2+v2[i], s3+v3[i]
		}
		*dst += s0
		*dst += s1
		*dst += s2
		*dst += s3
	}
	for len(v) > 0 {
		n := min(chunkRows, len(v))
		var sum float32
		for _, x := range v[:n] {
			sum += x
		}
		*dst += sum
		v = v[n:]
	}
}
