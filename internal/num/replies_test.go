package num

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// mixtures are rows of threes with weights that sum to less than 1 and mixtures of means that stay open, and matrices for them.
func mixtures(r *rand.Rand, n, cols, width int) (*Threes, *Panels) {
	x, m := new(Threes), NewPanels(cols, width)
	x.Reset(n, cols)
	for range n {
		for k := range cols {
			if r.IntN(4) == 0 && n > 1 {
				continue
			}
			w, a := r.Float64()/float64(cols), r.Float64()
			x.Add(k, float32(w), float32(a), float32((1-a)*(0.4+0.5*r.Float64())))
		}
		x.End()
	}
	for k := range cols {
		for i := range width {
			m.Set(k, i, float32(math.Round(20*(2*r.Float64()-1))/20))
		}
	}
	return x, m
}

// TestReplies: all kernels agree with the formula, lists without an entry among them.
func TestReplies(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for trial := range 60 {
		n, cols, width := 1+r.IntN(5), 1+r.IntN(40), 1+r.IntN(70)
		if trial < 10 {
			cols = 1
		}
		x, m := mixtures(r, n, cols, width)
		for _, k := range available() {
			mean, checkMean := guarded(t, n*m.Width())
			doubt, checkDoubt := guarded(t, n*m.Width())
			if len(x.entries) > 0 {
				k.replies(mean, doubt, x, m)
			} else {
				Replies(mean, doubt, x, m)
			}
			checkMean("replies")
			checkDoubt("replies")
			for at, got := range mean {
				var yes, sure float64
				row, i := at/m.Width(), at%m.Width()
				for _, e := range x.entries[x.start[row]:x.start[row+1]] {
					v := float64(m.At(int(e.at), i))
					y := float64(e.v[1])*min(max(v, -MostMean), MostMean) + float64(e.v[2])*v
					q := (1 + y) / 2
					yes += float64(e.v[0]) * y
					sure -= float64(e.v[0]) * (q*math.Log(q) + (1-q)*math.Log(1-q))
				}
				if math.Abs(float64(got)-yes) > 1e-6 || math.Abs(float64(doubt[at])-sure) > 4e-7 {
					t.Fatalf("%s, %d×%d×%d: entry %d is %v and %v, want %v and %v", k.name, n, cols, width, at, got, doubt[at], yes, sure)
				}
			}
		}
	}
}

// TestRepliesCertain: means of answers that are certain are right, too.
func TestRepliesCertain(t *testing.T) {
	x, m := new(Threes), NewPanels(2, 3)
	for i, v := range []float32{1, -1, 1} {
		m.Set(0, i, v)
		m.Set(1, i, 1)
	}
	x.Reset(1, 2)
	x.Add(0, 0.25, 0, 1)
	x.Add(1, 0.5, 0, 1)
	x.End()
	for _, k := range available() {
		mean, doubt := make([]float32, m.Width()), make([]float32, m.Width())
		if k.replies(mean, doubt, x, m); mean[0] != 0.75 || mean[1] != 0.25 || mean[2] != 0.75 {
			t.Errorf("%s: means are %v", k.name, mean[:3])
		}
	}
}

// TestDoubtOf: the plain kernel's entropy is right to within 2·10⁻⁷ wherever Replies may need it.
func TestDoubtOf(t *testing.T) {
	for k := range 100000 {
		x := float32(MostMean * float64(k) / 99999)
		q := (1 + float64(x)) / 2
		if got, want := doubtOf(x), -q*math.Log(q)-(1-q)*math.Log(1-q); math.Abs(float64(got)-want) > 2e-7 {
			t.Fatalf("the entropy of mean %v is %v, want %v", x, got, want)
		}
	}
}

func BenchmarkReplies(b *testing.B) {
	for _, shape := range [][2]int{{126, 128}, {10000, 512}} {
		rows, width := shape[0], shape[1]
		_, m := mixtures(rand.New(rand.NewPCG(1, 1)), 1, rows, width)
		x := new(Threes)
		x.Reset(rows/64+1, rows)
		for k := range rows {
			x.Add(k, 1/float32(rows), 0.25, 0.5)
			if k%64 == 63 {
				x.End()
			}
		}
		x.End()
		mean, doubt := make([]float32, x.Rows()*m.Width()), make([]float32, x.Rows()*m.Width())
		for _, k := range available() {
			b.Run(fmt.Sprintf("%dx%d/%s", rows, width, k.name), func(b *testing.B) {
				for b.Loop() {
					k.replies(mean, doubt, x, m)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*width), "ns/cell")
			})
		}
	}
}

// TestLikely: all kernels agree to the bit with the formula.
func TestLikely(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for n := range 40 {
		for _, limit := range []float32{1, MostMean} {
			m, half := make([]float32, n), []float64{0.5, -0.25, 0.45}[r.IntN(3)]
			for k := range m {
				m[k] = float32(r.IntN(41)-20) / 20
			}
			for _, k := range available() {
				w, top := make([]float64, n+4), 0.
				for at := range w {
					w[at] = float64(at+1) / 97
				}
				got := k.likely(w[:n], m, half, limit)
				for at, v := range m {
					likelihood := float64(half * float64(min(max(v, -limit), limit)))
					want := float64(at+1) / 97 * (0.5 + likelihood)
					if top = max(top, want); w[at] != want {
						t.Fatalf("%s, %d: weight %d is %v, want %v", k.name, n, at, w[at], want)
					}
				}
				if got != top || w[n] != float64(n+1)/97 {
					t.Fatalf("%s, %d: the largest is %v, want %v; behind the end is %v", k.name, n, got, top, w[n])
				}
			}
		}
	}
}
