package search

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// Of a thousand corners the worst within the level is found or what is nearly as bad, as
// played exactly, whatever the streams: a quarter as many are looked at, half in doubt somewhere.
func TestCorners(t *testing.T) {
	p := check.Thresholds(10, 4)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	const seeds = 6
	for _, name := range []string{"uniform", "uncertainty", "sgbs:0.1"} {
		policy, err := rival.Parse(p, game.BestIdentification, name)
		if err != nil {
			t.Fatal(err)
		}
		flow := g.Flow(policy)
		for _, level := range []float64{8, 25} {
			s := &Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: policy, Levels: []float64{level}, Effort: fewCorners}
			worst := brute(t, p, policy, s.Loss, s.Levels, []float64{-box, box})[0]
			var mean float64
			for seed := range seeds {
				s.Key = rng.New(uint64(seed))
				found := worstSure(t, s, flow)
				mean += found / seeds
				if found < .85*worst {
					t.Errorf("%s, r = %v, seed %d: found %.3f, the worst corner loses %.3f", name, level, seed, found, worst)
				}
			}
			// A corner is known from 48 to 192 games, of whose mean .04 to .07 is a deviation: the best few, of which the
			// final would choose, mostly hold the worst or its like.
			if mean < .97*worst {
				t.Errorf("%s, r = %v: found %.3f on average, the worst corner loses %.3f", name, level, mean, worst)
			}
		}
	}
}

var fewCorners = Effort{Starts: 80, Screen: 12, Brood: 30, Corners: 8, Finals: 6}

// worstSure is what flow loses on the worst that s's search of corners comes across.
func worstSure(t *testing.T, s *Search, flow *exact.Flow) (worst float64) {
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.corners(); err != nil {
		t.Fatal(err)
	}
	for _, at := range h.seen {
		if at.rho > s.Levels[0] || at.rho != s.C.Of(at.theta) {
			t.Errorf("ρ̃ = %v at level %v, noted %v", s.C.Of(at.theta), s.Levels[0], at.rho)
		}
		worst = max(worst, flow.Loss(s.Loss, at.theta))
	}
	return worst
}

// Doubt is about answers by which the best hypothesis and those next to it differ; all others
// stay certain.
func TestDoubt(t *testing.T) {
	p := check.Thresholds(12, 4)
	s := newShapes(p, game.RhoTilde(p))
	r := rng.New(1).Rand()
	doubted := 0
	for range 2000 {
		before, theta := make([]float64, p.Queries()), make([]float64, p.Queries())
		s.parity(before, 1+r.IntN(3), r)
		copy(theta, before)
		s.doubt(theta, r)
		best := p.Instance(before).Best
		for i, v := range theta {
			if v == before[i] {
				continue
			}
			doubted++
			// Query i tells threshold i from i+1; up to four next to the best, or to an end.
			if far := max(best-1-i, i-best); far > 3 || v*s.sign(best, i) < 0 || math.Abs(v) > 1 {
				t.Fatalf("%v: query %d is in doubt, %d from the best hypothesis, %d", theta, i, far, best)
			}
		}
	}
	if doubted < 2000 {
		t.Errorf("only %d answers of 2,000 instances are in doubt", doubted)
	}
}

// TestCornersOfBank: a corner of the bank is among what corners measures, whether its answers are yes or no; what is in doubt
// somewhere is not.
func TestCornersOfBank(t *testing.T) {
	p := check.Thresholds(6, 4)
	corner, doubt := []float64{box, box, box, -box, -box, -box}, []float64{box, box, box, -box, -box, -.3}
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: check.Wavy{P: p}, Levels: []float64{60}, Key: rng.New(1),
		Bank: &Bank{Thetas: [][]float64{corner, doubt}}, Effort: Effort{Starts: 4, Screen: 8, Finals: 1000}}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.corners(); err != nil {
		t.Fatal(err)
	}
	has := func(theta []float64) bool {
		return slices.ContainsFunc(h.seen, func(t *trial) bool { return slices.Equal(t.theta, theta) })
	}
	if !has(corner) || has(doubt) {
		t.Errorf("measured: the corner %v, the instance in doubt %v", has(corner), has(doubt))
	}
}
