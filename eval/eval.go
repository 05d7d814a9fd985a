// Package eval turns plays into the numbers a run reports: worst-case curves
// over the levels ([Curve]), their benchmarks ([Benchmarks], [Holders]) and gaps ([Gaps]),
// averages over priors ([Averages]) and losses on given instances ([Instances]).
// All but the benchmarks, which training reads, are estimates with intervals.
package eval

import (
	"context"
	"fmt"
	"math"

	"mapo"
	"mapo/record"
	"mapo/rng"
	"mapo/sim"
)

// Games is how many an average or an instance is played for at desk scale: a
// half-width of at most .007 for best identification.
const Games = 20000

// Curve is a policy's worst case over the levels, ℓ(π, Θ^(r_k)), k = 1 … K.
type Curve struct {
	Policy string
	Worst  []record.Worst // [K]
}

// Benchmarks are b^(r_k), [K]: the least worst case at r_k over the curves,
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
// policy that seems best may have a gap.
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
		e.Hi = max(e.Hi, hi)
		if q == best {
			n := float64(len(curves) - 1)
			wide := math.Erfinv(1-(1-sim.Confidence)/n) / math.Erfinv(sim.Confidence)
			e.Lo = max(0, e.Mean-wide*(e.Mean-lo))
		}
	}
	return e
}

// minus is the interval of a − b, independent estimates.
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

// leastAt is the first curve whose worst case at level k is least.
func leastAt(curves []Curve, k int) int {
	best := 0
	for q, c := range curves {
		if c.Worst[k].Mean < curves[best].Worst[k].Mean {
			best = q
		}
	}
	return best
}

// levels are those all curves have.
func levels(curves []Curve) []float64 {
	if len(curves) == 0 {
		panic("eval: no curves")
	}
	var levels []float64
	for _, w := range curves[0].Worst {
		levels = append(levels, w.Level)
	}
	for _, c := range curves {
		if len(c.Worst) != len(levels) {
			panic(fmt.Sprintf("eval: the curve of %s has %d levels, want %d", c.Policy, len(c.Worst), len(levels)))
		}
		for k, w := range c.Worst {
			if w.Level != levels[k] {
				panic(fmt.Sprintf("eval: the curve of %s is at level %g, want %g", c.Policy, w.Level, levels[k]))
			}
		}
	}
	return levels
}

// Average is E_{θ∼prior} ℓ(π, θ) for one loss.
type Average struct {
	Prior string
	Loss  mapo.Loss
	record.Estimate
}

// Averages plays games (0: [Games]) on fresh draws of every prior and judges
// them by both losses: two rows a prior, in the order given. The draws and
// answers depend on key and the prior's name alone, so policies given the same
// key meet the same instances.
func Averages(ctx context.Context, play sim.Play, priors []mapo.Prior, games int, key rng.Key) ([]Average, error) {
	if games == 0 {
		games = Games
	}
	var out []Average
	for _, prior := range priors {
		es, err := play.Average(ctx, prior, games, key.Name(prior.Name()), mapo.Losses()...)
		if err != nil {
			return nil, err
		}
		for i, loss := range mapo.Losses() {
			out = append(out, Average{prior.Name(), loss, es[i]})
		}
	}
	return out, nil
}

// Instance is ℓ(π, θ) of the Index-th given θ, counted from 0, for one loss.
type Instance struct {
	Index int
	Loss  mapo.Loss
	record.Estimate
}

// Instances plays every θ in games (0: [Games]) of its own and judges them by
// both losses: two rows an instance. Given instances are played as they are,
// also at |θ_i| = 1 (reading 2).
func Instances(ctx context.Context, play sim.Play, thetas [][]float64, games int, key rng.Key) ([]Instance, error) {
	if games == 0 {
		games = Games
	}
	flat := make([]float64, 0, len(thetas)*play.P.Queries())
	for _, theta := range thetas {
		flat = append(flat, theta...)
	}
	sums, err := play.Instances(ctx, flat, games, key, mapo.Losses()...)
	if err != nil {
		return nil, err
	}
	out := make([]Instance, 0, len(thetas)*len(mapo.Losses()))
	for m, theta := range thetas {
		in := play.P.Instance(theta)
		for i, loss := range mapo.Losses() {
			out = append(out, Instance{m, loss, sums[i][m].Estimate(loss.Most(in))})
		}
	}
	return out, nil
}
