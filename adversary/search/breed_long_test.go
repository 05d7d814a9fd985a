package search

import (
	"math"
	"slices"
	"sync"
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

// TestLineKeepsParents: a trial that was made for another level plays on at each level that it is among the best of.
func TestLineKeepsParents(t *testing.T) {
	p := check.Thresholds(5, 4)
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: check.Wavy{P: p}, Levels: []float64{8, 40}, Key: rng.New(3), Effort: Effort{
		Finals: 2, Line: Line{Parents: 3, Young: 4, Games: 16, Generations: 3, From: .2, To: .1},
	}}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	theta := make([]float64, 5)
	h.shape.anchor(theta, 2)
	rho := s.C.Of(theta)
	if !game.Within(rho, 8) {
		t.Fatalf("ρ̃ is %v", rho)
	}
	// So many games that no other seems as bad after the few that are played here.
	h.trials = []*trial{{theta: theta, rho: rho, level: 1, mean: .99, games: 1_000_000}}
	if err := h.breedLong(); err != nil {
		t.Fatal(err)
	}
	for k := range h.Levels {
		if !slices.ContainsFunc(h.trials[1:], func(t *trial) bool { return t.level == k && slices.Equal(t.theta, theta) }) {
			t.Errorf("the worst trial is not kept at level %d", k)
		}
	}
}

// turns notes the queries that are turned.
type turns struct {
	geometry
	lock sync.Mutex
	of   map[int]bool
}

func (g *turns) turn(theta []float64, i int) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.of[i] = true
	g.geometry.turn(theta, i)
}

// TestBreedTurnsEach: of three times as many young as there are queries each query is turned once, where 3 divides their number
// too.
func TestBreedTurnsEach(t *testing.T) {
	const d = 30
	p := check.Thresholds(d, 4)
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: check.Wavy{P: p}, Levels: []float64{60}, Key: rng.New(4), Effort: Effort{Finals: 2, Brood: 3 * d, Generations: 1}}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	theta := make([]float64, d)
	h.shape.anchor(theta, d/2)
	h.trials = []*trial{{theta: theta, rho: s.C.Of(theta), mean: .5, games: 8}}
	noted := &turns{geometry: h.shape.geometry, of: map[int]bool{}}
	h.shape.geometry = noted
	if err := h.breedBriefly(8, rng.New(5)); err != nil {
		t.Fatal(err)
	}
	if len(noted.of) != d {
		t.Errorf("%d of %d queries were turned", len(noted.of), d)
	}
}
