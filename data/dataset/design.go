package dataset

import (
	"mapo/difficulty"
	"mapo/game"
	"mapo/rng"
)

// design is λ of ρ_*'s static design on p, from which App. I draws its queries.
func design(p *game.Problem) ([]float64, error) {
	lambda, _, _, err := difficulty.Design(p)
	return lambda, err
}

// drawn is at most n indices drawn one by one without replacement, each in
// proportion to its weight; fewer where fewer weights are positive.
func drawn(weight []float64, n int, key rng.Key) []int {
	weight = append([]float64(nil), weight...)
	r := key.Rand()
	var out []int
	for len(out) < n {
		var total float64
		for _, w := range weight {
			total += max(w, 0)
		}
		if !(total > 0) {
			break
		}
		// Rounding at the far end falls on the last that can be drawn.
		u, last := r.Float64()*total, -1
		for i, w := range weight {
			if w <= 0 {
				continue
			}
			last = i
			if u -= w; u < 0 {
				break
			}
		}
		out = append(out, last)
		weight[last] = 0
	}
	return out
}
