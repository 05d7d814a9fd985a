package pretrain

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mapo/adversary/search"
	"mapo/difficulty"
	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/rival"
	"mapo/record"
	"mapo/rng"
)

// Validation says how a pretraining is compared with fixed policies as it goes, on held-out problems of its family.
type Validation struct {
	Tables int `yaml:"tables"` // problems, each at its two lowest levels; 0: nothing is compared
	Every  int `yaml:"every"`  // steps between two comparisons
	Games  int `yaml:"games"`  // of each average
}

// Result is how a policy does on the validation problems, as means over them with half-widths of 95 % intervals. They are for these
// problems: what other problems would give is not in them.
type Result struct {
	Policy      string
	Right       float64 // the share of games right on average over the rows
	RightWithin float64
	// Worst is the mean of its worst cases as found, over the pairs of problem and level in which the best policy's is from 0.05
	// to 0.9. It is a lower bound, and NaN where there is no such pair.
	Worst       float64
	WorstWithin float64
}

// fixed are the policies compared with.
var fixed = []string{"uniform", "uncertainty", "gain:1", "information:0.03"}

// The range of the best policy's worst case within which a pair of problem and level tells policies apart.
const (
	easyPair = 0.05
	hardPair = 0.9
)

// validation compares on fixed problems. The results of the fixed policies are kept once they are known.
type validation struct {
	c      *Config
	key    rng.Key
	pairs  []pair
	rivals [][]pair // of fixed
}

// pair is what is known of a policy on one problem.
type pair struct {
	p      *game.Problem
	levels []float64
	wrong  record.Estimate   // the share of games that are not right
	worst  []record.Estimate // [levels]
}

func newValidation(c *Config, key rng.Key) *validation { return &validation{c: c, key: key} }

// due reports whether a comparison follows that step.
func (v *validation) due(step int) bool {
	return v.c.Validate.Tables > 0 && (step%v.c.Validate.Every == 0 || step == v.c.Steps)
}

// compare returns the results of the fixed policies, and of psi.
func (v *validation) compare(ctx context.Context, psi []float32, workers int) ([]Result, error) {
	if v.rivals == nil {
		if err := v.begin(ctx, workers); err != nil {
			return nil, err
		}
	}
	names, all := slices.Clone(fixed), slices.Clone(v.rivals)
	judged, err := v.judge(ctx, workers, func(p *game.Problem) (game.Policy, error) { return policyOf(p, psi), nil })
	if err != nil {
		return nil, err
	}
	return v.results(append(names, "pretrained"), append(all, judged)), nil
}

// begin draws the problems and judges the fixed policies on them.
func (v *validation) begin(ctx context.Context, workers int) error {
	var pairs []pair
	for i := range v.c.Validate.Tables {
		p, levels, err := problem(&v.c.Family, v.key.At(i))
		if err != nil {
			return fmt.Errorf("pretrain: validation problem %d: %w", i+1, err)
		}
		pairs = append(pairs, pair{p: p, levels: levels[:min(2, len(levels))]})
	}
	v.pairs = pairs
	var rivals [][]pair
	for _, name := range fixed {
		judged, err := v.judge(ctx, workers, func(p *game.Problem) (game.Policy, error) {
			return rival.Parse(p, game.BestIdentification, name)
		})
		if err != nil {
			return err
		}
		rivals = append(rivals, judged)
	}
	v.rivals = rivals
	return nil
}

// judge measures a policy on each problem by a short search and some games.
func (v *validation) judge(ctx context.Context, workers int, of func(p *game.Problem) (game.Policy, error)) ([]pair, error) {
	effort, err := search.Efforts("smoke")
	if err != nil {
		return nil, err
	}
	out := slices.Clone(v.pairs)
	for i := range out {
		x := &out[i]
		policy, err := of(x.p)
		if err != nil {
			return nil, err
		}
		key := v.key.Name("judge").At(i)
		hunt := search.Search{
			P: x.p, C: difficulty.Of(x.p), Loss: game.BestIdentification, Policy: policy, Levels: x.levels, Effort: effort.Graded(x.p, 1),
			Key: key, Workers: workers,
		}
		worst, err := hunt.Run(ctx)
		if err != nil {
			return nil, err
		}
		x.worst = nil
		for _, w := range worst {
			x.worst = append(x.worst, w.Estimate)
		}
		play := sim.Play{P: x.p, Policy: policy, Workers: workers}
		average, err := play.Average(ctx, game.DrawShares(x.p, 0), v.c.Validate.Games, key.Name("average"), game.BestIdentification)
		if err != nil {
			return nil, err
		}
		x.wrong = average[0]
	}
	return out, nil
}

// results returns the means of each policy.
func (v *validation) results(names []string, all [][]pair) []Result {
	var told [][2]int // pairs of problem and level that tell policies apart
	for i := range v.pairs {
		for k := range v.pairs[i].levels {
			best := math.Inf(1)
			for j := range all {
				best = min(best, all[j][i].worst[k].Mean)
			}
			if best >= easyPair && best <= hardPair {
				told = append(told, [2]int{i, k})
			}
		}
	}
	out := make([]Result, len(names))
	for j, name := range names {
		var wrong, worst []record.Estimate
		for _, x := range all[j] {
			wrong = append(wrong, x.wrong)
		}
		for _, at := range told {
			worst = append(worst, all[j][at[0]].worst[at[1]])
		}
		out[j].Policy = name
		out[j].Right, out[j].RightWithin = mean(wrong)
		out[j].Right = 1 - out[j].Right
		if out[j].Worst, out[j].WorstWithin = mean(worst); len(told) == 0 {
			out[j].Worst = math.NaN()
		}
	}
	return out
}

// mean returns that of independent estimates, with the half-width that theirs add up to: the root of the sum of squares, over how many
// they are. 0 of none.
func mean(all []record.Estimate) (value, within float64) {
	for _, e := range all {
		half := (e.Hi - e.Lo) / 2
		value, within = value+e.Mean, within+half*half
	}
	n := max(1, float64(len(all)))
	return value / n, math.Sqrt(within) / n
}
