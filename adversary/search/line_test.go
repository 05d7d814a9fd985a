package search

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// A long breeding leads to instances that are worse, as played exactly, than those it began with:
// more so, the longer it goes on.
func TestLine(t *testing.T) {
	p := check.Thresholds(9, 5)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	policy := rival.Uncertainty(p)
	flow := g.Flow(policy)
	const seeds = 6
	var found []float64
	for _, generations := range []int{0, 2, 40} {
		var mean float64
		for seed := range uint64(seeds) {
			s := &Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: policy, Levels: []float64{8}, Key: rng.New(seed), Effort: Effort{
				Starts: 4, Screen: 16, Finals: 2, Line: Line{Parents: 6, Young: 12, Games: 64, Generations: generations, From: .25, To: .02},
			}}
			h, err := s.hunt(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := h.start(); err != nil {
				t.Fatal(err)
			}
			if err := h.breedLong(); err != nil {
				t.Fatal(err)
			}
			best := h.top(h.trials, 0, 1)[0]
			if best.rho != s.C.Of(best.theta) || !game.Within(best.rho, 8) {
				t.Errorf("seed %d: ρ̃ = %v, noted %v", seed, s.C.Of(best.theta), best.rho)
			}
			mean += flow.Loss(s.Loss, best.theta) / seeds
		}
		found = append(found, mean)
	}
	t.Logf("%.4f", found)
	if !(found[0]+.01 < found[1] && found[1]+.01 < found[2]) {
		t.Errorf("0, 2 and 40 generations lead to losses of %.4f", found)
	}
}

// What plays on is known by all its games, and those of one instance do not depend on the others.
func TestPlayOn(t *testing.T) {
	p := check.Thresholds(4, 4)
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: check.Wavy{P: p}, Levels: []float64{40}, Key: rng.New(1)}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{.3, .2, -.4, -.5}
	a, b := &trial{theta: theta, mean: .25, games: 30}, &trial{theta: theta}
	other := &trial{theta: []float64{.9, -.2, .4, -.5}}
	if err := h.playOn([]*trial{other, a, b}, 90, rng.New(2)); err != nil {
		t.Fatal(err)
	}
	if a.games != 120 || b.games != 90 || math.Abs(a.mean-(.25*30+b.mean*90)/120) > 1e-12 {
		t.Errorf("after .25 in 30 games, 90 more of %v make %v in %d", b.mean, a.mean, a.games)
	}
	again := &trial{theta: theta}
	if err := h.playOn([]*trial{again}, 90, rng.New(2)); err != nil || again.mean != b.mean {
		t.Errorf("alone it loses %v, beside others %v (%v)", again.mean, b.mean, err)
	}
}
