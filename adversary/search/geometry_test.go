package search

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// gradedTable is a small graded problem with its anchors.
func gradedTable() *game.Problem {
	p := check.Graded(12, 16, 6, rand.New(rand.NewPCG(11, 12)))
	p.Ease(difficulty.Anchors(p))
	return p
}

// majorities is the problem of the answers that graded hypotheses expect.
func majorities(p *game.Problem) *game.Problem {
	return &game.Problem{Name: p.Name, X: p.X, Names: p.Names, Z: p.Bits(), T: p.T, AskOnce: p.AskOnce, Known: p.Known, Difficulty: p.Difficulty}
}

// propose makes n proposals, by starts, mutations and corners in turn, and returns those that were not given up. It fails
// where one is above its level or says a wrong difficulty.
func propose(t *testing.T, p *game.Problem, levels []float64, n int) (made []*trial) {
	t.Helper()
	s := Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: levels, Effort: Effort{Starts: 1, Finals: 1}}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parents := make([][]*trial, len(levels))
	for i := range n {
		k, key := i%len(levels), rng.New(3).At(i)
		r := key.Rand()
		theta := make([]float64, p.Queries())
		var got *trial
		switch mutant := len(parents[k]) > 20; {
		case mutant && i%4 == 1:
			got = h.corner(parents[k], k, i, key)
		case mutant && i%2 == 0:
			copy(theta, pick(parents[k], r).theta)
			moves[i/2%len(moves)](h.shape, theta, pick(parents[k], r).theta, r)
			got = h.fit(theta, k, r)
		default:
			h.shape.families[r.IntN(len(h.shape.families))](theta, r)
			got = h.fit(theta, k, r)
		}
		if got == nil {
			continue
		}
		if rho := h.C.Of(got.theta); !(rho <= levels[k]) || math.Abs(rho-got.rho) > 1e-9*rho {
			t.Fatalf("proposal %d has difficulty %v, it says %v, level %v", i, rho, got.rho, levels[k])
		}
		if slices.ContainsFunc(got.theta, func(v float64) bool { return !(math.Abs(v) <= box) }) {
			t.Fatalf("proposal %d, %v, is outside the box", i, got.theta)
		}
		made, parents[k] = append(made, got), append(parents[k], got)
	}
	return made
}

// TestProposals: of 10,000 proposals on a graded table none is above its level. No more than twice as many are given up as
// on the table's majorities, most hug the level, and every hypothesis that is easy enough gets some.
func TestProposals(t *testing.T) {
	const n = 10_000
	p := gradedTable()
	least := difficulty.Cells(p)
	top := slices.Max(least)
	levels := []float64{1.2 * slices.Min(least), 0.8 * top, 2 * top}
	made := propose(t, p, levels, n)
	plain := propose(t, majorities(p), levels, n)
	if lost := n - len(made); lost > max(2*(n-len(plain)), n/1000) {
		t.Errorf("%d of %d proposals are given up, on majorities %d", lost, n, n-len(plain))
	}
	near, best := 0, make([]int, p.Hypotheses())
	for _, it := range made {
		if it.rho > 0.97*levels[it.level] {
			near++
		}
		best[p.Instance(it.theta).Best]++
	}
	if near < len(made)*3/4 {
		t.Errorf("%d of %d proposals are near their level", near, len(made))
	}
	for k, count := range best {
		if count < 20 {
			t.Errorf("hypothesis %d, whose least ρ̃ is %v, gets %d proposals", k, least[k], count)
		}
	}
}

// TestSegments: an instance is made harder up to the level, in its own cell; stretching and carrying keep anchors where they are.
func TestSegments(t *testing.T) {
	p := gradedTable()
	c, rho, r := game.RhoTilde(p), difficulty.Cells(p), rand.New(rand.NewPCG(1, 2))
	g := newSegments(p, c, rho)
	theta, reached := make([]float64, p.Queries()), 0
	order := r.Perm(p.Queries())
	for k := range rho {
		for i, a := range g.of(k) {
			theta[i] = a + 0.1*r.NormFloat64()
		}
		game.Clip(theta)
		before := c.Of(theta)
		if p.Instance(theta).Best != k {
			continue
		}
		level := before * []float64{1.5, 50}[k%2]
		after := g.harden(theta, before, level)
		if got := p.Instance(theta).Best; got != k || after != c.Of(theta) || after > level || after < before {
			t.Errorf("hypothesis %d: from %v to %v of %v, ρ̃ = %v, where %d is best", k, before, after, level, c.Of(theta), got)
		}
		if k%2 == 0 && after > 0.97*level {
			reached++
		}
		copy(theta, g.of(k))
		g.stretch(theta, 0.7)
		if check.Farthest(theta, g.of(k)) > 1e-12 {
			t.Errorf("stretching moves the anchor of hypothesis %d", k)
		}
		other := (k + 1) % len(rho)
		g.carry(theta, k, other, order, order)
		if check.Farthest(theta, g.of(other)) > 1e-12 {
			t.Errorf("the anchor of hypothesis %d is carried to %v, not to that of hypothesis %d", k, theta, other)
		}
		copy(theta, g.of(k))
		theta[order[0]] += 0.01
		g.stretch(theta, 2)
		if got := theta[order[0]] - g.of(k)[order[0]]; math.Abs(got-0.02) > 1e-12 && p.Instance(theta).Best == k {
			t.Errorf("0.01 from the anchor is stretched by two to %v", got)
		}
	}
	if reached < len(rho)/3 {
		t.Errorf("%d of %d instances reach their level", reached, len(rho))
	}
	if _, ok := g.easier(theta, slices.Min(rho)*0.99); ok {
		t.Error("a hypothesis is said to be easier than the easiest")
	}
	if k, ok := g.easier(theta, slices.Min(rho)); !ok || rho[k] != slices.Min(rho) {
		t.Errorf("at the least ρ̃, instances go to hypothesis %d, %v", k, ok)
	}
}

// TestMixGraded: an instance that is too hard moves to its own anchor no farther than it must.
func TestMixGraded(t *testing.T) {
	p := gradedTable()
	c, rho, r := game.RhoTilde(p), difficulty.Cells(p), rand.New(rand.NewPCG(3, 4))
	g, mixed := newSegments(p, c, rho), 0
	theta, scratch := make([]float64, p.Queries()), make([]float64, p.Queries())
	for range 200 {
		for i := range theta {
			theta[i] = (2*r.Float64() - 1) * box
		}
		best, level := p.Instance(theta).Best, 3*slices.Max(rho)
		if c.Of(theta) <= level {
			continue
		}
		mixed++
		if got, ok := mix(g, c, theta, level, scratch); !ok || got > level || got < 0.9*level || p.Instance(theta).Best != best {
			t.Errorf("mixed to ρ̃ = %v of %v, %v, in the cell of %d, which was in that of %d", got, level, ok, p.Instance(theta).Best, best)
		}
	}
	if mixed < 50 {
		t.Errorf("%d mixtures, want at least 50", mixed)
	}
}

// TestGradedWithoutAnchors: a search finds anchors itself where the problem has none, and then the same instances. It
// resumes from a state that another process saved.
func TestGradedWithoutAnchors(t *testing.T) {
	p := gradedTable()
	bare := *p
	bare.Ease(nil)
	effort, _ := Efforts("smoke")
	level := []float64{1.5 * slices.Max(difficulty.Cells(p))}
	find := func(p *game.Problem) (state []byte, got any) {
		s := &Search{P: p, C: game.RhoTilde(p), Policy: rival.Uniform(p), Levels: level, Effort: effort, Key: rng.New(2)}
		s.Keep = func(_ int, at func() []byte) error { state = at(); return nil }
		worst, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return state, worst
	}
	state, with := find(p)
	again, without := find(&bare)
	if !reflect.DeepEqual(with, without) || !bytes.Equal(state, again) {
		t.Errorf("with anchors %v, without %v", with, without)
	}
	hash := func(change func(*game.Shares)) string {
		p := gradedTable()
		change(p.Seek.(*game.Shares))
		s := &Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: level, Effort: effort}
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(h.hash(nil))
	}
	wrong := 0.1
	one := hash(func(*game.Shares) {})
	if hash(func(*game.Shares) {}) != one {
		t.Error("equal problems have states of different searches")
	}
	for name, change := range map[string]func(*game.Shares){
		"weight": func(s *game.Shares) { s.Weight[0] += 0.01 },
		"wrong":  func(s *game.Shares) { s.Wrong = &wrong },
		"other":  func(s *game.Shares) { s.Other = true },
	} {
		if hash(change) == one {
			t.Errorf("a problem with another %s has states of the same search", name)
		}
	}
}

// TestDistances: the distance of a query says how much it adds to ρ̃ at the row itself.
func TestDistances(t *testing.T) {
	p := gradedTable()
	c := game.RhoTilde(p)
	g, theta := newSegments(p, c, difficulty.Cells(p)), make([]float64, p.Queries())
	for k := range p.Names {
		for i, m := range p.Row(k) {
			theta[i] = float64(m)
		}
		var sum float64
		for _, far := range g.distances(k) {
			sum += 1 / far
		}
		if rho := c.Of(theta); math.Abs(sum-rho) > 1e-5*rho {
			t.Errorf("distances from hypothesis %d add up to ρ̃ = %v, its row has %v", k, sum, rho)
		}
	}
}

// tooHard is a geometry that makes instances harder than they may be.
type tooHard struct{ geometry }

func (g tooHard) harden(theta []float64, _, r float64) float64 { return 1.01 * r }

// TestFitChecks: what a geometry has made too hard is given up.
func TestFitChecks(t *testing.T) {
	p := check.Thresholds(5, 5)
	s := Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{20}}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.shape.geometry = tooHard{h.shape.geometry}
	kept := 0
	for i := range 50 {
		if got := h.fit([]float64{.9, .8, -.9, -.7, -.9}, 0, rng.New(1).At(i).Rand()); got != nil {
			kept++
			if got.rho > 20 {
				t.Fatalf("kept at ρ̃ = %v, above 20", got.rho)
			}
		}
	}
	if kept == 0 || kept == 50 {
		t.Errorf("%d of 50 are kept", kept)
	}
}

// TestHardenKeepsTheCell: an instance that is made harder stops short of where another hypothesis is best, though that has
// easy instances farther on.
func TestHardenKeepsTheCell(t *testing.T) {
	p := &game.Problem{X: []string{"x"}, Names: []string{"no", "even", "yes"}, T: 1, Seek: &game.Shares{Yes: []float64{0.1, 0.5, 0.9}}}
	p.Grade().Ease([]float32{-box, 0, box})
	c := game.RhoTilde(p)
	theta := []float64{0.2} // from 0.4 on the row of 0.8 is nearer than that of 0
	if rho := newSegments(p, c, difficulty.Cells(p)).harden(theta, c.Of(theta), 200); !(theta[0] > 0.3 && theta[0] < 0.4) || rho > 200 {
		t.Errorf("hardened to %v with ρ̃ = %v", theta[0], rho)
	}
}
