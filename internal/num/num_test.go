package num

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sizes that meet every tile's edges: rows, inner index and columns.
var sizes = []int{0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 15, 16, 17, 20, 23, 24, 25, 31, 32, 33, 37, 48, 49, 64, 65, 75}

// problem is one layer's worth of random matrices.
type problem struct {
	n, in, out    int
	x, w, b, dy   []float32
	act, dw0, db0 []float32
}

func newProblem(r *rand.Rand, n, in, out int) *problem {
	fill := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(r.NormFloat64())
			if r.IntN(16) == 0 {
				v[i] = 0
			}
		}
		return v
	}
	return &problem{n: n, in: in, out: out, x: fill(n * in), w: fill(in * out), b: fill(out), dy: fill(n * out),
		act: fill(n * in), dw0: fill(in * out), db0: fill(out)}
}

// guarded makes a slice of n entries that ends where a canary begins, and a check of the canary.
func guarded(t testing.TB, n int) (v []float32, check func(name string)) {
	const pad = 40
	all := make([]float32, pad+n+pad)
	for i := range all {
		all[i] = 12345
	}
	return all[pad : pad+n : pad+n], func(name string) {
		t.Helper()
		for i, c := range all {
			if (i < pad || i >= pad+n) && c != 12345 {
				t.Fatalf("%s: wrote outside, at %d of %d", name, i-pad, n)
			}
		}
	}
}

const eps = 0x1p-23

// within fails unless |got − want| ≤ (k+2)·ε·abs, the package's written bound: want and abs, the sum of
// the terms' absolute values, come from float64.
func within(t testing.TB, what string, i, k int, got float32, want, abs float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= float64(k+2)*eps*abs+1e-37) {
		t.Fatalf("%s: element %d is %v, want %v ± (%d+2)·ε·%v", what, i, got, want, k, abs)
	}
}

func leaky64(v float64) float64 {
	if v > 0 {
		return v
	}
	return float64(float32(Slope)) * v
}

func checkForward(t testing.TB, k kernel, p *problem) {
	for _, f := range []Activation{Linear, Leaky} {
		dst, check := guarded(t, p.n*p.out)
		k.forward(dst, p.x, p.w, p.b, p.n, p.in, p.out, f)
		what := fmt.Sprintf("%s forward %d×%d×%d f=%d", k.name, p.n, p.in, p.out, f)
		check(what)
		for i := range dst {
			r, o := i/p.out, i%p.out
			sum := float64(p.b[o])
			abs := math.Abs(sum)
			for j := range p.in {
				v := float64(p.x[r*p.in+j]) * float64(p.w[j*p.out+o])
				sum += v
				abs += math.Abs(v)
			}
			if f == Leaky {
				sum = leaky64(sum)
			}
			within(t, what, i, p.in, dst[i], sum, abs)
		}
	}
}

func checkInputGrad(t testing.TB, k kernel, p *problem) {
	for _, act := range [][]float32{nil, p.act} {
		dst, check := guarded(t, p.n*p.in)
		if act != nil {
			copy(dst, act)
			act = dst // in place, as the networks do it
		}
		k.inputGrad(dst, p.dy, p.w, act, p.n, p.in, p.out)
		what := fmt.Sprintf("%s inputGrad %d×%d×%d act=%t", k.name, p.n, p.in, p.out, act != nil)
		check(what)
		for i := range dst {
			r, c := i/p.in, i%p.in
			var sum, abs float64
			for j := range p.out {
				v := float64(p.dy[r*p.out+j]) * float64(p.w[c*p.out+j])
				sum += v
				abs += math.Abs(v)
			}
			if act != nil && !(p.act[i] > 0) {
				sum *= float64(float32(Slope))
			}
			within(t, what, i, p.out, dst[i], sum, abs)
		}
	}
}

func checkWeightGrad(t testing.TB, k kernel, p *problem) {
	dw, checkW := guarded(t, p.in*p.out)
	db, checkB := guarded(t, p.out)
	copy(dw, p.dw0)
	copy(db, p.db0)
	k.addWeightGrad(dw, db, p.x, p.dy, p.n, p.in, p.out)
	what := fmt.Sprintf("%s addWeightGrad %d×%d×%d", k.name, p.n, p.in, p.out)
	checkW(what)
	checkB(what)
	for i := range p.in + 1 { // row p.in stands for the bias, with inputs of 1
		for o := range p.out {
			var sum float64
			got := float32(0)
			if i < p.in {
				got, sum = dw[i*p.out+o], float64(p.dw0[i*p.out+o])
			} else {
				got, sum = db[o], float64(p.db0[o])
			}
			abs := math.Abs(sum)
			for r := range p.n {
				v := float64(p.dy[r*p.out+o])
				if i < p.in {
					v *= float64(p.x[r*p.in+i])
				}
				sum += v
				abs += math.Abs(v)
			}
			within(t, what, i*p.out+o, p.n, got, sum, abs)
		}
	}
}

func TestKernelsAgainstFloat64(t *testing.T) {
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			try := func(n, in, out int) {
				p := newProblem(r, n, in, out)
				if out > 0 {
					checkForward(t, k, p)
					checkWeightGrad(t, k, p)
				}
				if in > 0 {
					checkInputGrad(t, k, p)
				}
			}
			cases := 400
			if testing.Short() {
				cases = 40
			}
			for range cases {
				try(1+sizes[r.IntN(len(sizes)-1)], sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))])
			}
			if testing.Short() {
				return
			}
			for _, s := range sizes {
				try(13, s, 33)
				try(13, 33, s)
				try(s+1, 17, 17)
			}
			try(601, 75, 49) // several row blocks and chunks
			try(259, 256, 256)
		})
	}
}

// TestRowsAlone: a row's result does not depend on the batch around it, bit for bit.
func TestRowsAlone(t *testing.T) {
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for i := range 60 {
				if i == 10 && testing.Short() {
					break
				}
				n, in, out := 1+r.IntN(230), 1+r.IntN(90), 1+r.IntN(90)
				p := newProblem(r, n, in, out)
				y, dx := make([]float32, n*out), make([]float32, n*in)
				k.forward(y, p.x, p.w, p.b, n, in, out, Leaky)
				k.inputGrad(dx, p.dy, p.w, p.act, n, in, out)
				for lo := 0; lo < n; {
					m := min(n-lo, 1+r.IntN(20))
					y1, dx1 := make([]float32, m*out), make([]float32, m*in)
					k.forward(y1, p.x[lo*in:(lo+m)*in], p.w, p.b, m, in, out, Leaky)
					k.inputGrad(dx1, p.dy[lo*out:(lo+m)*out], p.w, p.act[lo*in:(lo+m)*in], m, in, out)
					if !slices.Equal(y1, y[lo*out:(lo+m)*out]) {
						t.Fatalf("forward %d×%d×%d: rows %d…%d differ when alone", n, in, out, lo, lo+m-1)
					}
					if !slices.Equal(dx1, dx[lo*in:(lo+m)*in]) {
						t.Fatalf("inputGrad %d×%d×%d: rows %d…%d differ when alone", n, in, out, lo, lo+m-1)
					}
					lo += m
				}
			}
		})
	}
}

// TestSoftmax: the bound of the package's text, zeros where the mask says so, sums of 1, rows as alone.
func TestSoftmax(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			for d := 1; d < 70; d++ {
				const n = 9
				v, check := guarded(t, n*d)
				for i := range v {
					v[i] = float32(r.NormFloat64()) * float32(math.Exp(4*r.NormFloat64()))
					if i%d > 0 && r.IntN(4) == 0 {
						v[i] = -inf
					}
				}
				logits := slices.Clone(v)
				if !inPlace(k, v, n, d) {
					t.Fatalf("d = %d: a good row is called bad", d)
				}
				check("softmax")
				for i := range n {
					row := logits[i*d : (i+1)*d]
					checkDistribution(t, v[i*d:(i+1)*d], row)
					if inPlace(k, row, 1, d); !slices.Equal(row, v[i*d:(i+1)*d]) {
						t.Fatalf("d = %d: row %d differs when alone", d, i)
					}
				}
			}
			for _, bad := range [][]float32{{-inf, -inf, -inf}, {1, inf, 2}, {0, 0, float32(math.NaN())}, {float32(math.NaN()), 1, 1}} {
				for d := range 24 {
					row := slices.Concat(slices.Repeat([]float32{-inf}, d), bad)
					if inPlace(k, slices.Concat(make([]float32, len(row)), row), 2, len(row)) {
						t.Errorf("softmax of %v went through", row)
					}
				}
			}
		})
	}
}

// inPlace replaces rows by their softmax.
func inPlace(k kernel, v []float32, n, d int) bool {
	return k.softmax(v, v, nil, 1, n, d, d, d, 0)
}

// checkDistribution compares p with the softmax of logits in float64.
func checkDistribution(t testing.TB, p, logits []float32) {
	t.Helper()
	var want []float64
	var sum, total float64
	top := slices.Max(logits)
	for _, x := range logits {
		want = append(want, math.Exp(float64(x-top)))
		sum += want[len(want)-1]
	}
	for i, w := range want {
		total += float64(p[i])
		if w /= sum; math.Abs(float64(p[i])-w) > float64(len(p)+8)*eps*w+1e-37 || w == 0 && p[i] != 0 {
			t.Fatalf("softmax of %v: entry %d is %v, want %v", logits, i, p[i], w)
		}
	}
	if math.Abs(total-1) > float64(len(p)+8)*eps {
		t.Fatalf("softmax of %v sums to %v", logits, total)
	}
}

// TestSpecials: infinities and NaN arrive where the formula puts them and nowhere else.
func TestSpecials(t *testing.T) {
	for _, k := range available() {
		const n, in, out = 14, 3, 18
		for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
			x, w, b := make([]float32, n*in), make([]float32, in*out), make([]float32, out)
			for i := range w {
				w[i] = 1
			}
			x[5*in+1] = v
			dst := make([]float32, n*out)
			k.forward(dst, x, w, b, n, in, out, Leaky)
			for i, y := range dst {
				bad := y != y || math.IsInf(float64(y), 0)
				if bad != (i/out == 5) {
					t.Fatalf("%s: %v in row 5 gives %v in row %d", k.name, v, y, i/out)
				}
				if i/out == 5 && math.IsNaN(float64(v)) != math.IsNaN(float64(y)) {
					t.Fatalf("%s: %v became %v", k.name, v, y)
				}
			}
		}
	}
}

func TestShapesPanic(t *testing.T) {
	v := func(n int) []float32 { return make([]float32, n) }
	for name, f := range map[string]func(){
		"num: x has 5 entries, want 6":    func() { Forward(v(4), v(5), v(6), v(2), 2, 3, 2, Linear) },
		"num: dst has 3 entries, want 4":  func() { Forward(v(3), v(6), v(6), v(2), 2, 3, 2, Linear) },
		"num: b has 3 entries, want 2":    func() { Forward(v(4), v(6), v(6), v(3), 2, 3, 2, Linear) },
		"num: act has 7 entries, want 6":  func() { InputGrad(v(6), v(4), v(6), v(7), 2, 3, 2) },
		"num: w has 5 entries, want 6":    func() { InputGrad(v(6), v(4), v(5), nil, 2, 3, 2) },
		"num: db has 1 entries, want 2":   func() { AddWeightGrad(v(6), v(1), v(6), v(4), 2, 3, 2) },
		"num: mask has 1 entries, want 2": func() { Softmax(v(2), v(2), make([]bool, 1), 1, 2) },
		"num: Softmax has a row without a finite logit left by the mask, or with one that is not a number": func() {
			Softmax(v(2), v(2), []bool{true, true}, 1, 2)
		},
		"num: negative size in [-1, 3, 2]": func() { AddWeightGrad(v(6), v(2), v(6), v(4), -1, 3, 2) },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panic %v, want %q", got, name)
				}
			}()
			f()
		}()
	}
}

func TestChoose(t *testing.T) {
	from := []kernel{{name: "avx2"}, plain}
	for _, c := range []struct{ name, want, err string }{
		{"", "avx2", ""},
		{"go", "go", ""},
		{"avx2", "avx2", ""},
		{"avx512", "go", `num: MAPO_KERNEL="avx512": this CPU does not have it; available: avx2, go`},
		{"sse9", "go", `num: MAPO_KERNEL="sse9": there is no such kernel; available: avx2, go`},
	} {
		k, err := choose(c.name, from)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if k.name != c.want || got != c.err {
			t.Errorf("choose(%q) = %s, %q; want %s, %q", c.name, k.name, got, c.want, c.err)
		}
	}
	if Check() == nil && !slices.Contains(Available(), Kernel()) {
		t.Errorf("kernel %s is not among %v", Kernel(), Available())
	}
	if Burn(10) <= 0 {
		t.Error("no peak, or no reason")
	}
	if !strings.HasSuffix(strings.Join(Available(), " "), "go") {
		t.Errorf("the plain kernel must be last of %v", Available())
	}
}

// FuzzKernels compares every fast kernel with float64 on shapes and numbers the fuzzer chooses.
func FuzzKernels(f *testing.F) {
	f.Add(uint64(1), 13, 25, 33)
	f.Add(uint64(2), 1, 75, 256)
	f.Add(uint64(5), 260, 61, 60)
	f.Add(uint64(3), 600, 16, 16)
	f.Add(uint64(4), 300, 12, 1)
	f.Fuzz(func(t *testing.T, seed uint64, n, in, out int) {
		if n < 1 || n > 600 || in < 1 || in > 300 || out < 1 || out > 300 || n*in*out > 1<<20 {
			t.Skip() // the float64 truth would take too long
		}
		p := newProblem(rand.New(rand.NewPCG(seed, 0)), n, in, out)
		for _, k := range available() {
			checkForward(t, k, p)
			checkInputGrad(t, k, p)
			checkWeightGrad(t, k, p)
			row := slices.Clone(p.b)
			inPlace(k, row, 1, out)
			checkDistribution(t, row, p.b)
			checkThrees(t, k, rand.New(rand.NewPCG(seed, 2)), n, (in+2)/3, out, float64(seed%8)/8)
			checkColumns(t, k, rand.New(rand.NewPCG(seed, 3)), p)
			checkGroups(t, k, rand.New(rand.NewPCG(seed, 7)), 1+n/20, 1+n%20, in, out)
			checkDescribe(t, k, rand.New(rand.NewPCG(seed, 4)), in)
			checkLargest(t, k, rand.New(rand.NewPCG(seed, 5)), n, out)
			checkMeans(t, k, rand.New(rand.NewPCG(seed, 6)), out)
			if n*out <= 1<<14 {
				checkOpposed(t, k, rand.New(rand.NewPCG(seed, 1)), n, out)
			}
		}
	})
}

// TestSoftmaxMask: a masked entry has probability 0 and the others are as without it, wherever it stands.
func TestSoftmaxMask(t *testing.T) {
	logits := []float32{.3, 2, -1, .5, 4, 0, .1}
	for at := range logits {
		mask := make([]bool, len(logits))
		mask[at] = true
		got, want := make([]float32, len(logits)), make([]float32, len(logits)-1)
		Softmax(got, logits, mask, 1, len(logits))
		Softmax(want, slices.Delete(slices.Clone(logits), at, at+1), nil, 1, len(want))
		if got[at] != 0 {
			t.Errorf("masked entry %d has probability %v", at, got[at])
		}
		for i, v := range slices.Delete(got, at, at+1) {
			if math.Abs(float64(v-want[i])) > 1e-6 {
				t.Errorf("with entry %d masked another has probability %v, want %v", at, v, want[i])
			}
		}
	}
}
