package game_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// pools are small ones of two, three and four classes, the first also as one of general classes.
func pools(r *rand.Rand) []*game.Problem {
	return []*game.Problem{
		check.Pool(8, 4, 2, 3, true, r), check.Pool(6, 4, 3, 3, false, r), check.Pool(7, 5, 4, 3, false, r),
	}
}

// TestClassScore: AddScore is the derivative of the labels' log-likelihood along what leaves the sum of a full cell.
func TestClassScore(t *testing.T) {
	r := rng.New(3).Rand()
	for _, p := range pools(r) {
		d := p.Queries()
		n, s := make([]float32, d), make([]float32, d)
		for range 12 {
			cell := r.IntN(p.Seek.(*game.Labels).Cells())
			p.Seek.(*game.Labels).Label(n, s, cell, p.Seek.(*game.Labels).Came(cell, r.IntN(len(p.Seek.(*game.Labels).Classes))))
		}
		likelihood := func(theta []float64) (sum float64) {
			for c := range p.Seek.(*game.Labels).Cells() {
				lo, hi := p.Seek.(*game.Labels).Queries(c)
				none, rest := float64(n[lo]), 1.0
				for i := lo; i < hi; i++ {
					k, share := float64(n[i]+s[i])/2, (1+theta[i])/2
					sum, none, rest = sum+k*math.Log(share), none-k, rest-share
				}
				if none > 0 {
					sum += none * math.Log(rest)
				}
			}
			return sum
		}
		theta, got := make([]float64, d), make([]float64, d)
		p.Anywhere(theta, r)
		p.Admit(theta)
		p.AddScore(got, theta, n, s, 2)
		along(t, p, theta, got, func(theta []float64) float64 { return 2 * likelihood(theta) })
	}
}

// along compares a gradient with the differences of f, in the directions that leave the sum of each full cell.
func along(t *testing.T, p *game.Problem, theta, grad []float64, f func(theta []float64) float64) {
	t.Helper()
	const h = 1e-6
	for c := range p.Seek.(*game.Labels).Cells() {
		lo, hi := p.Seek.(*game.Labels).Queries(c)
		for i := lo; i < hi; i++ {
			at := func(by float64) float64 {
				moved := slices.Clone(theta)
				moved[i] += by
				if p.Seek.(*game.Labels).All(c) {
					if i == lo {
						return 0
					}
					moved[lo] -= by
				}
				return f(moved)
			}
			want, got := (at(h)-at(-h))/(2*h), grad[i]
			if p.Seek.(*game.Labels).All(c) {
				got -= grad[lo]
			}
			if p.Seek.(*game.Labels).All(c) && i == lo {
				continue
			}
			if math.Abs(got-want) > 1e-5*max(1, math.Abs(want)) {
				t.Errorf("cell %d, query %d: the gradient is %v, by differences %v", c, i, got, want)
			}
		}
	}
}

func TestClassRhoGradient(t *testing.T) {
	r := rng.New(5).Rand()
	for _, p := range pools(r) {
		c := game.RhoTilde(p)
		theta, grad := make([]float64, p.Queries()), make([]float64, p.Queries())
		for range 20 {
			p.Anywhere(theta, r)
			p.Admit(theta)
			if rho := c.Grad(grad, theta); rho > 1e4 {
				continue // near a kink of ρ̃
			}
			along(t, p, theta, grad, c.Of)
		}
	}
}

// TestClassRhoByHand: on two items with three classes, each model alone right somewhere.
func TestClassRhoByHand(t *testing.T) {
	p := pool()
	p.Names = []string{"first", "second", "third"}
	p.Expecting([]float32{1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1})
	p.Z = []float32{1, 0, .5, 0, 0, 1, 0, 0, .5, 0, 0, 1, 0, 0, .5} // weights 2 and 1
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	theta := []float64{.8, -.9, .2, -.4, -.8}
	// Scores: .8 + .1 = .9; .8 − .2 = .6; −.9 − .4 = −1.3. Gaps .3 over 1 item and 2.2 over 3.
	want := 2*3/(2.2*2.2) + 1*1/(.3*.3)
	if got := game.RhoTilde(p).Of(theta); math.Abs(got-want) > 1e-6 {
		t.Errorf("ρ̃ is %v, by hand %v", got, want)
	}
}

// TestClassRhoContracts: towards the centre ρ̃ grows as 1/c².
func TestClassRhoContracts(t *testing.T) {
	r := rng.New(6).Rand()
	for _, p := range pools(r) {
		c := game.RhoTilde(p)
		theta, centre := make([]float64, p.Queries()), make([]float64, p.Queries())
		p.Anywhere(theta, r)
		p.Centre(centre)
		if !math.IsInf(c.Of(centre), 1) {
			t.Error("at the centre hypotheses do not tie")
		}
		rho := c.Of(theta)
		for i, v := range centre {
			theta[i] = v + (theta[i]-v)/2
		}
		if got := c.Of(theta); math.Abs(got/rho-4) > 1e-6 {
			t.Errorf("half way to the centre ρ̃ is %v times as large, want 4", got/rho)
		}
	}
}

// TestClassPriors: what priors draw are probabilities.
func TestClassPriors(t *testing.T) {
	r := rng.New(8).Rand()
	for _, p := range pools(r) {
		theta := make([]float64, p.Queries())
		for _, prior := range []game.Prior{game.Noiseless(p), game.Flip(p, .6), game.Box(p)} {
			for range 50 {
				prior.Draw(theta, r)
				for c := range p.Seek.(*game.Labels).Cells() {
					lo, hi := p.Seek.(*game.Labels).Queries(c)
					sum := 0.0
					for _, v := range theta[lo:hi] {
						sum += (1 + v) / 2
						if v < -1 || v > 1 {
							t.Fatalf("%s draws %v", prior.Name(), v)
						}
					}
					if sum > 1+1e-9 || p.Seek.(*game.Labels).All(c) && sum < 1-1e-9 {
						t.Fatalf("%s: probabilities of cell %d sum to %v", prior.Name(), c, sum)
					}
				}
			}
		}
	}
}

func TestLeftCountsLabels(t *testing.T) {
	p := pool()
	s := game.States{N: make([]float32, 5), S: make([]float32, 5)}
	p.Seek.(*game.Labels).Label(s.N, s.S, 1, 3)
	if got := p.LeftOf(s, 0); got != 1 {
		t.Errorf("after one label of 2 there are %v left, want 1", got)
	}
}

func TestCheckOfPools(t *testing.T) {
	fresh := func() *game.Problem { return check.Pool(6, 4, 3, 3, false, rng.New(2).Rand()) }
	for want, spoil := range map[string]func(p *game.Problem){
		"budget 7 is above the pool's 6 items": func(p *game.Problem) { p.T = 7 },
		"leave out ask-once":                   func(p *game.Problem) { p.AskOnce = true },
		"expected answers":                     func(p *game.Problem) { p.Expecting(nil) },
		"predict the same on all items":        func(p *game.Problem) { copy(p.Says(1), p.Says(0)); copy(p.Row(1), p.Row(0)) },
		"it must be worth that times 0 or 1":   func(p *game.Problem) { p.Z[slices.Index(p.Expects(), 1)] *= 3 },
		"must predict one":                     func(p *game.Problem) { i := slices.Index(p.Expects(), 1); p.Expects()[i], p.Z[i] = 0, 0 },
	} {
		p := fresh()
		spoil(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check says %v, want %q", err, want)
		}
	}
}

// TestAnywhereOfClasses: the probabilities of a cell's queries, and of none of them where that may be, are uniform on the simplex:
// with m of them each has the mean 1/m and the second moment 2/(m(m+1)).
func TestAnywhereOfClasses(t *testing.T) {
	r := rng.New(8).Rand()
	for _, p := range pools(r) {
		const draws = 20_000
		d := p.Queries()
		theta, first, second := make([]float64, d), make([]float64, d), make([]float64, d)
		for range draws {
			p.Anywhere(theta, r)
			for i, v := range theta {
				first[i] += (1 + v) / 2 / draws
				second[i] += (1 + v) * (1 + v) / 4 / draws
			}
		}
		for i := range d {
			lo, hi := p.Together(i)
			m := 2. // yes and no
			if p.Questions().Tells() == 2 {
				if m = float64(hi - lo); !p.Seek.(*game.Labels).All(p.Seek.(*game.Labels).CellOf(i)) {
					m++
				}
			}
			// A share in [0, 1]: by Hoeffding 20,000 draws are 0.03 off once in e⁻³⁶.
			if math.Abs(first[i]-1/m) > 0.03 || (p.Questions().Tells() == 2) && math.Abs(second[i]-2/(m*(m+1))) > 0.03 {
				t.Errorf("query %d, one of %v classes: moments %v and %v", i, m, first[i], second[i])
			}
		}
	}
}
