package num

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTempered: every scale's softmax within the package's bound, its largest entry exactly, rows as alone.
func TestTempered(t *testing.T) {
	scales := []float32{.2, .9, 3}
	for _, k := range available() {
		r := rand.New(rand.NewPCG(3, 4))
		for d := 1; d < 70; d++ {
			const n = 5
			v := make([]float32, n*d)
			for i := range v {
				v[i] = float32(r.IntN(21) - 10)
			}
			dst, check := guarded(t, n*len(scales)*d)
			share := make([]float32, n*len(scales))
			for j, s := range scales {
				if !k.softmax(dst[j*d:], v, share[j:], s, n, d, len(scales)*d, d, len(scales)) {
					t.Fatalf("%s, d = %d: a good row is called bad", k.name, d)
				}
			}
			check("softmax")
			for i := range n * len(scales) {
				scaled := make([]float32, d)
				for c, x := range v[i/len(scales)*d:][:d] {
					scaled[c] = scales[i%len(scales)] * x
				}
				got := dst[i*d : (i+1)*d]
				// The scale's product rounds once more: a relative ε of an exponent of at most 60.
				for c, x := range got {
					if want := exactly(scaled)[c]; math.Abs(float64(x)-want) > float64(d+8+120)*eps*want+1e-37 {
						t.Fatalf("%s, d = %d: entry %d is %v, want %v", k.name, d, c, x, want)
					}
				}
				if top := slices.Max(got); math.Abs(float64(share[i]-top)) > eps*float64(top) {
					t.Fatalf("%s, d = %d: the largest entry is %v, said to be %v", k.name, d, top, share[i])
				}
			}
		}
	}
}

// exactly is the softmax of v.
func exactly(v []float32) (p []float64) {
	var sum float64
	top := slices.Max(v)
	for _, x := range v {
		p = append(p, math.Exp(float64(x)-float64(top)))
		sum += p[len(p)-1]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// TestOpposed: all kernels agree to the bit with the definition, whatever the shape.
func TestOpposed(t *testing.T) {
	for _, k := range available() {
		r := rand.New(rand.NewPCG(5, 6))
		for rows := 1; rows < 20; rows++ {
			for _, cols := range []int{1, 7, 8, 9, 15, 16, 17, 33, 100} {
				checkOpposed(t, k, r, rows, cols)
			}
		}
		for range 60 {
			checkOpposed(t, k, r, 200+r.IntN(900), 1+r.IntN(110))
		}
	}
}

func checkOpposed(t testing.TB, k kernel, r *rand.Rand, rows, cols int) {
	t.Helper()
	z, v := make([]float32, rows*cols), make([]float32, rows)
	for i := range z {
		z[i] = float32(r.IntN(2))
	}
	differ, spread := r.Float64(), 1+r.IntN(200) // how alike hypotheses are, and how many scores there are
	for i := range v {
		v[i] = float32(r.IntN(spread)-4) / 4
		for j := range cols {
			if r.Float64() > differ {
				z[i*cols+j] = float32(j % 2)
			}
		}
	}
	table := NewTable(z, rows, cols)
	best := r.IntN(rows)
	dst, check := guarded(t, table.Width())
	k.opposed(dst, v, table.bits[best*table.words:(best+1)*table.words], table)
	check("opposed")
	for i, got := range dst {
		want := float32(math.Inf(-1))
		for row, x := range v {
			if i < cols && z[row*cols+i] != z[best*cols+i] {
				want = max(want, x)
			}
		}
		if got != want {
			t.Fatalf("%s, %d×%d: column %d is %v, want %v", k.name, rows, cols, i, got, want)
		}
		if i < cols && table.One(best, i) != (z[best*cols+i] != 0) {
			t.Fatalf("column %d of the table is wrong", i)
		}
	}
}

// TestLeakyGrad: all kernels agree to the bit with the formula.
func TestLeakyGrad(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for d := 1; d < 40; d++ {
		for n := 1; n < 6; n++ {
			p := newProblem(r, n, d, d)
			for _, k := range available() {
				const groups = 2 // n·d of each; the second's add is another
				h, check := guarded(t, groups*n*d)
				copy(h, slices.Repeat(p.x, groups))
				k.leakyGrad(h, slices.Repeat(p.act, groups), slices.Concat(p.b, p.dy[:d]), groups, n, d)
				check("leakyGrad")
				for at, got := range h {
					i, add := at%(n*d), p.b
					if at >= n*d {
						add = p.dy
					}
					want := p.act[i] + add[i%d]
					if !(p.x[i] > 0) {
						want *= Slope
					}
					if got != want {
						t.Fatalf("%s, %d×%d: entry %d is %v, want %v", k.name, n, d, i, got, want)
					}
				}
			}
		}
	}
}

func BenchmarkOpposed(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][2]int{{26, 25}, {1000, 100}} {
		rows, cols := shape[0], shape[1]
		z, v := make([]float32, rows*cols), make([]float32, rows)
		for i := range z {
			z[i] = float32(r.IntN(2))
		}
		table := NewTable(z, rows, cols)
		dst := make([]float32, table.Width())
		for _, k := range available() {
			b.Run(fmt.Sprintf("%dx%d/%s", rows, cols, k.name), func(b *testing.B) {
				for b.Loop() {
					k.opposed(dst, v, table.bits[:table.words], table)
				}
			})
		}
	}
}
