package num

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The layers worth knowing about: the paper's, its first and last, and a narrow one shared by queries.
var benchShapes = [][3]int{{4096, 256, 256}, {240, 256, 256}, {240, 75, 256}, {240, 256, 25}, {4096, 32, 32}, {6000, 20, 16}, {1, 256, 256}}

func benchmarkKernels(b *testing.B, run func(k kernel, p *problem, y, dx []float32)) {
	for _, s := range benchShapes {
		p := newProblem(rand.New(rand.NewPCG(1, 1)), s[0], s[1], s[2])
		y, dx := make([]float32, p.n*p.out), make([]float32, p.n*p.in)
		for _, k := range available() {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", p.n, p.in, p.out, k.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					run(k, p, y, dx)
				}
				flop := 2 * float64(p.n) * float64(p.in) * float64(p.out)
				b.ReportMetric(flop*float64(b.N)/1e9/b.Elapsed().Seconds(), "GFLOP/s")
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
		k.inputGrad(dx, p.dy, p.w, p.act, p.n, p.in, p.out)
	})
}

func BenchmarkAddWeightGrad(b *testing.B) {
	benchmarkKernels(b, func(k kernel, p *problem, _, _ []float32) {
		k.addWeightGrad(p.dw0, p.db0, p.x, p.dy, p.n, p.in, p.out)
	})
}
