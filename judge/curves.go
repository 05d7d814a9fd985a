package judge

import (
	"fmt"
	"math"
	"slices"

	"mapo/game/sim"
	"mapo/record"
)

// Curve is a policy's worst case over the levels, ℓ(π, Θ^(r_k)), k = 1 … K.
type Curve struct {
	Policy string
	Worst  []record.Worst // [K]
	Short  []bool         // [K], where a short search alone found the worst case; nil: nowhere
}

// Benchmarks returns b^(r_k), [K]: the least worst case at r_k over the curves,
// those of all π_j (App. D), made non-decreasing from the top down: a policy
// with a worst case at r has none larger below r (reading 11). In the units of
// the loss, unscaled. It panics where there is no curve or their levels differ.
func Benchmarks(curves []Curve) []float64 {
	levels := levels(curves)
	b := make([]float64, len(levels))
	for k := len(b) - 1; k >= 0; k-- {
		b[k] = curves[leastAt(curves, k)].Worst[k].Mean
		if k+1 < len(b) {
			b[k] = min(b[k], b[k+1])
		}
	}
	return b
}

// Gaps are, per curve and level, [len(curves)][K], how much the policy loses to
// the least worst case of all the curves at that level, itself among them:
// max_q {ℓ(π, Θ^(r)) − ℓ(π_q, Θ^(r))} ≥ 0. Pass every policy of the run.
//
// Two worst cases are measured on games of their own, so the interval of their
// difference takes the distances to the two ends as root of the sum of squares
// (Zou and Donner 2008). The gap's upper end is the largest against any other policy, its
// lower end that against the least mean, which is the least by its games too: as if
// all n others had been compared, at 1 − .05/n (Bonferroni). Both are at least 0: also the
// policy that seems best may have a gap. What a short search found is a looser bound with a wide interval, so no other policy's
// upper end is against it.
func Gaps(curves []Curve) [][]record.Estimate {
	levels := levels(curves)
	out := make([][]record.Estimate, len(curves))
	for p := range curves {
		out[p] = make([]record.Estimate, len(levels))
		for k := range levels {
			out[p][k] = gap(curves, p, k)
		}
	}
	return out
}

func gap(curves []Curve, p, k int) record.Estimate {
	mine := curves[p].Worst[k]
	best := leastAt(curves, k)
	e := record.Estimate{Confidence: sim.Confidence, Games: mine.Games, Warnings: mine.Warnings}
	e.Mean = mine.Mean - curves[best].Worst[k].Mean
	for q := range curves {
		if q == p {
			continue
		}
		lo, hi := minus(mine.Estimate, curves[q].Worst[k].Estimate)
		if q == best || curves[q].Short == nil || !curves[q].Short[k] {
			e.Hi = max(e.Hi, hi)
		}
		if q == best {
			n := float64(len(curves) - 1)
			wide := math.Erfinv(1-(1-sim.Confidence)/n) / math.Erfinv(sim.Confidence)
			e.Lo = max(0, e.Mean-wide*(e.Mean-lo))
		}
	}
	return e
}

// minus returns the interval of a − b, independent estimates.
func minus(a, b record.Estimate) (lo, hi float64) {
	diff := a.Mean - b.Mean
	return diff - math.Hypot(a.Mean-a.Lo, b.Hi-b.Mean), diff + math.Hypot(a.Hi-a.Mean, b.Mean-b.Lo)
}

// Holders are, per level, [K], which curve holds the benchmark: the first whose worst case
// there is least.
func Holders(curves []Curve) []int {
	holders := make([]int, len(levels(curves)))
	for k := range holders {
		holders[k] = leastAt(curves, k)
	}
	return holders
}

// Unsettled returns, per curve, the levels at which it holds the benchmark and that settled, of the same
// length, lacks; and, in order, the curves that have any. The least of many worst cases is most likely one of which a search
// missed something, or that its games flatter, so a policy that holds one is looked at again until no other comes to hold one.
func Unsettled(curves []Curve, settled [][]float64) (held [][]float64, todo []int) {
	held = make([][]float64, len(curves))
	for k, i := range Holders(curves) {
		if r := curves[i].Worst[k].Level; !slices.Contains(settled[i], r) {
			if held[i] == nil {
				todo = append(todo, i)
			}
			held[i] = append(held[i], r)
		}
	}
	return held, todo
}

// leastAt returns the first curve whose worst case at level k is least.
func leastAt(curves []Curve, k int) int {
	best := 0
	for q, c := range curves {
		if c.Worst[k].Mean < curves[best].Worst[k].Mean {
			best = q
		}
	}
	return best
}

// levels returns those all curves have.
func levels(curves []Curve) []float64 {
	if len(curves) == 0 {
		panic("judge: no curves")
	}
	var levels []float64
	for _, w := range curves[0].Worst {
		levels = append(levels, w.Level)
	}
	for _, c := range curves {
		if len(c.Worst) != len(levels) {
			panic(fmt.Sprintf("judge: the curve of %s has %d levels, want %d", c.Policy, len(c.Worst), len(levels)))
		}
		for k, w := range c.Worst {
			if w.Level != levels[k] {
				panic(fmt.Sprintf("judge: the curve of %s is at level %g, want %g", c.Policy, w.Level, levels[k]))
			}
		}
	}
	return levels
}
