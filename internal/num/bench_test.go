package num

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The layers worth knowing about: the paper's, its first and last, narrow ones shared by queries, and a single row.
var benchShapes = [][3]int{{4096, 256, 256}, {240, 256, 256}, {240, 75, 256}, {240, 256, 25}, {4096, 64, 64}, {4096, 32, 32}, {6000, 20, 16}, {6000, 16, 1}, {1, 256, 256}}

// benchmarkKernels times run, and after each run the peak in as much time: on a shared machine only the
// ratio of neighbours means something. Reported is the median pair.
func benchmarkKernels(b *testing.B, run func(k kernel, p *problem, y, dx []float32)) {
	for _, s := range benchShapes {
		p := newProblem(rand.New(rand.NewPCG(1, 1)), s[0], s[1], s[2])
		y, dx := make([]float32, p.n*p.out), make([]float32, p.n*p.in)
		flop := 2 * float64(p.n) * float64(p.in) * float64(p.out)
		for _, k := range available() {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", p.n, p.in, p.out, k.name), func(b *testing.B) {
				b.ReportAllocs()
				var rates, shares []float64
				burns := int(flop / k.burn(1))
				for b.Loop() {
					t0 := time.Now()
					run(k, p, y, dx)
					t1 := time.Now()
					most := k.burn(burns)
					t2 := time.Now()
					rate := flop / float64(t1.Sub(t0))
					rates, shares = append(rates, rate), append(shares, rate/most*float64(t2.Sub(t1)))
				}
				slices.Sort(rates)
				slices.Sort(shares)
				b.ReportMetric(rates[len(rates)/2], "GFLOP/s")
				b.ReportMetric(100*shares[len(shares)/2], "%peak")
				b.ReportMetric(0, "ns/op") // would count the peak's time
			})
		}
	}
}

func BenchmarkForward(b *testing.B) {
	benchmarkKernels(b, func(k kernel, p *problem, y, _ []float32) {
		k.forward(y, p.x, p.w, p.b, p.n, p.in, p.out, Leaky)
	})
}

func BenchmarkInputGrad(b *testing.B) {
	benchmarkKernels(b, func(k kernel, p *problem, _, dx []float32) {
		k.inputGrad(dx, p.dy, p.w, dx, p.n, p.in, p.out) // in place, as the networks do it
	})
}

func BenchmarkAddWeightGrad(b *testing.B) {
	benchmarkKernels(b, func(k kernel, p *problem, _, _ []float32) {
		k.addWeightGrad(p.dw0, p.db0, p.x, p.dy, p.n, p.in, p.out)
	})
}

// BenchmarkPeak is what the others are compared with.
func BenchmarkPeak(b *testing.B) {
	for _, k := range available() {
		b.Run(k.name, func(b *testing.B) {
			var flop float64
			for b.Loop() {
				flop += k.burn(10000)
			}
			b.ReportMetric(flop/1e9/b.Elapsed().Seconds(), "GFLOP/s")
		})
	}
}

func BenchmarkSoftmax(b *testing.B) {
	for _, d := range []int{25, 100} {
		for _, k := range available() {
			b.Run(fmt.Sprintf("%d/%s", d, k.name), func(b *testing.B) {
				const n = 240
				v := make([]float32, n*d)
				r := rand.New(rand.NewPCG(1, 1))
				for b.Loop() {
					for i := range v[:n] {
						v[i*d] = 1 + r.Float32()
					}
					inPlace(k, v, n, d)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
