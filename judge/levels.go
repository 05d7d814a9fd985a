package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo/adversary/search"
	"mapo/difficulty"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/rng"
)

// Uniform counts as saturated where its worst case reaches this share of its
// worst case at farthest times the least difficulty.
const (
	saturated = 0.95
	farthest  = 1 << 9
)

// mostLevels is how many default levels a scale trains for.
var mostLevels = map[string]int{"smoke": 3, "desk": 5, "paper": 9}

// mostCostly is how many desk does where games are very costly.
const mostCostly = 3

var errNoDifficulty = errors.New("no given instance has a single best hypothesis, so none has a difficulty: correct the instances")

// Least returns the difficulty of the easiest instance of Θ, or of finite where that is not nil: +Inf where none of it has one.
func Least(p *game.Problem, finite [][]float64) float64 {
	if finite == nil {
		return difficulty.Least(p)
	}
	least, rho := math.Inf(1), difficulty.Of(p)
	for _, theta := range finite {
		least = min(least, rho.Of(theta))
	}
	return least
}

// leastFor returns [Least], or something above it that is within Θ^(r): of a large table some rows mostly show that r is not too low.
func leastFor(p *game.Problem, finite [][]float64, r float64) float64 {
	if finite == nil && difficulty.Large(p) {
		if _, rho := difficulty.Easiest(p); game.Within(slices.Min(rho), r) {
			return slices.Min(rho)
		}
	}
	return Least(p, finite)
}

// CheckLevels reports the first level that cannot be one of p's, its Θ being finite where that is not nil.
func CheckLevels(p *game.Problem, finite [][]float64, levels []float64) error {
	var least float64
	if len(levels) > 0 {
		least = leastFor(p, finite, levels[0])
	}
	easiest := "any instance of this problem has"
	if finite != nil {
		easiest = fmt.Sprintf("of the %d given instances", len(finite))
	}
	for k, r := range levels {
		switch {
		case !(r > 0) || math.IsInf(r, 0):
			return fmt.Errorf("level %g is not a positive number", r)
		case r > game.MostLevel:
			return fmt.Errorf("level %g is above %g, beyond any use: lower it or drop it", r, game.MostLevel)
		case k > 0 && r <= levels[k-1]:
			return fmt.Errorf("level %g does not follow %g: levels increase", r, levels[k-1])
		case math.IsInf(least, 1) && finite == nil:
			return errAlike
		case math.IsInf(least, 1):
			return errNoDifficulty
		case !game.Within(least, r):
			return fmt.Errorf("level %g is below %s, the least difficulty %s: raise it or drop it", r, difficulty.Above(least), easiest)
		}
	}
	return nil
}

// Choice is what levels are chosen for.
type Choice struct {
	P       *game.Problem
	Loss    game.Loss
	Finite  [][]float64 // Θ, where it is not all of it
	Scale   string      // smoke, desk or paper
	Seed    uint64
	Workers int // 0: as many as the machine runs at once; no level depends on it
}

// Levels chooses levels: where hypotheses are graded those of [difficulty.RowLevels], of a pool those of [difficulty.PoolLevels], else those of reading 8, to
// where a short search finds Uniform's loss saturated, thinned evenly to as many
// as the scale trains for. The note says which were chosen and why.
func (c Choice) Levels(ctx context.Context) (levels []float64, note string, err error) {
	if c.Finite == nil {
		return kindOf(c.P).levels(ctx, c)
	}
	return c.gridLevels(ctx)
}

// gridLevels chooses those of reading 8.
func (c Choice) gridLevels(ctx context.Context) (levels []float64, note string, err error) {
	easiest := difficulty.Least(c.P)
	if math.IsInf(easiest, 1) {
		return nil, "", errAlike
	}
	all, least := difficulty.Levels(c.P, farthest*easiest), Least(c.P, c.Finite)
	if c.Finite != nil {
		all = slices.DeleteFunc(all, func(r float64) bool { return r < least })
	}
	if len(all) == 0 && math.IsInf(least, 1) {
		return nil, "", errNoDifficulty
	}
	if len(all) == 0 {
		return nil, "", errors.New("none of the given instances has a difficulty that levels could be chosen for: give levels in the spec")
	}
	last, err := c.saturates(ctx, all)
	if err != nil {
		return nil, "", err
	}
	levels = thin(all[:last+1], c.most())
	return levels, fmt.Sprintf("No levels were given, so these were chosen: %s. The easiest instance has difficulty %.3g, and from about r = %.4g on Uniform's worst case hardly grows.",
		ListLevels(levels), least, all[last]), nil
}

// most returns how many levels are chosen at most.
func (c Choice) most() int {
	if c.Scale == "desk" && nn.Work(c.P) > veryCostly {
		return mostCostly
	}
	return mostLevels[c.Scale]
}

// saturates returns the index of the first level where Uniform's worst case, as a short search finds it, is near that of the last.
func (c Choice) saturates(ctx context.Context, levels []float64) (int, error) {
	effort, err := search.Efforts("smoke")
	if err != nil {
		return 0, err
	}
	s := &search.Search{
		P: c.P, C: difficulty.Of(c.P), Loss: c.Loss, Policy: rival.Uniform(c.P), Levels: levels,
		Finite: c.Finite, Effort: effort, Key: rng.New(c.Seed).Name("levels"), Workers: c.Workers,
	}
	worst, err := s.Run(ctx)
	if err != nil {
		return 0, fmt.Errorf("choose levels: %w", err)
	}
	last := len(levels) - 1
	for last > 0 && worst[last-1].Mean >= saturated*worst[len(levels)-1].Mean {
		last--
	}
	return last, nil
}

// thin keeps at most n of levels, the ends among them, as even as may be.
func thin(levels []float64, n int) []float64 {
	if n < 2 || len(levels) <= n {
		return levels
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = levels[(2*i*(len(levels)-1)+n-1)/(2*(n-1))]
	}
	return out
}

// ListLevels returns levels in words.
func ListLevels(levels []float64) string {
	var out []string
	for _, r := range levels {
		out = append(out, fmt.Sprintf("%.4g", r))
	}
	return strings.Join(out, ", ")
}
