package adversary

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// A step on Θ̃ brings particles outside Θ^(r) inwards and leaves none outside the box, whatever moves them; w stands
// still while it is initialised (App. D) and moves after.
func TestAscent(t *testing.T) {
	p := check.Thresholds(5, 5)
	const n, m, l = 64, 64, 4
	for _, dense := range []bool{true, false} {
		t.Run(fmt.Sprintf("dense %v", dense), func(t *testing.T) {
			s := settingOf(p, 6)
			a := NewParticles(s, ParticleOptions{WeightOptions: WeightOptions{Rate: .05}, N: n, ThetaRate: .05, Barrier: 1e3, Dense: dense})
			ph := Phase{Objective: Objective{Loss: game.SimpleRegret, Scale: 1}, Iters: 30, Fresh: true, Frozen: true}
			a.Enter(ph, nil)
			particles := func() *Mixture { return &stateOf[particleState](t, a).Weights.Mixture }
			feasible := func() (share float64) {
				ps := particles()
				for i := range n {
					if game.Within(s.C.Of(ps.At(i)), 6) {
						share += 1. / n
					}
				}
				return share
			}
			blurred := stateOf[particleState](t, a)
			for i := range blurred.Weights.Theta {
				blurred.Weights.Theta[i] *= .5
			}
			restore(t, a, ph, blurred)
			before, w := feasible(), particles().W
			step := func(iteration int) Diagnostics {
				var b Batch
				b.Reset(m, 5)
				a.Draw(&b, s.Key.At(iteration))
				g := Games{Mean: make([]float64, m), L: l, ThetaGrad: make([]float64, 5*m)}
				for i := range m {
					g.Mean[i] = b.Theta[5*i]
				}
				return a.Observe(&b, &g)
			}
			for i := range 60 {
				frozen := i < 30
				if i == 30 {
					a.Enter(Phase{Objective: ph.Objective, Index: 1, Iters: 30}, nil)
				}
				seen := step(i)
				ps := particles()
				if frozen != slices.Equal(w, ps.W) {
					t.Fatalf("iteration %d: w stands still: %t", i, !frozen)
				}
				if math.IsNaN(seen.Barrier) || (seen.WGrad > 0) == frozen {
					t.Fatalf("%+v does not say what the adversary did", seen)
				}
				for _, v := range ps.Theta {
					if math.Abs(v) > 1-game.Edge {
						t.Fatalf("a coordinate is %v, outside the box of reading 2", v)
					}
				}
			}
			if after := feasible(); before > .1 || after < .8 {
				t.Errorf("%.2f of the particles were feasible and %.2f are: the barrier does not push inwards", before, after)
			}
		})
	}
}
