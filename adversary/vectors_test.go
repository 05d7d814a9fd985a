package adversary_test

import (
	"slices"
	"testing"

	"mapo/adversary"
	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestVectorStart: particles are in the column space and the box, and a third have each hypothesis for the best in turn, but
// where one is best nowhere.
func TestVectorStart(t *testing.T) {
	p := check.Vectors([][]float64{{1, 0}, {0, 1}, {1, 1}}, [][]float64{{1, 0}, {0, 1}, {-1, -1}, {0, 0}}, 5)
	p = difficulty.Anchored(p)
	const n = 60
	ps := adversary.Start(p, n, rng.New(1))
	for m := range n {
		theta := ps.At(m)
		again := slices.Clone(theta)
		p.Admit(again)
		if check.Farthest(theta, again) > 1e-9 {
			t.Errorf("particle %d, %v, may not be", m, theta)
		}
		if m >= n-n/3 {
			k := (m - (n - n/3)) % 4
			if best := p.Instance(theta).Best; best != k && k < 3 {
				t.Errorf("particle %d is to have hypothesis %d for the best, it has %d", m, k, best)
			}
		}
	}
	if rho := difficulty.Cells(p); !(rho[3] > game.MostLevel) || rho[0] > 100 {
		t.Errorf("the least ρ̃ are %v, and the last is best nowhere", rho)
	}
}
