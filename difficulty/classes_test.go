package difficulty

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestTwoClassesEitherWay: difficulties of a pool of two classes are the same whether a cell has one query or one for each class.
func TestTwoClassesEitherWay(t *testing.T) {
	for seed := range uint64(5) {
		plain, general := check.Pool(12, 4, 2, 3, false, rng.New(seed).Rand()), check.Pool(12, 4, 2, 3, true, rng.New(seed).Rand())
		r := rng.New(seed).Name("theta").Rand()
		d := plain.Queries()
		theta, both := make([]float64, d), make([]float64, 2*d)
		grad, grads := make([]float64, d), make([]float64, 2*d)
		plain.Anywhere(theta, r)
		for c, v := range theta {
			both[2*c], both[2*c+1] = -v, v
		}
		a, b := Of(plain).Grad(grad, theta), Of(general).Grad(grads, both)
		if math.Abs(a/b-1) > 1e-6 {
			t.Errorf("ρ̃ is %v with one query a cell, %v with two", a, b)
		}
		for c, g := range grad {
			if got := grads[2*c+1] - grads[2*c]; math.Abs(got-g) > 1e-6*max(1, math.Abs(g)) {
				t.Errorf("∂ρ̃/∂θ_%d is %v with one query a cell, %v with two", c, g, got)
			}
		}
		x, _, _, err := Star(plain, theta)
		y, _, _, err2 := Star(general, both)
		if err != nil || err2 != nil || math.Abs(x/y-1) > 1e-6 {
			t.Errorf("ρ_* is %v with one query a cell, %v with two (%v, %v)", x, y, err, err2)
		}
		for k, v := range Cells(plain) {
			if w := Cells(general)[k]; math.Abs(v/w-1) > 1e-6 {
				t.Errorf("the least ρ̃ of model %d is %v with one query a cell, %v with two", k, v, w)
			}
		}
	}
}

// TestClassStar: ρ_* ≤ ρ̃, its gradient is that of its value, and no instance of a model is easier than where it is always right.
func TestClassStar(t *testing.T) {
	r := rng.New(4).Rand()
	for _, classes := range []int{3, 4} {
		p := check.Pool(10, 5, classes, 3, false, r)
		rho, star, least := Of(p), rhoStar{p, 1e-6, classOf(p).star}, Cells(p)
		theta, grad := make([]float64, p.Queries()), make([]float64, p.Queries())
		for range 30 {
			p.Anywhere(theta, r)
			p.Admit(theta)
			value, best := rho.Of(theta), p.Instance(theta).Best
			if low := star.Grad(grad, theta); low > value*(1+2e-6) {
				t.Errorf("ρ_* %v is above ρ̃ %v", low, value)
			} else if value < least[best] {
				t.Errorf("ρ̃ %v is below the least of model %d, %v", value, best, least[best])
			} else if value < 1e3 {
				const h = 1e-4
				lo, _ := p.Seek.(*game.Labels).Queries(0)
				theta[lo], theta[lo+1] = theta[lo]+h, theta[lo+1]-h
				up := star.Of(theta)
				theta[lo], theta[lo+1] = theta[lo]-2*h, theta[lo+1]+2*h
				want := (up - star.Of(theta)) / (2 * h)
				if got := grad[lo] - grad[lo+1]; math.Abs(got-want) > .02*max(1, math.Abs(want)) {
					t.Errorf("∂ρ_* is %v, by differences %v", got, want)
				}
			}
		}
	}
}

// TestPoolLevels: of fresh draws half are within the first level, and 90 % within the second, up to what 2000 draws leave open.
func TestPoolLevels(t *testing.T) {
	p := check.Pool(40, 5, 3, 3, false, rng.New(3).Rand())
	levels := PoolLevels(p, rng.New(1))
	if len(levels) != 2 || levels[0] < Least(p) {
		t.Fatalf("levels are %v; the least ρ̃ is %v", levels, Least(p))
	}
	theta, c, key := make([]float64, p.Queries()), Of(p), rng.New(2)
	for k, want := range []float64{.5, .9} {
		within := 0.
		for m := range 4000 {
			prior := []game.Prior{game.Models(p), game.Votes(p)}[m%2]
			if prior.Draw(theta, key.At(m).Rand()); c.Of(theta) <= levels[k] {
				within++
			}
		}
		if share := within / 4000; math.Abs(share-want) > .15 { // models has five instances, one tenth of the draws each
			t.Errorf("%v of the draws are within level %v, want %v", share, levels[k], want)
		}
	}
}
