package num

// ones are the factors of a plain sum.
var ones = func() (v [chunkRows]float32) {
	for i := range v {
		v[i] = 1
	}
	return v
}()

func (s *simd) runGroupSums(dst, a, x []float32, groups, rows, out int) {
	if out%s.lanes == 0 {
		s.groupSums(&dst[0], &a[0], &x[0], groups, rows, 0, out/s.lanes)
		return
	}
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	m.zero = grown(m.zero, out)
	in := input{a, rows, rows, s.forward}
	for g := range groups {
		s.runForward(dst[g*out:(g+1)*out], in, x[g*rows*out:(g+1)*rows*out], m.zero, 1, rows, out, Linear)
	}
}

func (s *simd) runDeviations(dst, a, x, y []float32, ld int) {
	whole := len(dst) / s.lanes
	if whole > 0 {
		s.deviations(&dst[0], &a[0], &x[0], &y[0], len(a), ld, whole)
	}
	if rest := whole * s.lanes; rest < len(dst) {
		plainDeviations(dst[rest:], a, x[rest:], y[rest:], ld)
	}
}

func (s *simd) runForwardGroups(dst, x, w, b []float32, groups, rows, in, out int, f Activation) {
	p := s.panel(0, out)
	if in == 0 || out != s.width(p) {
		for g := range groups {
			s.runForward(dst[g*rows*out:(g+1)*rows*out], input{x[g*rows*in : (g+1)*rows*in], in, in, s.forward}, w, b[g*out:(g+1)*out], rows, in, out, f)
		}
		return
	}
	slope := float32(1)
	if f == Leaky {
		slope = Slope
	}
	p.b, p.ld = w, out
	c := column{kernels: s.forward, panel: p, rows: rows, k: in, lda: in, ldd: out, nextA: in, slope: slope}
	for g := range groups {
		c.dst, c.a, c.extra = &dst[g*rows*out], &x[g*rows*in], &b[g*out]
		s.run(c)
	}
}

// addChunks adds to dst, one chunk of rows after the other, each chunk's Σ_r a_r·x_r; a nil a is all ones.
func (s *simd) addChunks(m *scratch, dst, a, x []float32, n, width int) {
	whole, ld := n/chunkRows, chunkRows
	if a == nil {
		a, ld = ones[:], 0
	}
	chunks := (n + chunkRows - 1) / chunkRows
	m.packed = grown(m.packed, chunks*width)
	sums := m.packed
	if whole > 0 {
		s.groupSums(&sums[0], &a[0], &x[0], whole, chunkRows, ld, width/s.lanes)
	}
	if whole < chunks {
		s.groupSums(&sums[whole*width], &a[whole*ld], &x[whole*chunkRows*width], 1, n-whole*chunkRows, 0, width/s.lanes)
	}
	for i, v := range sums {
		dst[i%width] += v
	}
}
