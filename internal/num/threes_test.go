package num

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomThrees has n rows of cols threes, each there with some probability, and the same as a matrix.
func randomThrees(r *rand.Rand, n, cols int, share float64) (*Threes, []float32) {
	x, dense := new(Threes), make([]float32, n*3*cols)
	x.Reset(n, cols)
	for b := range n {
		for i := range cols {
			if r.Float64() >= share {
				continue
			}
			v := [3]float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.IntN(3) - 1)}
			x.Add(i, v[0], v[1], v[2])
			copy(dense[(b*cols+i)*3:], v[:])
		}
		x.End()
	}
	return x, dense
}

// checkThrees holds both kernels to the package's bound, by float64 on the matrix.
func checkThrees(t testing.TB, k kernel, r *rand.Rand, n, cols, out int, share float64) {
	t.Helper()
	x, dense := randomThrees(r, n, cols, share)
	in := 3 * cols
	p := newProblem(r, n, in, out)
	p.x = dense
	as := k
	as.forward = func(dst, _, w, b []float32, _, _, out int, f Activation) { k.forwardThrees(dst, x, w, b, out, f) }
	as.addWeightGrad = func(dw, db, _, dy []float32, _, _, out int) { k.addWeightGradThrees(dw, db, x, dy, out) }
	checkForward(t, as, p)
	checkWeightGrad(t, as, p)
	checkPart(t, k, x, dense, p)
	if k.name == plain.name {
		return // it adds four inputs at a time
	}
	dst, whole := make([]float32, n*out), make([]float32, n*out)
	k.forwardThrees(dst, x, p.w, p.b, out, Leaky)
	k.forward(whole, dense, p.w, p.b, n, in, out, Leaky)
	if !slices.Equal(dst, whole) {
		t.Fatalf("%s, %d×%d×%d: not the bits of the whole matrix's product", k.name, n, in, out)
	}
}

// checkPart: each of the three numbers gives the bits of the product with its matrix.
func checkPart(t testing.TB, k kernel, x *Threes, dense []float32, p *problem) {
	t.Helper()
	cols := p.in / 3
	for part := range 3 {
		of := make([]float32, p.n*cols)
		for i := range of {
			of[i] = dense[3*i+part]
		}
		dst, check := guarded(t, p.n*p.out)
		want := make([]float32, p.n*p.out)
		k.forwardPart(dst, x, part, p.w[:cols*p.out], p.out)
		check("forwardPart")
		if k.forward(want, of, p.w[:cols*p.out], make([]float32, p.out), p.n, cols, p.out, Linear); !slices.Equal(dst, want) {
			t.Fatalf("%s, %d×%d×%d: part %d has not the bits of its matrix's product", k.name, p.n, cols, p.out, part)
		}
	}
}

func TestThrees(t *testing.T) {
	for _, k := range available() {
		r := rand.New(rand.NewPCG(11, 12))
		for _, n := range []int{1, 2, 3, 17, 300} {
			for _, cols := range []int{1, 2, 9, 25} {
				for _, out := range []int{1, 7, 8, 9, 16, 17, 31, 33, 64, 65, 100, 128} {
					checkThrees(t, k, r, n, cols, out, []float64{0, .1, .5, 1}[r.IntN(4)])
				}
			}
			if testing.Short() {
				break
			}
		}
	}
}

// A batch is grown into room of its own, rows without entries are rows, and no rows are fine.
func TestThreesRows(t *testing.T) {
	x := new(Threes)
	if x.Rows() != 0 {
		t.Errorf("the zero value has %d rows", x.Rows())
	}
	ForwardThrees(nil, x, nil, []float32{1}, 1, Leaky)
	x.Reset(2, 2)
	x.End()
	x.Add(1, 1, 10, 100)
	x.End()
	dst := make([]float32, 2)
	ForwardThrees(dst, x, []float32{0, 0, 0, 2, 3, 4}, []float32{-1}, 1, Linear)
	if want := []float32{-1, 431}; !slices.Equal(dst, want) {
		t.Errorf("rows give %v, want %v", dst, want)
	}
	dw, db := make([]float32, 6), make([]float32, 1)
	AddWeightGradThrees(dw, db, x, []float32{5, 7}, 1)
	if want := []float32{0, 0, 0, 7, 70, 700}; !slices.Equal(dw, want) || db[0] != 12 {
		t.Errorf("gradients %v and %v, want %v and 12", dw, db, want)
	}
	if n := testing.AllocsPerRun(10, func() { x.Reset(2, 2); x.Add(0, 1, 1, 1); x.End(); x.End() }); n != 0 {
		t.Errorf("%v allocations to fill a batch again", n)
	}
	defer func() {
		if got, want := recover(), "num: dst has 3 entries, want 2"; got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	ForwardThrees(make([]float32, 3), x, make([]float32, 6), []float32{0}, 1, Linear)
}

func BenchmarkThrees(b *testing.B) {
	const n, out = 240, 256
	for _, shape := range []struct {
		cols  int
		share float64
	}{{25, .3}, {100, .09}} {
		r := rand.New(rand.NewPCG(1, 1))
		x, dense := randomThrees(r, n, shape.cols, shape.share)
		p := newProblem(r, n, 3*shape.cols, out)
		y := make([]float32, n*out)
		for _, k := range available() {
			for name, run := range map[string]func(){
				"forward":        func() { k.forwardThrees(y, x, p.w, p.b, out, Leaky) },
				"forward/whole":  func() { k.forward(y, dense, p.w, p.b, n, 3*shape.cols, out, Leaky) },
				"gradient":       func() { k.addWeightGradThrees(p.dw0, p.db0, x, p.dy, out) },
				"gradient/whole": func() { k.addWeightGrad(p.dw0, p.db0, dense, p.dy, n, 3*shape.cols, out) },
			} {
				b.Run(fmt.Sprintf("%d/%s/%s", shape.cols, k.name, name), func(b *testing.B) {
					for b.Loop() {
						run()
					}
					b.ReportMetric(math.Round(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n), "ns/row")
				})
			}
		}
	}
}
