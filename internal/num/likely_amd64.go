package num

func (s *simd) runLikely(w []float64, m []float32, half float64, limit float32) (top float64) {
	vectors := 2 * len(w) / s.lanes
	whole := vectors * s.lanes / 2
	if vectors > 0 {
		top = s.likely(&w[0], &m[0], vectors, half, float64(limit))
	}
	return max(top, plainLikely(w[whole:], m[whole:], half, limit))
}
