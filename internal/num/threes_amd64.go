package num

// wide is how many columns ForwardThrees computes at a time.
const wide = 64

func (s *simd) runForwardThrees(dst []float32, x *Threes, w, b []float32, out int, f Activation) {
	if len(x.entries) == 0 {
		plainForwardThrees(dst, x, w, b, out, f)
		return
	}
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	slope := float32(1)
	if f == Leaky {
		slope = Slope
	}
	bias := b
	if out%s.lanes != 0 {
		bias = m.bias(out + s.lanes)
		copy(bias, b)
	}
	for c := 0; c < out; {
		kernel, columns, last := s.forwardThrees[0], wide, s.lanes
		if out-c < wide {
			kernel, columns, last = s.forwardThrees[1], s.lanes, min(out-c, s.lanes)
		}
		kernel(&dst[c], &w[c], &bias[c], &x.entries[0].at, &x.start[0], x.Rows(), out, out, last, slope)
		c += columns
	}
}

func (s *simd) runForwardPart(dst []float32, x *Threes, part int, w []float32, out int) {
	if len(x.entries) == 0 {
		clear(dst)
		return
	}
	for c := 0; c < out; c += len(s.forwardPart) * s.lanes {
		vectors := min(len(s.forwardPart), (out-c+s.lanes-1)/s.lanes)
		last := min(s.lanes, out-c-(vectors-1)*s.lanes)
		s.forwardPart[vectors-1](&dst[c], &w[c], &x.entries[0].at, &x.start[0], part, x.Rows(), out, out, last)
	}
}

func (s *simd) runWeightGradThrees(dw, db []float32, x *Threes, dy []float32, out int) {
	n := x.Rows()
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	s.addBiasGrad(m, db, dy, n, out)
	if len(x.entries) == 0 {
		return
	}
	m.list, m.start = x.byColumn(m.list, m.start)
	for c := 0; c < out; {
		kernel, columns, last := s.weightGradThrees[0], 2*s.lanes, s.lanes
		if out-c < columns {
			kernel, columns, last = s.weightGradThrees[1], s.lanes, min(out-c, s.lanes)
		}
		kernel(&dw[c], &dy[c], &m.list[0].at, &m.start[0], x.cols, out, out, last)
		c += columns
	}
}

// addBiasGrad adds the sum of dy's rows to db.
func (s *simd) addBiasGrad(m *scratch, db, dy []float32, n, out int) {
	for c := 0; c < out; c += 2 * s.lanes {
		p := s.panel(c, out)
		p.b, p.ld = dy[c:], out
		if s.width(p) > out-c {
			m.packed = grown(m.packed, n*s.width(p))
			s.pack[p.vectors-1](&m.packed[0], &dy[c], n, out, p.last)
			p.b, p.ld = m.packed, s.width(p)
		}
		s.run(column{kernels: s.weightGrad, panel: p, dst: &db[c], a: &one, extra: &one, rows: 1, k: n})
	}
}
