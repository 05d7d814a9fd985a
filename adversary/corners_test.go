package adversary

import (
	"math"
	"testing"

	"mapo"
	"mapo/baseline"
	"mapo/exact"
	"mapo/internal/check"
	"mapo/rng"
)

// Of a thousand corners, a quarter of which are looked at, the worst within the level
// is found or one that is nearly as bad, as played exactly.
func TestCorners(t *testing.T) {
	p := check.Thresholds(10, 4)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	effort := Effort{Starts: 80, Screen: 12, Brood: 30, Generations: 4, Rungs: make([]Rung, 2), Finals: 6}
	for _, name := range []string{"uniform", "uncertainty", "sgbs:0.1"} {
		policy, err := baseline.Parse(p, name)
		if err != nil {
			t.Fatal(err)
		}
		flow := g.Flow(policy)
		for _, level := range []float64{8, 25} {
			s := &Search{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, Policy: policy, Levels: []float64{level}, Effort: effort, Key: rng.New(3)}
			h, err := s.hunt(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := h.corners(); err != nil {
				t.Fatal(err)
			}
			found := 0.0
			for _, at := range h.seen {
				for _, v := range at.theta {
					if math.Abs(v) != box {
						t.Fatalf("%v is no corner", at.theta)
					}
				}
				if at.rho > level || at.rho != s.C.Of(at.theta) {
					t.Errorf("ρ̃ = %v at level %v, noted %v", s.C.Of(at.theta), level, at.rho)
				}
				found = max(found, flow.Loss(s.Loss, at.theta))
			}
			// A corner is known from 48 to 192 games, of whose mean .04 to .07 is a deviation: the best few, of which the
			// final would choose, hold the worst or its like.
			worst := brute(t, p, policy, s.Loss, s.Levels, []float64{-box, box})[0]
			if found < .95*worst {
				t.Errorf("%s, r = %v: found a corner that loses %.3f, the worst loses %.3f", name, level, found, worst)
			}
		}
	}
}
