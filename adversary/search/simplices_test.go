package search

import (
	"math"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// admitted reports whether theta is an instance of p.
func admitted(p *game.Problem, theta []float64) bool {
	again := append([]float64(nil), theta...)
	p.Admit(again)
	return check.Farthest(again, theta) < 1e-9
}

// TestClassStarts: every start and every move makes, once projected, probabilities within the level.
func TestClassStarts(t *testing.T) {
	for _, p := range []*game.Problem{check.Pool(12, 4, 3, 3, false, rng.New(1).Rand()), check.Pool(12, 4, 2, 3, false, rng.New(2).Rand())} {
		c := game.RhoTilde(p)
		s, least, r := newShapes(p, c), difficulty.Cells(p), rng.New(3).Rand()
		grad, theta, other := make([]float64, p.Queries()), make([]float64, p.Queries()), make([]float64, p.Queries())
		for k := range p.Hypotheses() {
			s.anchor(theta, k)
			if rho := c.Of(theta); math.Abs(rho/least[k]-1) > 1e-9 || p.Instance(theta).Best != k || !admitted(p, theta) {
				t.Errorf("the anchor of model %d has ρ̃ %v, want %v", k, rho, least[k])
			}
		}
		s.random(other, r)
		try := func(what string, number int) {
			level := least[0] * (1 + 9*r.Float64())
			rho, ok := project(s, c, theta, level, grad)
			if !ok {
				return
			}
			if harder := s.harden(theta, rho, level); harder < rho*(1-1e-9) {
				t.Fatalf("%s %d: harden takes ρ̃ from %v to %v", what, number, rho, harder)
			}
			if !admitted(p, theta) || !game.Within(c.Of(theta), level) {
				t.Fatalf("%s %d: ρ̃ %v at level %v, or no probabilities: %v", what, number, c.Of(theta), level, theta)
			}
		}
		for range 20 {
			for j, family := range s.families {
				family(theta, r)
				try("start", j)
			}
			for j, move := range moves {
				move(s, theta, other, r)
				try("move", j)
			}
		}
	}
}

// TestClassSearch: the search comes to the worst case of a fine grid, worked out exactly.
func TestClassSearch(t *testing.T) {
	p := check.Pool(2, 3, 3, 1, false, rng.New(6).Rand())
	policy, c := check.Even{P: p}, game.RhoTilde(p)
	level, worst := 4*difficulty.Cells(p)[0], 0.0
	theta := make([]float64, p.Queries())
	var grid func(i int)
	exactly := func() {
		if !(c.Of(theta) <= level) {
			return
		}
		var mean float64
		for _, g := range check.Games(p, policy, theta) {
			lost, _ := g.Lost(p, game.SimpleRegret, theta)
			mean += g.Prob * lost
		}
		worst = max(worst, mean)
	}
	grid = func(i int) {
		if i == len(theta) {
			exactly()
			return
		}
		lo, hi := p.Together(i)
		left := 2.0
		for _, v := range theta[lo:i] {
			left -= 1 + v
		}
		for at := 0.0; at <= left+1e-9; at += .2 {
			if theta[i] = at - 1; i == hi-1 && p.Seek.(*game.Labels).All(p.Seek.(*game.Labels).CellOf(i)) {
				theta[i] = left - 1
				grid(i + 1)
				return
			}
			grid(i + 1)
		}
	}
	grid(0)
	effort, _ := Efforts("smoke")
	found, err := (&Search{P: p, C: c, Loss: game.SimpleRegret, Policy: policy, Levels: []float64{level}, Effort: effort, Key: rng.New(1)}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := found[0]; got.Hi < worst {
		t.Errorf("the search finds %v [%v, %v]; a grid has %v", got.Mean, got.Lo, got.Hi, worst)
	} else {
		t.Logf("search %v, grid %v", got.Mean, worst)
	}
}
