package num

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomQueries is a state of d queries as a table makes them: where all hypotheses are alike, nothing is unlike the
// best, and some are at the borders.
func randomQueries(r *rand.Rand, d int) *Queries {
	fill := func(n int, f func() float32) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	sign := func() float32 { return float32(2*r.IntN(2) - 1) }
	normal := func() float32 { return float32(r.NormFloat64()) }
	q := &Queries{Top: 2, RawTop: float32(r.IntN(9)), From: 1.5, Tie: 1e-5, Gain: [3]float32{normal(), normal(), normal()},
		Count: fill(d, func() float32 { return float32(r.IntN(5)) }), Mean: fill(d, normal), Near: fill(d, normal), Signed: fill(d, normal),
		Balance: fill(d, normal), Sign: fill(d, sign), RawSign: fill(d, sign), Marginal: fill(posteriors*d, func() float32 { return 2*r.Float32() - 1 })}
	q.Rest = fill(d, func() float32 { return []float32{2, 1.5, 2 - 1e-5, 2 * r.Float32(), float32(math.Inf(-1))}[r.IntN(5)] })
	q.RawRest = slices.Clone(q.Rest)
	for i, v := range q.RawRest {
		if v > 0 {
			q.RawRest[i] = q.RawTop - float32(r.IntN(3))
		}
	}
	for i := range q.State {
		q.State[i] = normal()
	}
	return q
}

// checkDescribe: the bits of the plain form, and nothing between the features.
func checkDescribe(t testing.TB, k kernel, r *rand.Rand, d int) {
	t.Helper()
	q, ld := randomQueries(r, d), d+r.IntN(20)
	dst, check := guarded(t, (QueryFeatures-1)*ld+d)
	want := make([]float32, len(dst))
	for i := range dst {
		dst[i], want[i] = 7, 7
	}
	plainDescribe(want, q, d, ld)
	k.describe(dst, q, d, ld)
	check("describe")
	for i, w := range want {
		if math.Float32bits(dst[i]) != math.Float32bits(w) {
			t.Fatalf("%s, %d queries, %d apart: feature %d of query %d is %v, want %v", k.name, d, ld, i/ld, i%ld, dst[i], w)
		}
	}
}

func checkLargest(t testing.TB, k kernel, r *rand.Rand, n, d int) {
	t.Helper()
	v := make([]float32, n*d)
	for i := range v {
		v[i] = float32(r.IntN(1+r.IntN(40))) - 3
		if r.IntN(9) == 0 {
			v[i] = float32(math.Inf(-1))
		}
	}
	at := make([]int, n)
	top, checkTop := guarded(t, n)
	second, checkSecond := guarded(t, n)
	k.largest(at, top, second, v, n, d)
	checkTop("largest")
	checkSecond("largest")
	for i := range n {
		row := v[i*d : (i+1)*d]
		best := slices.Index(row, slices.Max(row))
		others := append(slices.Clone(row[:best]), row[best+1:]...)
		next := slices.Max(append(others, float32(math.Inf(-1))))
		if at[i] != best || top[i] != row[best] || second[i] != next {
			t.Fatalf("%s: of %v the largest is %v at %d, then %v; want %v at %d, then %v", k.name, row, top[i], at[i], second[i], row[best], best, next)
		}
	}
}

func checkMeans(t testing.TB, k kernel, r *rand.Rand, n int) {
	t.Helper()
	count, sum := make([]float32, n), make([]float32, n)
	for i := range n {
		count[i], sum[i] = float32(r.IntN(5)), float32(r.NormFloat64())
	}
	dst, check := guarded(t, n)
	k.means(dst, sum, count)
	check("means")
	for i, got := range dst {
		if want := sum[i] / max(count[i], 1); got != want {
			t.Fatalf("%s: mean %d of %d is %v, want %v", k.name, i, n, got, want)
		}
	}
}

// checkGroups: groups of rows give the bits that they give one by one.
func checkGroups(t testing.TB, k kernel, r *rand.Rand, groups, n, in, out int) {
	t.Helper()
	p, bias := newProblem(r, groups*n, in, out), newProblem(r, groups, 1, out).dy
	dst, check := guarded(t, groups*n*out)
	k.forwardGroups(dst, p.x, p.w, bias, groups, n, in, out, Leaky)
	check("forwardGroups")
	sums, checkSums := guarded(t, groups*out)
	factors := newProblem(r, 1, n, 1).x
	k.groupSums(sums, factors, p.dy, groups, n, out)
	checkSums("groupSums")
	for g := range groups {
		alone, sum := make([]float32, n*out), make([]float32, out)
		k.forward(alone, p.x[g*n*in:(g+1)*n*in], p.w, bias[g*out:(g+1)*out], n, in, out, Leaky)
		k.forward(sum, factors, p.dy[g*n*out:(g+1)*n*out], make([]float32, out), 1, n, out, Linear)
		if !slices.Equal(alone, dst[g*n*out:(g+1)*n*out]) || !slices.Equal(sum, sums[g*out:(g+1)*out]) {
			t.Fatalf("%s, %d groups of %d×%d×%d: group %d differs when alone", k.name, groups, n, in, out, g)
		}
	}
}

// checkColumns: a batch kept by columns gives the bits that its rows give.
func checkColumns(t testing.TB, k kernel, r *rand.Rand, p *problem) {
	t.Helper()
	ld := p.n + r.IntN(20)
	x := make([]float32, p.in*ld)
	for i := range p.n {
		for j := range p.in {
			x[j*ld+i] = p.x[i*p.in+j]
		}
	}
	dst, check := guarded(t, p.n*p.out)
	rows := make([]float32, p.n*p.out)
	k.forwardColumns(dst, x, ld, p.w, p.b, p.n, p.in, p.out, Leaky)
	k.forward(rows, p.x, p.w, p.b, p.n, p.in, p.out, Leaky)
	check("forwardColumns")
	dw, checkW := guarded(t, p.in*p.out)
	db, checkB := guarded(t, p.out)
	copy(dw, p.dw0)
	copy(db, p.db0)
	k.addWeightGradColumns(dw, db, x, ld, p.dy, p.n, p.in, p.out)
	checkW("addWeightGradColumns")
	checkB("addWeightGradColumns")
	dw2, db2 := slices.Clone(p.dw0), slices.Clone(p.db0)
	k.addWeightGrad(dw2, db2, p.x, p.dy, p.n, p.in, p.out)
	if !slices.Equal(dst, rows) {
		t.Fatalf("%s, %d×%d×%d: columns give other outputs than rows", k.name, p.n, p.in, p.out)
	}
	if !slices.Equal(dw, dw2) || !slices.Equal(db, db2) {
		t.Fatalf("%s, %d×%d×%d: columns give other gradients than rows", k.name, p.n, p.in, p.out)
	}
}

func TestDescribe(t *testing.T) {
	for _, k := range available() {
		r := rand.New(rand.NewPCG(13, 14))
		for d := 1; d < 70; d++ {
			checkDescribe(t, k, r, d)
			checkMeans(t, k, r, d)
			for n := 1; n < 5; n++ {
				checkLargest(t, k, r, n, d)
			}
		}
		nan := float32(math.NaN())
		for d := range 20 {
			row := slices.Concat(make([]float32, d), []float32{nan, 1, nan, nan})
			at, top := []int{-1}, make([]float32, 2)
			if k.largest(at, top[:1], top[1:], row, 1, len(row)); at[0] < 0 || at[0] >= len(row) {
				t.Errorf("%s: the largest of %v is at %d", k.name, row, at[0])
			}
		}
	}
}

// TestDeviations: all kernels agree with the formula.
func TestDeviations(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for out := 1; out < 140; out++ {
		n := 1 + r.IntN(30)
		p := newProblem(r, n, 1, out)
		for _, k := range available() {
			dst, check := guarded(t, out)
			k.deviations(dst, p.x, p.dy, p.b, out)
			check("deviations")
			for i, got := range dst {
				var want, size float64
				for j := range n {
					far := math.Abs(float64(p.dy[j*out+i]) - float64(p.b[i]))
					want, size = want+float64(p.x[j])*far, size+math.Abs(float64(p.x[j]))*far
				}
				if math.Abs(float64(got)-want) > 1e-5*size {
					t.Fatalf("%s, %d×%d: column %d is %v, want %v", k.name, n, out, i, got, want)
				}
			}
		}
	}
}

func TestColumns(t *testing.T) {
	for _, k := range available() {
		r := rand.New(rand.NewPCG(15, 16))
		for range 60 {
			checkColumns(t, k, r, newProblem(r, 1+r.IntN(600), 1+r.IntN(40), 1+r.IntN(40)))
		}
	}
}

func TestGroups(t *testing.T) {
	for _, k := range available() {
		r := rand.New(rand.NewPCG(17, 18))
		for range 60 {
			checkGroups(t, k, r, 1+r.IntN(9), 1+r.IntN(30), 1+r.IntN(40), []int{8, 16, 32, 1 + r.IntN(40)}[r.IntN(4)])
		}
	}
}

func BenchmarkDescribe(b *testing.B) {
	for _, d := range []int{25, 100} {
		q := randomQueries(rand.New(rand.NewPCG(1, 1)), d)
		dst := make([]float32, QueryFeatures*d)
		for _, k := range available() {
			b.Run(fmt.Sprintf("%d/%s", d, k.name), func(b *testing.B) {
				for b.Loop() {
					k.describe(dst, q, d, d)
				}
			})
		}
	}
}

func BenchmarkLargest(b *testing.B) {
	for _, d := range []int{26, 1000} {
		v := make([]float32, d)
		for i := range v {
			v[i] = float32(i * 7919 % 1009)
		}
		at, top, second := make([]int, 1), make([]float32, 1), make([]float32, 1)
		for _, k := range available() {
			b.Run(fmt.Sprintf("%d/%s", d, k.name), func(b *testing.B) {
				for b.Loop() {
					k.largest(at, top, second, v, 1, d)
				}
			})
		}
	}
}
