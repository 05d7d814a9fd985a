package game_test

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

func harmonic(n int) float64 {
	var sum float64
	for i := 1; i <= n; i++ {
		sum += 1 / float64(i)
	}
	return sum
}

func TestRhoTilde(t *testing.T) {
	th := check.Thresholds(25, 1)
	for k := range th.Hypotheses() {
		near(t, "thresholds at 2z−1", game.RhoTilde(th).Of(noiseless(th, k, 1)), harmonic(k)+harmonic(25-k))
	}
	for _, c := range []struct {
		p     *game.Problem
		theta []float64
		want  float64
		why   string
	}{
		{check.BestArm(3, 1), []float64{.5, .25, -.5}, 2 * (16 + 1 + 16), "best arm: 2(Σ gap⁻² + gap_min⁻²)"},
		{check.BestArm(2, 1), []float64{-.5, .5}, 2 * (1 + 1), "two arms"},
		{check.BestArm(2, 1), []float64{0, 0}, math.Inf(1), "z_* is not unique"},
		{check.BestArm(3, 1), []float64{.5, .5, 0}, math.Inf(1), "two of three are best"},
		{check.Thresholds(1, 1), []float64{.5}, 4, "one query: 1/θ²"},
		{check.Thresholds(2, 1), []float64{.5, 0}, math.Inf(1), "a threshold next to a coin"},
	} {
		near(t, c.why, game.RhoTilde(c.p).Of(c.theta), c.want)
	}
}

// plain is Eq. 1 as written.
func plain(p *game.Problem, theta []float64) float64 {
	dot := func(k int) (v float64) {
		for i, z := range p.Row(k) {
			v += float64(z) * theta[i]
		}
		return v
	}
	star := 0
	for k := range p.Hypotheses() {
		if dot(k) > dot(star) {
			star = k
		}
	}
	var sum float64
	for i := range theta {
		var most float64
		for k := range p.Hypotheses() {
			if p.Row(k)[i] != p.Row(star)[i] {
				gap := dot(star) - dot(k)
				most = max(most, float64(p.Differ(k, star))/(gap*gap))
			}
		}
		sum += most
	}
	return sum
}

// TestRhoTildeProperties: ρ̃ is Eq. 1; ρ̃(cθ) = ρ̃(θ)/c²; queries in another
// order and a hypothesis given twice change nothing.
func TestRhoTildeProperties(t *testing.T) {
	r := rng.New(6).Rand()
	for range 200 {
		d := 2 + r.IntN(9)
		p := check.Random(d, min(1<<(d-1), 2+r.IntN(30)), 1, r)
		theta, order := inside(r, d), r.Perm(d)
		rho := game.RhoTilde(p).Of(theta)
		near(t, "ρ̃", rho, plain(p, theta))
		near(t, "ρ̃ of permuted queries", game.RhoTilde(check.Permute(p, order)).Of(permuted(theta, order)), rho)
		half := make([]float64, d)
		for i, v := range theta {
			half[i] = v / 2
		}
		near(t, "ρ̃(θ/2)/4", game.RhoTilde(p).Of(half)/4, rho)
		twice, k := *p, (p.Instance(theta).Best+1)%p.Hypotheses()
		twice.Names = append(slices.Clone(p.Names), "again")
		twice.Z = append(slices.Clone(p.Z), p.Row(k)...)
		near(t, "ρ̃ with a hypothesis twice", game.RhoTilde(&twice).Of(theta), rho)
	}
}

func TestRhoTildeGrad(t *testing.T) {
	r := rng.New(7).Rand()
	for _, p := range []*game.Problem{check.Thresholds(6, 1), check.BestArm(4, 1), check.Random(6, 20, 1, r)} {
		c := game.RhoTilde(p)
		check.Grad(t, p.Queries(), func(x []float64) { copy(x, inside(r, len(x))) }, c.Of, func(dst, x []float64) {
			// dst is overwritten, not added to.
			dst[0] = 17
			near(t, "ρ̃", c.Grad(dst, x), c.Of(x))
		})
	}
	grad := []float64{1, 1, 1}
	if rho := game.RhoTilde(check.BestArm(3, 1)).Grad(grad, []float64{.5, .5, 0}); !math.IsInf(rho, 1) || !slices.Equal(grad, []float64{0, 0, 0}) {
		t.Errorf("where z_* is not unique: %v with derivative %v, want ∞ and 0", rho, grad)
	}
}

func TestOmega(t *testing.T) {
	p := check.BestArm(2, 1)
	o := game.Omega{C: game.RhoTilde(p), R: 4}
	for _, c := range []struct {
		theta []float64
		want  bool
	}{
		{[]float64{.5, -.5}, true}, // ρ̃ = 4, on the border
		{[]float64{.5, -.49}, false},
		{[]float64{1, -1}, true},
		{[]float64{0, 0}, false},
	} {
		if got := o.Contains(c.theta); got != c.want {
			t.Errorf("Θ^(4) contains %v is %v", c.theta, got)
		}
	}
}

// TestLevelOf: k(θ) is the least k with 𝒞(θ) ≤ r_k, and the last above (reading 11).
func TestLevelOf(t *testing.T) {
	levels := []float64{8, 16, 32}
	for rho, want := range map[float64]int{1: 0, 8: 0, 8.1: 1, 16: 1, 31: 2, 32: 2, 33: 2, math.Inf(1): 2} {
		if got := game.LevelOf(levels, rho); got != want {
			t.Errorf("k(%v) is %d, want %d", rho, got, want)
		}
	}
}

// TestClip: every coordinate is within 1 − Edge; those that are stay as they are.
func TestClip(t *testing.T) {
	theta := []float64{-2, -1, game.Edge - 1, -.5, 0, 1 - game.Edge, 1, 7}
	game.Clip(theta)
	if want := []float64{game.Edge - 1, game.Edge - 1, game.Edge - 1, -.5, 0, 1 - game.Edge, 1 - game.Edge, 1 - game.Edge}; !slices.Equal(theta, want) {
		t.Errorf("got %v, want %v", theta, want)
	}
}
