package difficulty

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// same is up to rounding.
func same(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want }

// TestLeast: it is attained at some (1−ε)(2z−1), and no θ of a search within
// |θ_i| ≤ 1−ε is easier: random points, each followed downhill.
func TestLeast(t *testing.T) {
	r := rng.New(8).Rand()
	if got, want := Least(check.BestArm(2, 1)), 1/(1-game.Edge)/(1-game.Edge); !same(got, want) {
		t.Errorf("two arms: %v, want %v", got, want)
	}
	var harmonic float64
	for i := range 25 {
		harmonic += 1 / float64(i+1)
	}
	if got, want := Least(check.Thresholds(25, 1)), harmonic/(1-game.Edge)/(1-game.Edge); !same(got, want) {
		t.Errorf("thresholds, one end being best: %v, want %v", got, want)
	}
	for _, p := range []*game.Problem{check.Thresholds(3, 1), check.BestArm(3, 1), check.Random(4, 6, 1, r), check.Random(6, 20, 1, r)} {
		least, c := Least(p), game.RhoTilde(p)
		attained := math.Inf(1)
		for k := range p.Hypotheses() {
			vertex := noiseless(p, k)
			game.Clip(vertex)
			attained = min(attained, c.Of(vertex))
		}
		if !same(least, attained) {
			t.Errorf("%s: %v, the least of the vertices has %v", p.Name, least, attained)
		}
		for range 200 {
			theta := make([]float64, p.Queries())
			for i := range theta {
				theta[i] = 1 - 2*r.Float64()
			}
			best := c.Of(theta)
			for step := 1.0; step > .01; step *= .95 {
				other := slices.Clone(theta)
				for i := range other {
					other[i] = max(-1+game.Edge, min(1-game.Edge, other[i]+step*r.NormFloat64()))
				}
				if rho := c.Of(other); rho < best {
					theta, best = other, rho
				}
			}
			if best < least*(1-1e-9) {
				t.Fatalf("%s: ρ̃ = %v at %v, below the least %v", p.Name, best, theta, least)
			}
		}
	}
}

// plainLeast is Least as its formula reads.
func plainLeast(p *game.Problem) float64 {
	least := math.Inf(1)
	for a := range p.Hypotheses() {
		var sum float64
		for i := range p.Queries() {
			near := math.MaxInt
			for b := range p.Hypotheses() {
				if p.Row(b)[i] != p.Row(a)[i] {
					near = min(near, p.Differ(a, b))
				}
			}
			if near < math.MaxInt {
				sum += 1 / float64(near)
			}
		}
		least = min(least, sum)
	}
	return least / ((1 - game.Edge) * (1 - game.Edge))
}

// TestLeastPlain: the fast form gives the plain one's bits, for widths around
// a word's and where some query never differs.
func TestLeastPlain(t *testing.T) {
	r := rng.New(9).Rand()
	constant := check.Random(7, 12, 1, r)
	for k := range constant.Hypotheses() {
		constant.Row(k)[3] = 1
	}
	ps := []*game.Problem{check.Thresholds(63, 1), check.Thresholds(130, 1), check.BestArm(65, 1), constant}
	for _, d := range []int{3, 20, 63, 64, 65, 128, 200} {
		ps = append(ps, check.Random(d, min(4, d)*(d/3), 1, r))
	}
	for _, p := range ps {
		if got, want := Least(p), plainLeast(p); got != want {
			t.Errorf("%s, %d queries: %v, plainly %v", p.Name, p.Queries(), got, want)
		}
	}
}
