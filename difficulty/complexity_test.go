package difficulty

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// odd is Σ_{i ≤ k} 1/(2i−1).
func odd(k int) float64 {
	var sum float64
	for i := 1; i <= k; i++ {
		sum += 1 / float64(2*i-1)
	}
	return sum
}

// noiseless is θ = 2z_k − 1.
func noiseless(p *game.Problem, k int) []float64 {
	theta := make([]float64, p.Queries())
	for i, z := range p.Row(k) {
		theta[i] = 2*float64(z) - 1
	}
	return theta
}

// within reports whether a value with a gap of Gap can be want.
func within(got, want float64) bool { return got >= want*(1-1e-9) && got <= want*(1+2*Gap) }

func TestStarClosedForms(t *testing.T) {
	for _, c := range []struct {
		p     *game.Problem
		theta []float64
		want  float64
		why   string
	}{
		{check.BestArm(2, 1), []float64{.6, .2}, 4 / .16, "two arms with gap g: (1/λ_1 + 1/λ_2)/g² at ½"},
		{check.BestArm(5, 1), []float64{0, 0, .5, 0, 0}, 9 / .25, "equal gaps: (√(d−1) + 1)²/g²"},
		{check.BestArm(10, 1), []float64{1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, 16. / 4, "the same with d = 10"},
		{check.Thresholds(1, 1), []float64{.5}, 4, "one query: 1/θ²"},
		{check.Thresholds(8, 1), noiseless(check.Thresholds(8, 1), 3), odd(3) + odd(5), "1/λ_i ∝ 2i−1 on either side"},
		{check.Thresholds(25, 1), noiseless(check.Thresholds(25, 1), 0), odd(25), "the same at the end"},
		{check.BestArm(3, 1), []float64{.5, .5, 0}, math.Inf(1), "z_* is not unique"},
	} {
		rho, lambda, gap, err := Star(c.p, c.theta)
		if err != nil {
			t.Fatal(c.why, err)
		}
		if math.IsInf(c.want, 1) {
			if !math.IsInf(rho, 1) || lambda != nil {
				t.Errorf("%s: %v, %v", c.why, rho, lambda)
			}
			continue
		}
		if !within(rho, c.want) || gap > Gap || rho*(1-gap) > c.want*(1+1e-9) {
			t.Errorf("%s: %v with gap %v, want %v", c.why, rho, gap, c.want)
		}
	}
}

// plain is max_z Σ_{i ∈ D(z)} (1/λ_i)/gap_z², as written.
func plain(p *game.Problem, theta, lambda []float64) float64 {
	in := p.Instance(theta)
	worst := 0.0
	for k := range p.Hypotheses() {
		if k != in.Best {
			gap := in.Max - in.Value[k]
			worst = max(worst, spread(p, in.Best, k, lambda)/(gap*gap))
		}
	}
	return worst
}

// spread is ‖z_a − z_b‖² in A(λ)⁻¹.
func spread(p *game.Problem, a, b int, lambda []float64) float64 {
	var sum float64
	for i, z := range p.Row(a) {
		if z != p.Row(b)[i] {
			sum += 1 / lambda[i]
		}
	}
	return sum
}

// simplex visits λ over the simplex in d ≤ 3 dimensions in steps of 1/n,
// borders left out.
func simplex(d, n int, visit func(lambda []float64)) {
	for a := 1; a < n; a++ {
		x := float64(a) / float64(n)
		if d == 2 {
			visit([]float64{x, 1 - x})
		}
		for b := 1; d == 3 && b < n-a; b++ {
			y := float64(b) / float64(n)
			visit([]float64{x, y, 1 - x - y})
		}
	}
}

func problems(r *rand.Rand) []*game.Problem {
	return []*game.Problem{
		check.BestArm(2, 1), check.Thresholds(2, 1), check.BestArm(3, 1), check.Thresholds(3, 1),
		check.Random(3, 4, 1, r), check.Random(3, 4, 1, r),
	}
}

func draw(r *rand.Rand, d int) []float64 {
	theta := make([]float64, d)
	for i := range theta {
		theta[i] = 1 - 2*r.Float64()
	}
	return theta
}

// TestStarExhaustive: no design of a fine grid does better than the lower
// bound, and the best of them comes as near as the grid allows.
func TestStarExhaustive(t *testing.T) {
	r := rng.New(1).Rand()
	for _, p := range problems(r) {
		for range 5 {
			theta := draw(r, p.Queries())
			rho, lambda, gap, err := Star(p, theta)
			if err != nil {
				t.Fatal(err)
			}
			if got := plain(p, theta, lambda); math.Abs(got-rho) > 1e-9*rho {
				t.Errorf("%s: λ attains %v, not %v", p.Name, got, rho)
			}
			least := math.Inf(1)
			simplex(p.Queries(), 400, func(lambda []float64) { least = min(least, plain(p, theta, lambda)) })
			if least < rho*(1-gap)*(1-1e-9) || least > rho*1.05 {
				t.Errorf("%s: %v with gap %v, the best on the grid is %v", p.Name, rho, gap, least)
			}
		}
	}
}

// sound checks a design: on the simplex, and no gap above the stated.
func sound(t *testing.T, lambda []float64, gap float64) {
	t.Helper()
	var sum float64
	for _, v := range lambda {
		sum += v
		if v < 0 {
			t.Errorf("λ has the entry %v", v)
		}
	}
	if math.Abs(sum-1) > 1e-9 || gap < 0 || gap > Gap {
		t.Errorf("λ sums to %v, the gap is %v", sum, gap)
	}
}

// TestStarProperties: ρ_* ≤ ρ̃, ρ_*(cθ) = ρ_*(θ)/c², queries in another order
// and hypotheses given twice change nothing.
func TestStarProperties(t *testing.T) {
	r := rng.New(2).Rand()
	for range 40 {
		d := 3 + r.IntN(10)
		p := check.Random(d, min(1<<(d-1), 2+r.IntN(40)), 1, r)
		theta := draw(r, d)
		rho, lambda, gap, err := Star(p, theta)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, lambda, gap)
		same := func(why string, p *game.Problem, theta []float64, factor float64) {
			t.Helper()
			got, _, _, err := Star(p, theta)
			if err != nil || math.Abs(got*factor-rho) > 1.01*Gap*rho {
				t.Errorf("%s: %v·%v, want %v (%v)", why, got, factor, rho, err)
			}
		}
		if tilde := game.RhoTilde(p).Of(theta); rho*(1-gap) > tilde {
			t.Errorf("ρ_* = %v is above ρ̃ = %v", rho, tilde)
		}
		half, moved := make([]float64, d), make([]float64, d)
		order := r.Perm(d)
		for i, from := range order {
			half[i], moved[i] = theta[i]/2, theta[from]
		}
		same("θ/2", p, half, .25)
		same("queries in another order", check.Permute(p, order), moved, 1)
		in, twice := p.Instance(theta), *p
		other := (in.Best + 1) % p.Hypotheses()
		twice.Names = append(append([]string(nil), p.Names...), "again")
		twice.Z = append(append([]float32(nil), p.Z...), p.Row(other)...)
		same("a hypothesis twice", &twice, theta, 1)
	}
}

// TestStarBelowTilde: ρ_* ≤ ρ̃ holds of the lower end of the bracket, up to rounding. It is the end to compare: where the two
// are equal or near, as between two arms, the upper end is above ρ̃ in many instances, but never by more than the gap.
func TestStarBelowTilde(t *testing.T) {
	r := rng.New(12).Rand()
	above := 0
	for _, p := range append(problems(r), check.Random(7, 3, 1, r), check.Random(12, 30, 1, r)) {
		for range 100 {
			theta := draw(r, p.Queries())
			rho, _, gap, err := Star(p, theta)
			if err != nil {
				t.Fatal(err)
			}
			tilde := game.RhoTilde(p).Of(theta)
			if rho*(1-gap) > tilde*(1+1e-9) || gap < 0 || gap > Gap {
				t.Errorf("%s at %v: ρ_* is in [%v, %v], ρ̃ = %v", p.Name, theta, rho*(1-gap), rho, tilde)
			}
			if got := RhoStar(p).Of(theta); got != rho {
				t.Errorf("%s at %v: RhoStar says %v, the upper end is %v", p.Name, theta, got, rho)
			}
			if rho > tilde*(1+1e-9) {
				above++
			}
		}
	}
	if above == 0 {
		t.Error("the upper end is never above ρ̃: the bracket is not what it is said to be")
	}
}

// TestStarHard: instances with gaps over eight orders of magnitude converge.
func TestStarHard(t *testing.T) {
	r := rng.New(3).Rand()
	for range 50 {
		p := check.Thresholds(40, 1)
		theta := draw(r, 40)
		for i := range theta {
			theta[i] *= math.Pow(10, -4*r.Float64())
		}
		if _, lambda, gap, err := Star(p, theta); err != nil {
			t.Error(err)
		} else {
			sound(t, lambda, gap)
		}
	}
}

func TestRhoStar(t *testing.T) {
	r := rng.New(4).Rand()
	for _, p := range problems(r) {
		c := rhoStar{p, 1e-12, classOf(p).star} // its derivative is as good as the root of the gap
		check.Grad(t, p.Queries(), func(x []float64) { copy(x, draw(r, len(x))) }, c.Of, func(dst, x []float64) { c.Grad(dst, x) })
	}
	p := check.BestArm(3, 1)
	grad := []float64{1, 1, 1}
	if rho := RhoStar(p).Grad(grad, []float64{.5, .5, 0}); !math.IsInf(rho, 1) || grad[0] != 0 || grad[1] != 0 || grad[2] != 0 {
		t.Errorf("two best arms: %v with derivative %v, want ∞ and 0", rho, grad)
	}
	if rho := RhoStar(p).Of([]float64{.5, 0, 0}); !within(rho, math.Pow(1+math.Sqrt2, 2)/.25) {
		t.Errorf("three arms: %v", rho)
	}
}

// pairwise is Design's objective as written.
func pairwise(p *game.Problem, lambda []float64) float64 {
	worst := 0.0
	for a := range p.Hypotheses() {
		for b := range a {
			if n := float64(p.Differ(a, b)); n > 0 {
				worst = max(worst, spread(p, a, b, lambda)/(n*n))
			}
		}
	}
	return worst
}

func TestDesignClosedForms(t *testing.T) {
	for _, c := range []struct {
		p    *game.Problem
		want float64
		why  string
	}{
		{check.Thresholds(7, 1), 7, "neighbours differ in one query: λ is even"},
		{check.BestArm(6, 1), 3, "(1/λ_i + 1/λ_j)/4: λ is even"},
		{pair(), 1, "two hypotheses: |D|²/|D|²"},
	} {
		lambda, value, gap, err := Design(c.p)
		if err != nil {
			t.Fatal(c.why, err)
		}
		sound(t, lambda, gap)
		if !within(value, c.want) {
			t.Errorf("%s: %v, want %v", c.why, value, c.want)
		}
	}
	if lambda, _, _, _ := Design(pair()); lambda[1] != 0 || lambda[9] != 0 {
		t.Errorf("queries on which all agree have λ %v", lambda)
	}
}

// pair has two hypotheses that differ in all of ten queries but 1 and 9, and
// one of them twice.
func pair() *game.Problem {
	p := check.Thresholds(10, 1)
	p.Names = []string{"a", "b", "a again"}
	p.Z = p.Z[:30]
	for i := range 10 {
		p.Z[i], p.Z[20+i], p.Z[10+i] = 0, 0, 1
	}
	p.Z[11], p.Z[19] = 0, 0
	return p
}

func TestDesignExhaustive(t *testing.T) {
	r := rng.New(5).Rand()
	for _, p := range problems(r) {
		_, value, gap, err := Design(p)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		simplex(p.Queries(), 300, func(lambda []float64) { least = min(least, pairwise(p, lambda)) })
		if least < value*(1-gap)*(1-1e-9) || least > value*1.05 {
			t.Errorf("%s: %v with gap %v, the best on the grid is %v", p.Name, value, gap, least)
		}
	}
}

// TestDesignCertificate: the value is what λ attains over all pairs, and no
// small change of λ gets below the bound.
func TestDesignCertificate(t *testing.T) {
	r := rng.New(6).Rand()
	for range 5 {
		p := check.Random(45, 90, 1, r)
		lambda, value, gap, err := Design(p)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, lambda, gap)
		if got := pairwise(p, lambda); math.Abs(got-value) > 1e-9*value {
			t.Errorf("λ attains %v, not %v", got, value)
		}
		for range 20 {
			var sum float64
			other := make([]float64, len(lambda))
			for i, v := range lambda {
				other[i] = v * math.Exp(.1*r.NormFloat64())
				sum += other[i]
			}
			for i := range other {
				other[i] /= sum
			}
			if got := pairwise(p, other); got < value*(1-gap)*(1-1e-9) {
				t.Errorf("another λ attains %v, below the bound %v", got, value*(1-gap))
			}
		}
	}
}

// TestDesignSize: 20 Questions' size, 1,000 hypotheses and 500 queries.
func TestDesignSize(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	start := time.Now()
	lambda, value, gap, err := Design(check.Random(500, 1000, 1, rng.New(7).Rand()))
	if err != nil {
		t.Fatal(err)
	}
	sound(t, lambda, gap)
	t.Logf("value %.4f, gap %.2g, %v", value, gap, time.Since(start))
}
