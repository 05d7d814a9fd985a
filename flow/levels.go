package flow

import (
	"context"
	"fmt"
	"math"
	"strings"

	"mapo"
	"mapo/adversary"
	"mapo/baseline"
	"mapo/rng"
)

// Default levels (reading 8): steps of √2 up to at most maxSteps of them, and
// Uniform counts as saturated where its worst case reaches that share of its
// worst case at the end.
const (
	maxSteps  = 20
	saturated = 0.95
)

// mostLevels is how many default levels a scale trains for.
var mostLevels = map[string]int{"smoke": 3, "desk": 5, "paper": 9}

// DefaultLevels chooses levels where the spec gives none: steps of √2 from the
// first 2^(i/2) ≥ 1.25·ρ̃_min to where a short search finds Uniform's loss
// saturated, thinned evenly to as many as the scale trains for. note says which
// were chosen and why.
func DefaultLevels(ctx context.Context, p *mapo.Problem, loss mapo.Loss, seed uint64, scale string, workers int) (levels []float64, note string, err error) {
	least := mapo.LeastRho(p)
	first := math.Ceil(2 * math.Log2(1.25*least))
	var all []float64
	for i := range maxSteps {
		all = append(all, math.Exp2((first+float64(i))/2))
	}
	effort, err := adversary.Efforts("smoke")
	if err != nil {
		return nil, "", err
	}
	effort.Starts /= 2
	s := &adversary.Search{
		P: p, C: mapo.RhoTilde(p), Loss: loss, Policy: baseline.Uniform(p), Levels: all, Effort: effort,
		Key: rng.New(seed).Name("levels"), Workers: workers,
	}
	worst, err := s.Run(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("choose levels: %w", err)
	}
	last := len(all) - 1
	for last > 0 && worst[last-1].Mean >= saturated*worst[len(all)-1].Mean {
		last--
	}
	levels = thin(all[:last+1], mostLevels[scale])
	return levels, fmt.Sprintf("No levels were given, so these were chosen: %s. The easiest instance has difficulty %.3g, and from about r = %.3g on Uniform's worst case grows no more.",
		list(levels), least, all[last]), nil
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
