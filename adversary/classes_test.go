package adversary_test

import (
	"math"
	"slices"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestThetaGradOfClasses: Eq. 10 is the derivative of the loss along what leaves the sums of full cells, summed over every game.
func TestThetaGradOfClasses(t *testing.T) {
	r := rng.New(1).Rand()
	for _, classes := range []int{2, 3} {
		p := check.Pool(2, 3, classes, 2, true, r)
		policy, d := check.Wavy{P: p}, p.Queries()
		theta := make([]float64, d)
		p.Anywhere(theta, r)
		for _, loss := range game.Losses() {
			in, got := p.Instance(theta), make([]float64, d)
			for _, g := range check.Games(p, policy, theta) {
				lost, decision := g.Lost(p, loss, theta)
				end := g.End()
				adversary.ThetaGrad(got, theta, []float64{lost}, p, end.N, end.S, g.Prob)
				loss.AddGrad(got, p, in, decision, g.Prob)
			}
			mean := func(theta []float64) (sum float64) {
				for _, g := range check.Games(p, policy, theta) {
					lost, _ := g.Lost(p, loss, theta)
					sum += g.Prob * lost
				}
				return sum
			}
			const h = 1e-5
			for c := range p.Seek.(*game.Labels).Cells() {
				lo, hi := p.Seek.(*game.Labels).Queries(c)
				for i := lo; i < hi; i++ {
					other := lo
					if i == lo {
						other = hi - 1
					}
					up, down := slices.Clone(theta), slices.Clone(theta)
					up[i], down[i] = up[i]+h, down[i]-h
					slope := got[i]
					if p.Seek.(*game.Labels).All(c) {
						up[other], down[other] = up[other]-h, down[other]+h
						slope -= got[other]
					}
					if want := (mean(up) - mean(down)) / (2 * h); math.Abs(slope-want) > 1e-6 {
						t.Errorf("%d classes, %v, query %d: Eq. 10 has mean %v, the derivative is %v", classes, loss, i, slope, want)
					}
				}
			}
		}
	}
}

// TestStartOfClasses: particles are instances, and those drawn for a model have it as their best.
func TestStartOfClasses(t *testing.T) {
	p := check.Pool(9, 6, 3, 3, false, rng.New(2).Rand())
	const n = 60
	ps := adversary.Start(p, n, rng.New(4))
	for m := range n {
		theta := ps.At(m)
		again := slices.Clone(theta)
		if p.Admit(again); check.Farthest(again, theta) > 1e-9 {
			t.Fatalf("particle %d is not an instance: %v", m, theta)
		}
		if k := m - (n - n/3); k >= 0 && p.Instance(theta).Best != k%p.Hypotheses() {
			t.Errorf("particle %d has another best model than %d", m, k%p.Hypotheses())
		}
	}
}
