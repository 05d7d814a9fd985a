package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mapo/internal/check"
	"mapo/rng"
)

// BenchmarkMLP is one step of 240 rollouts on the paper's network: forward and backward.
func BenchmarkMLP(b *testing.B) {
	const n = 240
	for _, d := range []int{25, 100} {
		m := NewMLP(thresholds(d, 20), []int{256, 256, 256, 256}, rng.New(1))
		tape, grad, logits := m.NewTape(n), make([]float32, len(m.Params())), make([]float32, n*d)
		s := randomStates(rand.New(rand.NewPCG(1, 1)), n, d, 20)
		flop, first := 0., 2*n*float64(len(Weights(m)[0].Data)) // the first layer has no input gradient
		for _, w := range Weights(m) {
			if len(w.Shape) == 2 {
				flop += 2 * n * float64(len(w.Data))
			}
		}
		run := func(name string, flop float64, work func()) {
			b.Run(fmt.Sprintf("%d/%s", d, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					work()
				}
				b.ReportMetric(flop*float64(b.N)/1e9/b.Elapsed().Seconds(), "GFLOP/s")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/state")
			})
		}
		run("forward", flop, func() { m.Forward(logits, tape, s) })
		run("both", 3*flop-first, func() {
			m.Forward(logits, tape, s)
			m.Backward(grad, tape, logits)
		})
	}
}

// BenchmarkVectors reads states in the middle of a game.
func BenchmarkVectors(b *testing.B) {
	const n = 240
	for _, size := range [][3]int{{5, 20, 10}, {5, 30, 0}} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			p := check.RandomVectors(size[0], size[1], size[2], 40, r)
			f, s := newVectorReader(p), randomStates(r, n, size[1], 20)
			dst, scratch := make([]float32, f.count()*n*size[1]), f.scratch()
			for b.Loop() {
				f.read(dst, n*size[1], s, scratch)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/state")
		})
	}
}

// BenchmarkRows is a step of 128 rollouts on a graded table, without the backward pass.
func BenchmarkRows(b *testing.B) {
	const n = 128
	r := rand.New(rand.NewPCG(1, 1))
	p := check.Graded(116, 126, 20, r)
	s := onceStates(r, p, n)
	net := NewGated(p)
	tape, logits := net.NewTape(n), make([]float32, n*p.Queries())
	for b.Loop() {
		net.Forward(logits, tape, s)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/state")
}

func BenchmarkProbs(b *testing.B) {
	const d, n = 25, 240
	p := thresholds(d, 20)
	pi := Policy(p, NewMLP(p, []int{256, 256, 256, 256}, rng.New(1)))
	s := randomStates(rand.New(rand.NewPCG(1, 1)), n, d, 20)
	dst := make([]float32, n*d)
	for b.Loop() {
		pi.Probs(dst, s)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "states/s")
}
