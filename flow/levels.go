package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo"
	"mapo/baseline"
	"mapo/complexity"
	"mapo/nn"
	"mapo/rng"
	"mapo/search"
	"mapo/spec"
)

// Uniform counts as saturated where its worst case reaches this share of its
// worst case at farthest times the least difficulty.
const (
	saturated = 0.95
	farthest  = 1 << 9
)

// mostLevels is how many default levels a scale trains for.
var mostLevels = map[string]int{"smoke": 3, "desk": 5, "paper": 9}

// mostDear is how many desk does where games are very dear.
const mostDear = 3

var errNoDifficulty = errors.New("no given instance has a single best hypothesis, so none has a difficulty: correct the instances")

// least is the difficulty of the easiest instance of Θ, +Inf where none given has one.
func (p *Plan) least() float64 {
	if p.Finite == nil {
		return complexity.LeastRho(p.Problem)
	}
	least, rho := math.Inf(1), mapo.RhoTilde(p.Problem)
	for _, theta := range p.Finite {
		least = min(least, rho.Of(theta))
	}
	return least
}

// DefaultLevels chooses p's levels where nobody gave them: those of reading 8, to
// where a short search finds Uniform's loss saturated, thinned evenly to as many
// as the scale trains for. Its LevelsNote then says which were chosen and why.
func DefaultLevels(ctx context.Context, p *Plan, workers int) error {
	all, least := spec.DefaultLevels(p.Problem, farthest*complexity.LeastRho(p.Problem)), p.least()
	if p.Finite != nil {
		all = slices.DeleteFunc(all, func(r float64) bool { return r < least })
	}
	if len(all) == 0 && math.IsInf(least, 1) {
		return errNoDifficulty
	}
	if len(all) == 0 {
		return fmt.Errorf("none of the given instances has a difficulty that levels could be chosen for: give levels in the spec")
	}
	effort, err := search.Efforts("smoke")
	if err != nil {
		return err
	}
	s := &search.Search{
		P: p.Problem, C: mapo.RhoTilde(p.Problem), Loss: p.Loss, Policy: baseline.Uniform(p.Problem), Levels: all,
		Finite: p.Finite, Effort: effort, Key: rng.New(p.Seed).Name("levels"), Workers: workers,
	}
	worst, err := s.Run(ctx)
	if err != nil {
		return fmt.Errorf("choose levels: %w", err)
	}
	last := len(all) - 1
	for last > 0 && worst[last-1].Mean >= saturated*worst[len(all)-1].Mean {
		last--
	}
	most := mostLevels[p.Scale]
	if p.Scale == "desk" && nn.Work(p.Problem) > veryDear {
		most = mostDear
	}
	p.Levels = thin(all[:last+1], most)
	p.LevelsNote = fmt.Sprintf("No levels were given, so these were chosen: %s. The easiest instance has difficulty %.3g, and from about r = %.4g on Uniform's worst case hardly grows.",
		list(p.Levels), least, all[last])
	return nil
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

// list is levels in words.
func list(levels []float64) string {
	var out []string
	for _, r := range levels {
		out = append(out, fmt.Sprintf("%.4g", r))
	}
	return strings.Join(out, ", ")
}
