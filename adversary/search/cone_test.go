package search

import (
	"math"
	"slices"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestVectorProposals: of 4,000 proposals on vectors none is above its level or outside of the column space, and most hug the
// level.
func TestVectorProposals(t *testing.T) {
	const n = 4000
	p := check.RandomVectors(4, 12, 0, 6, rng.New(1).Rand())
	p.Ease(difficulty.Anchors(p))
	least := difficulty.Cells(p)
	easy := slices.Min(least)
	levels := []float64{1.3 * easy, 4 * easy, 16 * easy}
	made := propose(t, p, levels, n)
	near, best := 0, map[int]int{}
	for _, one := range made {
		again := slices.Clone(one.theta)
		p.Admit(again)
		if check.Farthest(one.theta, again) > 1e-9 {
			t.Fatalf("%v is outside of the column space", one.theta)
		}
		if one.rho > 0.9*levels[one.level] {
			near++
		}
		best[p.Instance(one.theta).Best]++
	}
	t.Logf("%d of %d made, %d near their level, of %d hypotheses", len(made), n, near, len(best))
	if len(made) < n*3/4 || near < len(made)/2 {
		t.Errorf("%d of %d were made, %d near their level", len(made), n, near)
	}
	for k, rho := range least {
		if rho < 0.8*levels[2] && best[k] == 0 {
			t.Errorf("hypothesis %d, of ρ̃ from %v on, is never best", k, rho)
		}
	}
}

// TestVectorSearch: two hypotheses and one direction that tells them apart make a game of one arm, θ = ±1/√r, of which the worst
// case is known: a policy that asks each query alike errs with probability P(Σ answers < 0) + ½P(= 0).
func TestVectorSearch(t *testing.T) {
	p := check.Vectors([][]float64{{1}, {1}, {-1}}, [][]float64{{1}, {-1}}, 5) // a = 2·x: ρ̃ = 4/(2θ)²
	worst := run(t, &Search{P: p, C: difficulty.Of(p), Loss: game.BestIdentification, Policy: check.Even{P: p}, Levels: []float64{4}, Key: rng.New(2),
		Effort: Effort{Starts: 20, Screen: 16, Rungs: []Rung{{4, 4, 32, .05, .01, 0}}, Finals: 2, Replay: 200, Report: 4000, HalfWidth: .02, MaxReport: 4000}})
	// Five answers of mean ½: at most two of them agree with θ.
	want := 0.0
	for k, ways := range []float64{1, 5, 10} {
		want += ways * math.Pow(.75, float64(k)) * math.Pow(.25, float64(5-k))
	}
	if w := worst[0]; math.Abs(w.Mean-want) > 4*(w.Hi-w.Lo)/2 {
		t.Errorf("errs in %.4f [%.4f, %.4f], want %.4f", w.Mean, w.Lo, w.Hi, want)
	}
}
