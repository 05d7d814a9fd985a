package check_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"mapo/internal/check"
	"mapo/rng"
)

// recorder is a test that may fail without failing the one around it.
type recorder struct {
	testing.TB
	failed bool
}

func (*recorder) Helper()                 {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }
func (r *recorder) Fatal(...any)          { r.failed = true; panic(r) }
func fails(t *testing.T, f func(testing.TB)) bool {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if x := recover(); x != nil && x != any(r) {
				panic(x)
			}
		}()
		f(r)
	}()
	return r.failed
}

// coin gives 1 with probability p and 0 otherwise.
func coin(r *rand.Rand, p float64) func([]float64) {
	return func(dst []float64) {
		for i := range dst {
			dst[i] = 0
			if r.Float64() < p {
				dst[i] = 1
			}
		}
	}
}

// TestDraws compares the sample size with the exact tails of the binomial
// distribution: both errors are at most Alarm.
func TestDraws(t *testing.T) {
	for _, gap := range []float64{1, 0.5, 0.2, 0.1} {
		n := check.Draws(0, 1, gap)
		for _, p := range []float64{0.1, 0.3, 0.5, 0.8} {
			if x := outside(n, p, p, gap/2); x > check.Alarm {
				t.Errorf("gap %v: a fair test at p = %v fails with probability %v", gap, p, x)
			}
			if q := p + gap; q <= 1 {
				if x := 1 - outside(n, q, p, gap/2); x > check.Alarm {
					t.Errorf("gap %v: a mean of %v passes as %v with probability %v", gap, q, p, x)
				}
			}
		}
	}
}

// outside is P(|X/n − want| > slack) for X ~ Binomial(n, p).
func outside(n int, p, want, slack float64) float64 {
	var sum float64
	all, _ := math.Lgamma(float64(n + 1))
	for k := range n + 1 {
		if math.Abs(float64(k)/float64(n)-want) <= slack {
			continue
		}
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		x := all - a - b
		if k > 0 {
			x += float64(k) * math.Log(p)
		}
		if k < n {
			x += float64(n-k) * math.Log1p(-p)
		}
		sum += math.Exp(x)
	}
	return sum
}

func TestMean(t *testing.T) {
	r := rng.New(1).Rand()
	for _, c := range []struct {
		why  string
		draw func([]float64)
		fail bool
	}{
		{"a fair coin", coin(r, 0.5), false},
		{"a coin that is off by the gap", coin(r, 0.53), true},
		{"the same, downwards", coin(r, 0.47), true},
		{"a draw above the range", func(dst []float64) { coin(r, 0.5)(dst); dst[0] = 1.5 }, true},
		{"a draw below the range", func(dst []float64) { coin(r, 0.5)(dst); dst[0] = -0.5 }, true},
		{"a draw that is not a number", func(dst []float64) { coin(r, 0.5)(dst); dst[0] = math.NaN() }, true},
		{"draws left as they were", func([]float64) {}, true},
	} {
		if got := fails(t, func(t testing.TB) { check.Mean(t, 0.5, 0, 1, 0.03, c.draw) }); got != c.fail {
			t.Errorf("%s: failed is %v, want %v", c.why, got, c.fail)
		}
	}
}

func TestGrad(t *testing.T) {
	r := rng.New(2).Rand()
	draw := func(x []float64) {
		for i := range x {
			x[i] = r.NormFloat64()
		}
	}
	cubic := func(x []float64) float64 { return x[0]*x[0]*x[0] + 5*x[0]*x[1] + math.Sin(x[2]) }
	right := func(dst, x []float64) {
		dst[0], dst[1], dst[2] = 3*x[0]*x[0]+5*x[1], 5*x[0], math.Cos(x[2])
	}
	kinks := func(x []float64) float64 {
		return cubic(x) + math.Abs(x[1]) + 1e3*math.Floor(10*x[2])
	}
	for _, c := range []struct {
		why  string
		f    func([]float64) float64
		grad func(dst, x []float64)
		fail bool
	}{
		{"the derivative", cubic, right, false},
		{"a part in a hundred thousand too large", cubic, func(dst, x []float64) { right(dst, x); dst[1] *= 1.00001 }, true},
		{"one entry forgotten", cubic, func(dst, x []float64) { right(dst, x); dst[2] = 0 }, true},
		{"a derivative that is not a number", cubic, func(dst, x []float64) { right(dst, x); dst[0] = math.NaN() }, true},
		{"a function with kinks and jumps", kinks, func(dst, x []float64) {
			right(dst, x)
			dst[1] += math.Copysign(1, x[1])
		}, false},
		{"kinks everywhere", func(x []float64) float64 { return math.Floor(1e9 * x[0]) }, right, true},
	} {
		if got := fails(t, func(t testing.TB) { check.Grad(t, 3, draw, c.f, c.grad) }); got != c.fail {
			t.Errorf("%s: failed is %v, want %v", c.why, got, c.fail)
		}
	}
}

// TestGradRedraws: a point on a kink is not compared, whatever grad says there.
func TestGradRedraws(t *testing.T) {
	at, drawn := []float64{0, 1e-6, -1e-6, 0.5}, 0
	draw := func(x []float64) { x[0] = at[drawn%len(at)]; drawn++ }
	check.Grad(t, 1, draw, func(x []float64) float64 { return math.Abs(x[0]) }, func(dst, x []float64) {
		if math.Abs(x[0]) < 0.1 {
			t.Errorf("compared at %v, next to the kink", x[0])
		}
		dst[0] = 1
	})
	if drawn != check.Points*len(at) {
		t.Errorf("%d points drawn, want %d", drawn, check.Points*len(at))
	}
}

func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	golden := func(got string) bool {
		return fails(t, func(t testing.TB) { check.Golden(t, path, []byte(got)) })
	}
	if !golden("one\ntwo\n") {
		t.Error("a golden file that is missing is no failure")
	}
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for got, fail := range map[string]bool{"one\ntwo\n": false, "one\ntwo": true, "one\n2\n": true, "": true, "one\ntwo\nthree\n": true} {
		if golden(got) != fail {
			t.Errorf("%q: failed is %v, want %v", got, !fail, fail)
		}
	}
}

func TestProblems(t *testing.T) {
	r := rng.New(3).Rand()
	for d := 2; d < 7; d++ {
		p := check.Random(d, 1<<(d-1), 3, r)
		for _, p := range append([]any{}, p, check.Thresholds(d, 3), check.BestArm(d, 3)) {
			if err := p.(interface{ Check() error }).Check(); err != nil {
				t.Error(fmt.Errorf("d = %d: %w", d, err))
			}
		}
	}
}
