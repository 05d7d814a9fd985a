package posterior_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/posterior"
)

// TestUntil: the rule stops where the posterior of one state after the other reaches the confidence, also where that is the
// largest weight itself and a float64 above it, with queries asked once or more often, half answers, and a known share of wrong
// answers.
func TestUntil(t *testing.T) {
	r, tenth := rand.New(rand.NewPCG(7, 48)), 0.1
	for _, c := range []struct {
		wrong *float64
		most  int // answers to one query
	}{{nil, 1}, {nil, 3}, {&tenth, 1}} {
		p := check.Graded(20, 30, 15, r)
		p.AskOnce, p.Seek.(*game.Shares).Wrong = c.most == 1, c.wrong
		p.Grade()
		d, rows := p.Queries(), posterior.NewRows(p)
		const states = 400
		s := game.States{N: make([]float32, states*d), S: make([]float32, states*d)}
		weight, belief := make([]float64, states), new(posterior.Belief)
		for b := range states {
			object := r.IntN(p.Hypotheses())
			for _, i := range r.Perm(d)[:b%15] {
				for range 1 + r.IntN(c.most) {
					y := float32(-1)
					if r.Float64() < p.Seek.(*game.Shares).Yes[object*d+i] {
						y = 1
					}
					if c.most == 1 && r.IntN(8) == 0 {
						y /= 2
					}
					s.N[b*d+i], s.S[b*d+i] = s.N[b*d+i]+1, s.S[b*d+i]+y
				}
			}
			one := s.Row(b, d)
			rows.Believe(belief, one.N, one.S, nil)
			weight[b] = slices.Max(belief.Weight)
		}
		stops := 0
		for b := 1; b < states; b += 20 {
			for _, at := range []float64{weight[b], math.Nextafter(weight[b], 2), weight[b] + 2e-4, weight[b] - 2e-4} {
				got := make([]bool, states)
				rows.Until(at).Stop(got, s)
				for k, over := range got {
					if want := k%15 > 0 && weight[k] >= at; over != want {
						t.Fatalf("state %d has the weight %v; stopping at %v is %v", k, weight[k], at, over)
					}
					if over {
						stops++
					}
				}
			}
		}
		if stops == 0 {
			t.Error("no game stops: the test shows nothing")
		}
	}
}
