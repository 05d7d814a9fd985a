package num

// Deviations computes dst = Σ_k a_k·|x_k − y|, how far the rows of x are from y, each with its factor.
//
// Cost: 4·n·out operations; columns beyond whole vectors of 16 are computed one by one.
func Deviations(dst []float32 /* [out] */, a []float32 /* [n] */, x []float32 /* [n, out] */, y []float32 /* [out] */, n, out int) {
	shape(n, out, 0)
	size("dst", len(dst), out)
	size("a", len(a), n)
	size("x", len(x), n*out)
	size("y", len(y), out)
	if n == 0 || out == 0 {
		clear(dst)
		return
	}
	active.deviations(dst, a, x, y, out)
}

// plainDeviations computes Deviations for the last len(dst) columns of rows that are ld floats apart: x begins
// with the first of them.
func plainDeviations(dst, a, x, y []float32, ld int) {
	clear(dst)
	y = y[:len(dst)]
	for k, factor := range a {
		for i, v := range x[k*ld:][:len(dst)] {
			dst[i] += float32(factor * magnitude(v-y[i]))
		}
	}
}
