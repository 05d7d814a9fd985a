package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// table is a random problem with n different hypotheses over d queries.
func table(d, n, budget int, r *rand.Rand) *game.Problem {
	p := &game.Problem{X: make([]string, d), T: budget}
	seen := map[string]bool{}
	for len(p.Names) < n {
		row, key := make([]float32, d), make([]byte, d)
		for i := range row {
			if r.IntN(2) == 1 {
				row[i], key[i] = 1, 1
			}
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			p.Z, p.Names = append(p.Z, row...), append(p.Names, "z")
		}
	}
	return p
}

// play is the sums of a game of t answers.
func play(d, t int, r *rand.Rand) []float32 {
	s := make([]float32, d)
	for range t {
		s[r.IntN(d)] += float32(2*r.IntN(2) - 1)
	}
	return s
}

// naive is the marginals as reading 15 writes them, without any care.
func naive(p *game.Problem, beta float64, s []float32) []float64 {
	out := make([]float64, p.Queries())
	var total float64
	for k := range p.Hypotheses() {
		var e float64
		for i, z := range p.Row(k) {
			e += float64((2*z - 1) * s[i])
		}
		w := math.Pow((1-beta)/beta, e/2)
		total += w
		for i, z := range p.Row(k) {
			out[i] += w * float64(2*z-1)
		}
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

func TestOneAnswerIsWrongWithProbabilityBeta(t *testing.T) {
	p := &game.Problem{X: []string{"x"}, Names: []string{"no", "yes"}, Z: []float32{0, 1}, T: 3}
	q := New(p, 0.1, 0.3)
	w, m := make([]float32, 4), make([]float32, 2)
	q.Weights(w, []float32{1})
	q.Marginals(m, []float32{1})
	for i, want := range []float32{0.1, 0.9, 0.3, 0.7} {
		if math.Abs(float64(w[i]-want)) > 1e-7 {
			t.Errorf("weight %d is %v, want %v", i, w[i], want)
		}
	}
	for i, want := range []float32{0.8, 0.4} {
		if math.Abs(float64(m[i]-want)) > 1e-7 {
			t.Errorf("marginal %d is %v, want %v", i, m[i], want)
		}
	}
}

func TestFastPlainAndNaiveAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	betas := []float64{0.01, 0.1, 0.3, 0.49}
	for _, shape := range [][3]int{{3, 2, 1}, {25, 26, 20}, {7, 100, 12}, {65, 333, 30}} {
		d, n, budget := shape[0], shape[1], shape[2]
		p := table(d, n, budget, r)
		q := New(p, betas...)
		sc := q.pool.Get().(*scratch)
		fast, plain := make([]float32, len(betas)*d), make([]float32, len(betas)*d)
		for trial := range 50 {
			s := play(d, trial%(budget+1), r)
			if !q.fast.marginals(fast, s, q.power, &sc.lane) {
				t.Fatalf("%v: the lanes refuse a game of %d answers", shape, trial%(budget+1))
			}
			q.plain(plain, s, sc)
			for j, beta := range betas {
				for i, want := range naive(p, beta, s) {
					for name, got := range map[string]float32{"lanes": fast[j*d+i], "plain": plain[j*d+i]} {
						if math.Abs(float64(got)-want) > 2e-7 {
							t.Fatalf("%v β=%v query %d: %s %v, want %v", shape, beta, i, name, got, want)
						}
					}
				}
			}
		}
	}
}

func TestSumsOfNoGameStillWork(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	p := table(5, 9, 4, r)
	q := New(p, 0.2)
	for _, c := range []struct {
		why string
		s   []float32
	}{
		{"a part of an answer", []float32{0.5, -1.25, 0, 0, 2}},
		{"more answers than the budget", []float32{9, -9, 3, 0, 1}},
	} {
		got := make([]float32, 5)
		q.Marginals(got, c.s)
		for i, want := range naive(p, 0.2, c.s) {
			if math.Abs(float64(got[i])-want) > 2e-7 {
				t.Errorf("%s: query %d is %v, want %v", c.why, i, got[i], want)
			}
		}
	}
}

func TestExtremesStayFinite(t *testing.T) {
	p := table(4, 8, 1000, rand.New(rand.NewPCG(5, 6)))
	q := New(p, 1e-12)
	m, w := make([]float32, 4), make([]float32, 8)
	for _, s := range [][]float32{{1000, 0, 0, 0}, {-250, 250, -250, 250}, {1e6, -1e6, 3, 0.5}} {
		q.Marginals(m, s)
		q.Weights(w, s)
		var total float32
		for _, v := range w {
			total += v
		}
		if math.Abs(float64(total)-1) > 1e-6 {
			t.Errorf("S = %v: weights sum to %v", s, total)
		}
		for i, v := range m {
			if !(v >= -1.000001 && v <= 1.000001) {
				t.Errorf("S = %v: marginal %d is %v", s, i, v)
			}
		}
	}
}

// The counts are whole numbers: renaming hypotheses changes no bit, renaming
// queries moves the marginals with them.
func TestPermutationIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	p := table(11, 40, 20, r)
	s := play(11, 20, r)
	zs, xs := r.Perm(40), r.Perm(11)
	moved := &game.Problem{X: p.X, Names: p.Names, Z: make([]float32, len(p.Z)), T: p.T}
	movedS := make([]float32, 11)
	for k := range 40 {
		for i := range 11 {
			moved.Z[zs[k]*11+xs[i]] = p.Z[k*11+i]
		}
	}
	for i := range s {
		movedS[xs[i]] = s[i]
	}
	a, b := make([]float32, 11), make([]float32, 11)
	New(p, 0.1).Marginals(a, s)
	New(moved, 0.1).Marginals(b, movedS)
	for i := range a {
		if a[i] != b[xs[i]] {
			t.Errorf("query %d: %v, moved %v", i, a[i], b[xs[i]])
		}
	}
}

func TestBatchIsRowsAndSafe(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const d, n, states = 13, 30, 17
	betas := []float64{0.05, 0.25}
	q := New(table(d, n, 20, r), betas...)
	var s []float32
	for range states {
		s = append(s, play(d, 20, r)...)
	}
	m, w := make([]float32, states*2*d), make([]float32, states*2*n)
	q.Marginals(m, s)
	q.Weights(w, s)
	var wg sync.WaitGroup
	for b := range states {
		wg.Go(func() {
			row, weight := make([]float32, 2*d), make([]float32, 2*n)
			q.Marginals(row, s[b*d:(b+1)*d])
			q.Weights(weight, s[b*d:(b+1)*d])
			for i, v := range row {
				if v != m[b*2*d+i] {
					t.Errorf("state %d: marginal %d differs alone", b, i)
				}
			}
			for i, v := range weight {
				if v != w[b*2*n+i] {
					t.Errorf("state %d: weight %d differs alone", b, i)
				}
			}
		})
	}
	wg.Wait()
}

func TestNoAllocation(t *testing.T) {
	if check.PoolsDrop() {
		t.Skip("the pools drop their scratch here (race detector)")
	}
	r := rand.New(rand.NewPCG(11, 12))
	q := New(table(10, 50, 20, r), 0.1, 0.3)
	s, m, w := play(10, 20, r), make([]float32, 20), make([]float32, 100)
	if n := testing.AllocsPerRun(100, func() { q.Marginals(m, s); q.Weights(w, s) }); n > 0.1 {
		t.Errorf("%v allocations a call", n)
	}
}

func TestPanics(t *testing.T) {
	p := table(3, 4, 2, rand.New(rand.NewPCG(1, 1)))
	for want, f := range map[string]func(){
		"beta is 0.5":    func() { New(p, 0.5) },
		"beta is NaN":    func() { New(p, math.NaN()) },
		"multiple of 3":  func() { New(p, 0.1).Marginals(make([]float32, 3), make([]float32, 4)) },
		"2 entries":      func() { New(p, 0.1).Weights(make([]float32, 2), make([]float32, 3)) },
		"want 6":         func() { New(p, 0.1, 0.2).Marginals(make([]float32, 3), make([]float32, 3)) },
		"into 4 entries": func() { New(p, 0.1).Marginals(make([]float32, 4), make([]float32, 3)) },
	} {
		func() {
			defer func() {
				if msg, _ := recover().(string); !strings.Contains(msg, want) {
					t.Errorf("panic %q, want %q", msg, want)
				}
			}()
			f()
		}()
	}
}

func BenchmarkMarginals(b *testing.B) {
	for _, shape := range []struct {
		name string
		d, n int
	}{{"thresholds", 25, 26}, {"birds", 100, 200}, {"people", 100, 1000}} {
		b.Run(shape.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(13, 14))
			q := New(table(shape.d, shape.n, 20, r), 0.1)
			m := make([]float32, shape.d)
			var s [21][]float32
			for t := range s {
				s[t] = play(shape.d, t, r)
			}
			i := 0
			for b.Loop() {
				q.Marginals(m, s[i%21])
				i++
			}
		})
	}
}

// A curve has the function's values, and the same ones for many at once.
func TestCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	wide, narrow := make([]float64, 1000), make([]float32, 1000)
	for i := range wide {
		narrow[i] = float32(0.02 + 0.96*r.Float64())
		wide[i] = float64(narrow[i])
	}
	x := slices.Clone(wide)
	Apply(doubtCurve, wide)
	Apply(doubtCurve, narrow)
	for i, x := range x {
		if want := doubtCurve.Of(x); wide[i] != want || narrow[i] != float32(want) || math.Abs(want-Entropy(x)) > 3e-12 {
			t.Fatalf("at %v: %v, %v and %v, want %v", x, want, wide[i], narrow[i], Entropy(x))
		}
	}
}
