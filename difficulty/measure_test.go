package difficulty

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// arms is best-arm identification with levels by 𝒞_MAB.
func arms(n, budget int) *game.Problem {
	p := check.BestArm(n, budget)
	p.Difficulty = MAB
	return p
}

func TestMAB(t *testing.T) {
	for _, c := range []struct {
		theta []float64
		want  float64
		why   string
	}{
		{[]float64{.6, .2}, 1 / .16, "two arms: 1/gap²"},
		{[]float64{-.5, 0, .5}, 1 + 4, "gaps of 1 and ½"},
		{[]float64{.3, .3, 0}, math.Inf(1), "two arms are best"},
	} {
		if got := Of(arms(len(c.theta), 1)).Of(c.theta); math.Abs(got-c.want) > 1e-9 && got != c.want {
			t.Errorf("%s: 𝒞_MAB of %v is %v, want %v", c.why, c.theta, got, c.want)
		}
	}
}

// TestMABGrad: at random instances of five arms whose best is clear.
func TestMABGrad(t *testing.T) {
	c, r := Of(arms(5, 1)), rand.New(rand.NewPCG(1, 1))
	draw := func(theta []float64) {
		for i := range theta {
			theta[i] = 1.6*r.Float64() - .8
		}
		theta[r.IntN(len(theta))] = 1
	}
	check.Grad(t, 5, draw, c.Of, func(dst, theta []float64) { c.Grad(dst, theta) })
	dst := []float64{1, 1, 1}
	if rho := c.Grad(dst, []float64{.5, .5, 0}); !math.IsInf(rho, 1) || dst[0] != 0 || dst[2] != 0 {
		t.Errorf("where two arms are best 𝒞 is %v and its gradient %v, want +Inf and 0", rho, dst)
	}
}

// TestMABBounds: 𝒞_MAB + Δ_min⁻² ≤ ρ_* ≤ 2(𝒞_MAB + Δ_min⁻²) = ρ̃.
func TestMABBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 50 {
		p := arms(2+r.IntN(6), 1)
		theta := make([]float64, p.Queries())
		for i := range theta {
			theta[i] = 2*r.Float64() - 1
		}
		in, least := p.Instance(theta), math.Inf(1)
		for k, v := range in.Value {
			if k != in.Best {
				least = min(least, in.Max-v)
			}
		}
		both := Of(p).Of(theta) + 1/(least*least)
		star, _, gap, err := Star(p, theta)
		if err != nil {
			t.Fatal(err)
		}
		if star < both*(1-1e-9) || star*(1-gap) > 2*both*(1+1e-9) {
			t.Errorf("ρ_* of %v is %v, want within [%v, %v]", theta, star, both, 2*both)
		}
		if got := game.RhoTilde(p).Of(theta); math.Abs(got-2*both) > 1e-9*got {
			t.Errorf("ρ̃ of %v is %v, want %v", theta, got, 2*both)
		}
	}
}

// TestMABCells: no instance of a search in the box is easier than (1−ε)(2z − 1), and along the segment to it 𝒞 does not grow.
func TestMABCells(t *testing.T) {
	p, r := arms(4, 1), rand.New(rand.NewPCG(3, 1))
	c, cells := Of(p), Cells(p)
	const gap = 2 * (1 - game.Edge)
	for k, got := range cells {
		if want := 3 / (gap * gap); math.Abs(got-want) > 1e-9 {
			t.Errorf("the easiest instance of arm %d has difficulty %v, want %v", k, got, want)
		}
	}
	if Least(p) != cells[0] {
		t.Errorf("Least is %v, want %v", Least(p), cells[0])
	}
	for range 2000 {
		theta := make([]float64, 4)
		for i := range theta {
			theta[i] = (1 - game.Edge) * (2*r.Float64() - 1)
		}
		before, best := c.Of(theta), p.Instance(theta).Best
		if before < cells[best] {
			t.Fatalf("%v has difficulty %v, less than the least, %v", theta, before, cells[best])
		}
		share := r.Float64()
		for i, v := range theta {
			easy := game.Edge - 1
			if i == best {
				easy = 1 - game.Edge
			}
			theta[i] = v + share*(easy-v)
		}
		if after := c.Of(theta); after > before*(1+1e-9) {
			t.Fatalf("towards the easiest instance the difficulty grows from %v to %v", before, after)
		}
	}
}

func TestNamed(t *testing.T) {
	p := check.Thresholds(3, 1)
	if m := MeasureOf(p); m.Name != RhoTilde || Of(p).Of([]float64{1, 1, 1}) != game.RhoTilde(p).Of([]float64{1, 1, 1}) {
		t.Errorf("without a name the measure is %s", m.Name)
	}
	for name, want := range map[string]string{
		"rho":   `unknown difficulty "rho"; known are rho-tilde, rho-star, c-mab`,
		"c-mab": "difficulty c-mab is for arms, whose hypotheses are the single queries: write difficulty: rho-tilde, or problem: {arms: {count: 10}}",
	} {
		if _, err := Named(p, name); err == nil || err.Error() != want {
			t.Errorf("Named(%q): %v, want %s", name, err, want)
		}
	}
}
