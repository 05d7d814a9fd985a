package search

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// A trial climbs the same way whether it is alone in its block or the third of seven: to the same θ, with the same mean.
func TestClimbInBlocks(t *testing.T) {
	p := check.Thresholds(5, 4)
	for _, loss := range game.Losses() {
		s := &Search{P: p, C: game.RhoTilde(p), Loss: loss, Policy: check.Wavy{P: p}, Levels: []float64{8, 30}}
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := rng.New(12).Rand()
		var together, alone []*trial
		for i := range 7 {
			theta := make([]float64, 5)
			for j := range theta {
				theta[j] = 1.6*r.Float64() - .8
			}
			rho, ok := project(rays{p, s.C}, s.C, theta, h.Levels[i%2], make([]float64, 5))
			if !ok {
				t.Fatalf("trial %d has no instance near", i)
			}
			one := &trial{theta: theta, rho: rho, level: i % 2}
			together, alone = append(together, one), append(alone, one.clone())
		}
		rung, key := Rung{Keep: 7, Steps: 5, Games: 12, From: .1, To: .03}, rng.New(13)
		newClimber(h).run(together, rung, key, 0)
		c := newClimber(h)
		for i := range alone {
			before := slices.Clone(alone[i].theta)
			c.run(alone[i:i+1], rung, key, i)
			a, b := alone[i], together[i]
			if apart(a.theta, b.theta) > 1e-9 || math.Abs(a.rho-b.rho) > 1e-9*a.rho || math.Abs(a.mean-b.mean) > 1e-12 || a.games != b.games {
				t.Errorf("%v: alone, trial %d comes to %+v, with others %+v", loss, i, a, b)
			}
			if apart(before, a.theta) < .01 || a.games != 24 { // the games of the last two of five steps count
				t.Errorf("%v: trial %d moved by %v and has %d games", loss, i, apart(before, a.theta), a.games)
			}
		}
	}
}

// A step is a rate along each query: Adam's, which is all of it in either direction while the gradient keeps its
// sign, or one that scales all queries alike, to a root mean square of the rate, and none to more than three times that.
func TestClimbStep(t *testing.T) {
	p := check.Thresholds(4, 4)
	for _, plain := range []bool{false, true} {
		s := &Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{1e6}, Effort: Effort{Finals: 1, AppendixE: plain}}
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for number := range 2 {
			c := newClimber(h)
			c.first, c.second = make([]float64, 4), make([]float64, 4)
			one := &trial{theta: []float64{.5, .3, -.2, -.6}}
			for step := range 3 {
				before := slices.Clone(one.theta)
				grad := []float64{2, -.01, 5, -7}
				copy(c.grad, grad)
				c.step(one, 0, number, step, .02)
				for i, g := range grad {
					want := math.Copysign(.02, g)
					if number == 1 && !plain { // the mean of the past grows alike in all
						want = .02 * g / math.Sqrt((4+1e-4+25+49)/4)
					}
					if got := one.theta[i] - before[i]; math.Abs(got-want) > 1e-6 {
						t.Errorf("plain %v, trial %d: step %d moves query %d by %v, want %v", plain, number, step, i, got, want)
					}
				}
			}
		}
	}
}

// Rates fall geometrically from the first to the last.
func TestRate(t *testing.T) {
	r := Rung{Steps: 5, From: .16, To: .01}
	for i, want := range []float64{.16, .08, .04, .02, .01} {
		if got := r.rate(i); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d has the rate %v, want %v", i, got, want)
		}
	}
	if r.Steps = 1; r.rate(0) != .16 {
		t.Errorf("the only step has the rate %v, want %v", r.rate(0), r.From)
	}
}
