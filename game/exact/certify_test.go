package exact_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/internal/suite"
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
	g := newGame(t, p).Played(b.Policy)
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

// frontier is a table of eight rows over six queries whose frontier of worst case and average is strongly curved.
var frontier = [][]float64{
	{0.041479, 0.375318, 0.763883, 0.970000, 0.636692, 0.189550}, {0.338267, 0.137631, 0.395682, 0.837605, 0.753436, 0.047578},
	{0.923415, 0.030000, 0.965390, 0.797929, 0.343759, 0.054495}, {0.084186, 0.805526, 0.970000, 0.859491, 0.140081, 0.125601},
	{0.970000, 0.838726, 0.895577, 0.970000, 0.936337, 0.570054}, {0.905172, 0.970000, 0.312580, 0.048336, 0.254362, 0.666807},
	{0.808238, 0.845254, 0.890172, 0.140793, 0.943640, 0.453376}, {0.652273, 0.758988, 0.581926, 0.263624, 0.457798, 0.265363},
}

// TestFrontier: with an average in the objective the bracket encloses what an independent program found, to its 0.01, for
// least squares and for a free decision, and the policy at its upper end plays as it says.
func TestFrontier(t *testing.T) {
	p := &game.Problem{T: 4}
	var rows [][]float64
	for i := range 6 {
		p.X = append(p.X, fmt.Sprint("question ", i+1))
	}
	for k, row := range frontier {
		p.Names = append(p.Names, fmt.Sprint("row ", k+1))
		theta := make([]float64, 6)
		for i, yes := range row {
			theta[i] = 2*yes - 1
			p.Z = append(p.Z, float32(math.Round(yes)))
		}
		rows = append(rows, theta)
	}
	prior := game.Rows("table", rows)
	set := exact.Grid(p, game.RhoTilde(p), []float64{-1, -.4, .4, 1}, 16)
	if len(set) != 1158 {
		t.Fatalf("%d instances, want 1158", len(set))
	}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		weight      float64
		free        bool
		worst, mean float64 // of the independent program
	}{
		{0, false, 0.605, 0}, {0.3, false, 0.613, 0.459}, {0.5, false, 0.623, 0.438}, {0.7, false, 0.641, 0.425}, {0.9, false, 0.725, 0.406},
		{0, true, 0.603, 0}, {0.3, true, 0.611, 0.448}, {0.5, true, 0.627, 0.414}, {0.7, true, 0.657, 0.391}, {0.9, true, 0.782, 0.361},
	} {
		t.Run(fmt.Sprintf("w=%g free=%v", c.weight, c.free), func(t *testing.T) {
			width := 0.002
			if c.free && suite.Reduced() {
				if c.weight != 0.9 {
					t.Skip("takes seconds: runs where MAPO_CI is set")
				}
				width = 0.008
			}
			b, err := exact.Certify(t.Context(), p, set, exact.Options{Width: width, Free: c.free, Average: game.Support(p, prior), Weight: c.weight})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("[%.4f, %.4f], of it worst %.4f, average %.4f after %d iterations", b.Lo, b.Hi, b.Worst, b.Mean, b.Iterations)
			if want := (1-c.weight)*c.worst + c.weight*c.mean; b.Hi-b.Lo > width || want < b.Lo-0.001 || want > b.Hi+0.01 {
				t.Errorf("bracket [%.4f, %.4f], want it %g wide and near %.4f", b.Lo, b.Hi, width, want)
			}
			flow := g.Decided(game.DeciderOf(p, b.Policy)).Flow(b.Policy)
			worst, _ := flow.Worst(game.BestIdentification, set)
			mean := 0.
			for _, theta := range rows {
				mean += flow.Loss(game.BestIdentification, theta) / float64(len(rows))
			}
			if got := (1-c.weight)*worst + c.weight*mean; math.Abs(got-b.Hi) > 1e-6 {
				t.Errorf("the policy's objective is %.6f, the bracket's upper end %.6f", got, b.Hi)
			}
		})
	}
}
