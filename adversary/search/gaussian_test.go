package search

import (
	"math"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// TestTwoGaussianArms: in the worst case over |θ_1 − θ_2| ≥ Δ no policy errs less than Φ(−Δ√T/2σ), and one that pulls both
// alike errs as often.
func TestTwoGaussianArms(t *testing.T) {
	p := check.BestArm(2, 8)
	p.Difficulty, p.Reply = difficulty.MAB, game.Answers{Sigma: 2, Bound: 2.5}
	levels := []float64{1, 8} // 1/Δ²
	little := Effort{
		Starts: 20, Screen: 16, Brood: 4, Generations: 1,
		Rungs: []Rung{{4, 8, 32, .08, .01, 0}}, Finals: 2, Replay: 200, Report: 2000, HalfWidth: .02, MaxReport: 4000,
	}
	for _, c := range []struct {
		policy   game.Policy
		balanced bool
	}{{rival.SuccessiveRejects(p), true}, {rival.Uniform(p), false}, {rival.TopTwo(p), false}} {
		worst := run(t, &Search{P: p, C: difficulty.Of(p), Loss: game.BestIdentification, Policy: c.policy, Levels: levels, Effort: little, Key: rng.New(5)})
		for k, w := range worst {
			gap := 1 / math.Sqrt(levels[k])
			least := math.Erfc(gap*math.Sqrt(float64(p.T))/(2*.8)/math.Sqrt2) / 2
			slack := 2.5 * (w.Hi - w.Lo) / 2 // of 95 %: 6 checks fail once in 10⁵ runs
			if w.Mean < least-slack || c.balanced && w.Mean > least+slack {
				t.Errorf("%v at r = %v errs in %.4f [%.4f, %.4f], and Φ is %.4f", c.policy, w.Level, w.Mean, w.Lo, w.Hi, least)
			}
		}
	}
}
