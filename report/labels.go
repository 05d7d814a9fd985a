package report

import (
	"cmp"
	"slices"
)

// lineHeight is the least distance of two labels' baselines.
const lineHeight = 14.5

// spread moves the wanted heights apart until any two are at least gap apart and all lie in [lo, hi],
// moving them as little as possible in the least-squares sense. After subtracting rank·gap that is an
// isotonic regression, solved by pooling neighbours that violate the order. If they do not all fit,
// they share the room evenly. The order of equal wants is that of the input.
func spread(want []float64, gap, lo, hi float64) []float64 {
	n := len(want)
	if n == 0 {
		return nil
	}
	if room := hi - lo; float64(n-1)*gap > room {
		gap = room / float64(n-1)
	}
	order := ascending(n, func(i int) float64 { return want[i] })

	var pools []pool
	for rank, i := range order {
		pools = append(pools, pool{want[i] - float64(rank)*gap, 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].mean() > pools[k].mean(); k-- {
			pools[k-1].sum += pools[k].sum
			pools[k-1].n += pools[k].n
			pools = pools[:k]
		}
	}
	out, rank := make([]float64, n), 0
	for _, p := range pools {
		at := min(max(p.mean(), lo), hi-float64(n-1)*gap)
		for range p.n {
			out[order[rank]] = at + float64(rank)*gap
			rank++
		}
	}
	return out
}

// ascending returns 0, …, n−1 by the values that they have, equal ones in order.
func ascending(n int, value func(i int) float64) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
	return order
}

// pool is a run of neighbours that share one mean.
type pool struct {
	sum float64
	n   int
}

func (p pool) mean() float64 { return p.sum / float64(p.n) }
