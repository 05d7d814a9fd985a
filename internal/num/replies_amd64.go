package num

// repliesTable are a kernel's constants, spread over whole vectors.
var repliesTable = func() (t [4 + len(doubtTerms)][16]float32) {
	for k, v := range append([]float32{MostMean, -MostMean, 1, doubtMiddle}, doubtTerms[:]...) {
		for lane := range t[k] {
			t[k][lane] = v
		}
	}
	return t
}()

func (s *simd) runReplies(mean, doubt []float32, x *Threes, m *Panels) {
	for c := 0; c < m.Width(); c += panelWidth {
		s.replies(&mean[c], &doubt[c], &m.v[c*m.rows], &x.entries[0].at, &x.start[0], &repliesTable[0][0], x.Rows(), m.Width())
	}
}
