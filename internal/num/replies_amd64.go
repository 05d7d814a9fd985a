package num

const doubtMiddle = 0.625

// doubtTerms are the coefficients of the entropy of an answer of mean x as a polynomial in √(1−x²) − doubtMiddle, the highest
// first: it interpolates at the Chebyshev points of [0.27, 1]. The root takes the singularities at ±1 away.
var doubtTerms = [...]float32{
	0.07029949481815495, -0.0751528070919517, 0.05814483607324901, -0.06929796413456885, 0.09695957366340635,
	-0.15055995596973287, 0.27995423821687176, 0.8382460261132377, 0.34586173473992665,
}

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
