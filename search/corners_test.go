package search

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
// is found or one that is nearly as bad, as played exactly, whatever the streams.
func TestCorners(t *testing.T) {
	p := check.Thresholds(10, 4)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	const seeds = 6
	for _, name := range []string{"uniform", "uncertainty", "sgbs:0.1"} {
		policy, err := baseline.Parse(p, name)
		if err != nil {
			t.Fatal(err)
		}
		flow := g.Flow(policy)
		for _, level := range []float64{8, 25} {
			s := &Search{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, Policy: policy, Levels: []float64{level}, Effort: fewCorners}
			worst := brute(t, p, policy, s.Loss, s.Levels, []float64{-box, box})[0]
			var mean float64
			for seed := range seeds {
				s.Key = rng.New(uint64(seed))
				found := worstCorner(t, s, flow)
				mean += found / seeds
				if found < .85*worst {
					t.Errorf("%s, r = %v, seed %d: found a corner that loses %.3f, the worst loses %.3f", name, level, seed, found, worst)
				}
			}
			// A corner is known from 48 to 192 games, of whose mean .04 to .07 is a deviation: the best few, of which the
			// final would choose, mostly hold the worst or its like.
			if mean < .97*worst {
				t.Errorf("%s, r = %v: found corners that lose %.3f on average, the worst loses %.3f", name, level, mean, worst)
			}
		}
	}
}

var fewCorners = Effort{Starts: 80, Screen: 12, Brood: 30, Corners: 8, Finals: 6}

// worstCorner is what flow loses on the worst of the corners that s comes across.
func worstCorner(t *testing.T, s *Search, flow *exact.Flow) (worst float64) {
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.corners(); err != nil {
		t.Fatal(err)
	}
	for _, at := range h.seen {
		for _, v := range at.theta {
			if math.Abs(v) != box {
				t.Fatalf("%v is no corner", at.theta)
			}
		}
		if at.rho > s.Levels[0] || at.rho != s.C.Of(at.theta) {
			t.Errorf("ρ̃ = %v at level %v, noted %v", s.C.Of(at.theta), s.Levels[0], at.rho)
		}
		worst = max(worst, flow.Loss(s.Loss, at.theta))
	}
	return worst
}
