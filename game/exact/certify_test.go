package exact_test

import (
	"context"

	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/rng"
)

var quarters = []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}

// TestReference: thresholds d = 3, T = 5, best identification. The brackets and
// Uniform's worst cases were computed by another program (Hedge with step sizes
// from theory), to the four digits shown.
func TestReference(t *testing.T) {
	p := check.Thresholds(3, 5)
	uniform := newGame(t, p).Flow(check.Even{P: p})
	for _, c := range []struct{ r, lo, hi, uniform, instances float64 }{
		{8, .2730, .2744, .4589, 168},
		{16, .3772, .3782, .5355, 240},
		{32, .5039, .5067, .6146, 360},
	} {
		grid := exact.Grid(p, game.RhoTilde(p), quarters, c.r)
		if float64(len(grid)) != c.instances {
			t.Errorf("r = %v: %d instances, want %v", c.r, len(grid), c.instances)
		}
		if worst, _ := uniform.Worst(game.BestIdentification, grid); worst < c.uniform-5e-5 || worst > c.uniform+5e-5 {
			t.Errorf("r = %v: uniform's worst case is %v, want %v", c.r, worst, c.uniform)
		}
		b := certify(t, p, grid, exact.Options{})
		if b.Lo > c.hi || b.Hi < c.lo {
			t.Errorf("r = %v: [%v, %v] and the reference [%v, %v] have nothing in common", c.r, b.Lo, b.Hi, c.lo, c.hi)
		}
	}
}

// certify also checks that the bracket is what it says, by other means.
func certify(t *testing.T, p *game.Problem, thetas [][]float64, opts exact.Options) exact.Bracket {
	t.Helper()
	b, err := exact.Certify(t.Context(), p, thetas, opts)
	if err != nil {
		t.Fatal(err)
	}
	width := opts.Width
	if width == 0 {
		width = 0.001
	}
	if b.Hi-b.Lo > width || b.Lo > b.Hi+1e-12 {
		t.Errorf("bracket [%v, %v] after %d iterations, want a width in [0, %v]", b.Lo, b.Hi, b.Iterations, width)
	}
	g := newGame(t, p)
	flow := g.Flow(b.Policy)
	if worst, _ := flow.Worst(opts.Loss, thetas); worst < b.Hi-1e-5 || worst > b.Hi+1e-5 {
		t.Errorf("the policy's worst case is %v, said to be %v", worst, b.Hi)
	}
	for _, policy := range []game.Policy{b.Policy, check.Even{P: p}, check.Wavy{P: p}} {
		f := g.Flow(policy)
		var mean, total float64
		for k, w := range b.Weights {
			mean += w * f.Loss(opts.Loss, thetas[k])
			total += w
		}
		near(t, "total weight", total, 1)
		if mean < b.Lo-1e-9 {
			t.Errorf("a policy has the average %v under the weights, below the bound %v", mean, b.Lo)
		}
	}
	return b
}

// TestLarger: other problems and the other loss close too.
func TestLarger(t *testing.T) {
	r := rng.New(11).Rand()
	for _, c := range []struct {
		p *game.Problem
		r float64
		l game.Loss
		w float64
	}{
		{check.BestArm(3, 6), 30, game.BestIdentification, .002},
		{check.Random(4, 7, 5, r), 40, game.BestIdentification, .002},
		{check.Thresholds(3, 5), 32, game.SimpleRegret, .002},
		{askOnce(check.Random(4, 7, 4, r)), 60, game.BestIdentification, .002},
	} {
		values := quarters
		if c.p.Queries() > 3 {
			values = []float64{-1, -.5, .5, 1}
		}
		grid := exact.Grid(c.p, game.RhoTilde(c.p), values, c.r)
		b := certify(t, c.p, grid, exact.Options{Loss: c.l, Width: c.w})
		t.Logf("%s d=%d T=%d, %d instances: [%.4f, %.4f], %d iterations", c.p.Name, c.p.Queries(), c.p.T, len(grid), b.Lo, b.Hi, b.Iterations)
	}
}

// TestTwoArms: with two arms ±a and one answer every policy has ℓ = (1−a)/2.
func TestTwoArms(t *testing.T) {
	p := check.BestArm(2, 1)
	for _, a := range []float64{.25, .5, 1} {
		thetas := [][]float64{{a, -a}, {-a, a}}
		b := certify(t, p, thetas, exact.Options{Width: 1e-9})
		near(t, "lower bound", b.Lo, (1-a)/2)
		near(t, "upper bound", b.Hi, (1-a)/2)
		for _, policy := range []game.Policy{check.Even{P: p}, check.Wavy{P: p}} {
			near(t, "loss", newGame(t, p).Flow(policy).Loss(game.BestIdentification, thetas[0]), (1-a)/2)
		}
	}
}

// TestMonotone: more instances never lower the value, and queries in another
// order leave it.
func TestMonotone(t *testing.T) {
	p := check.BestArm(3, 4)
	opts := exact.Options{Width: 1e-4}
	last := 0.0
	for _, r := range []float64{6, 12, 24, 48} {
		grid := exact.Grid(p, game.RhoTilde(p), quarters, r)
		b := certify(t, p, grid, opts)
		if b.Hi < last {
			t.Errorf("r = %v: [%v, %v] below %v of a smaller set", r, b.Lo, b.Hi, last)
		}
		last = b.Lo
	}
	q := check.Permute(check.Thresholds(3, 4), []int{2, 0, 1})
	b := certify(t, q, exact.Grid(q, game.RhoTilde(q), quarters, 16), opts)
	p = check.Thresholds(3, 4)
	c := certify(t, p, exact.Grid(p, game.RhoTilde(p), quarters, 16), opts)
	if b.Lo > c.Hi || c.Lo > b.Hi {
		t.Errorf("[%v, %v] of permuted queries, [%v, %v] before", b.Lo, b.Hi, c.Lo, c.Hi)
	}
}

func TestCertifyRefuses(t *testing.T) {
	p := check.Thresholds(3, 5)
	if _, err := exact.Certify(t.Context(), p, nil, exact.Options{}); err == nil {
		t.Error("no instances: no error")
	}
	if _, err := exact.Certify(t.Context(), check.Thresholds(25, 20), [][]float64{make([]float64, 25)}, exact.Options{}); err == nil {
		t.Error("too many states: no error")
	}
	if _, err := exact.Certify(t.Context(), check.Thresholds(5, 8), make([][]float64, 10_000), exact.Options{}); err == nil {
		t.Error("too many cells: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := exact.Certify(ctx, p, [][]float64{{1, 1, 1}}, exact.Options{}); err == nil {
		t.Error("cancelled: no error")
	}
}
