package num

// Likely multiplies weights by the likelihood ½ + half·clip(m) of an answer, clip keeping m to ±limit, and returns the largest
// product, at least 0. All kernels give the same bits.
//
// Cost: 6·len(w) operations in float64.
func Likely(w []float64, m []float32 /* as many */, half float64, limit float32) (top float64) {
	size("m", len(m), len(w))
	return active.likely(w, m, half, limit)
}

func plainLikely(w []float64, m []float32, half float64, limit float32) (top float64) {
	most := float64(limit)
	for k, v := range m[:len(w)] {
		w[k] *= 0.5 + float64(half*min(max(float64(v), -most), most))
		if w[k] > top {
			top = w[k]
		}
	}
	return top
}
