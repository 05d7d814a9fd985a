package dataset

import (
	"fmt"

	"mapo/difficulty"
	"mapo/rng"
)

// order returns the columns in use by their index in cols, the best of a selection first. Balance also fills up what the
// design leaves open: its support may be small.
func (r *reduced) order(s Select) ([]int, error) {
	order := r.balance()
	if s.Design == "rho-star" {
		lambda, _, _, err := difficulty.Design(r.problem(Options{T: 1})) // from which App. I draws its queries
		if err != nil {
			return nil, fmt.Errorf("select: design rho-star: %w", err)
		}
		order = append(drawn(lambda, min(s.Queries, len(r.cols)), rng.New(s.Seed).Name("select")), order...)
	}
	return order, nil
}

// drawn returns at most n indices, drawn one by one without replacement, each in proportion to its
// weight. It returns fewer where fewer weights are positive.
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
