package search

import (
	"math"
	"slices"
	"testing"

	"mapo"
	"mapo/internal/check"
	"mapo/rng"
)

// A trial climbs the same way whether it is alone in its block or the third of seven: to the same θ, with the same mean.
func TestClimbInBlocks(t *testing.T) {
	p := check.Thresholds(5, 4)
	for _, loss := range mapo.Losses() {
		s := &Search{P: p, C: mapo.RhoTilde(p), Loss: loss, Policy: check.Wavy{P: p}, Levels: []float64{8, 30}}
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
			rho, ok := project(p, s.C, theta, h.Levels[i%2], make([]float64, 5))
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
