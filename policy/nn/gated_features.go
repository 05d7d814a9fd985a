package nn

import (
	"math"

	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/posterior"
)

// The values of c = 1 − 2ε over which c̄ is a mean, and their probabilities before the game. The first is that of clean
// answers.
var (
	fits     = [...]float64{1, 0.8, 0.6, 0.4, 0.2}
	fitPrior = [...]float64{0.35, 0.25, 0.2, 0.12, 0.08}
)

const (
	middleFit = 0.6     // what c̄ is compared with
	leastGain = 1e-9    // the largest gain, in nats, up to which no query is told from another
	gaugeRoom = 1 << 18 // floats of a block's products
)

// logCurve is ¼·log(g + 0.01), to within 10⁻⁶.
var logCurve = posterior.NewCurve(0, 1, 1024,
	func(g float64) float64 { return math.Log(g+0.01) / 4 },
	func(g float64) float64 { return 1 / (4 * (g + 0.01)) })

// gauge computes the features of a [Gated] network on one problem. It is read-only once made.
type gauge struct {
	d      int     // queries
	width  int     // d rounded up to whole vectors
	budget float32 // T
	block  int     // states whose products are computed at once

	p             *game.Problem
	asks          game.Questions
	pool          bool             // whether models vote
	rows          *posterior.Fixed // for each of fits
	turned, minus []float32        // 2·share − 1, and −½ its square, [|X|, N]
	m             []float32        // 2·share − 1, [N, width]; columns beyond |X| are 0
}

// gaugeScratch is one caller's, for a block of states.
type gaugeScratch struct {
	rows        *posterior.FixedScratch
	means       num.Threes
	score, more []float32   // of rows by squared distance, in two parts until they are summed, [block, N]
	weight      []float32   // ∝ exp(score), without the best, [block, N]
	best        []int       // [block]
	top, second []float32   // [block]
	likely      [][]float64 // log P(answers, c), [block, c]
	gain        []float32   // [block, |X|]
	far         []float32   // [width]
	share       []float32   // of a pool, how likely each classifier is the best, [N]
	asked       []int       // of a pool, the queries with a sum other than 0
}

// newGauge lays the rows of p out.
func newGauge(p *game.Problem) *gauge {
	f := &gauge{p: p, d: p.Queries(), budget: float32(p.T)}
	var epsilon []float64
	for _, c := range fits {
		epsilon = append(epsilon, (1-c)/2)
	}
	f.rows = posterior.NewFixed(p, epsilon...)
	n := f.rows.N
	f.width = (f.d + 15) / 16 * 16
	f.block = max(1, min(chunk, gaugeRoom/(len(fits)*n+3*f.d)))
	f.turned, f.minus, f.m = make([]float32, n*f.d), make([]float32, n*f.d), make([]float32, n*f.width)
	for at, m := range f.rows.M {
		j, i := at/f.d, at%f.d
		f.turned[i*n+j], f.minus[i*n+j], f.m[j*f.width+i] = float32(m), float32(-m*m/2), float32(m)
	}
	f.asks, f.pool = p.Questions(), classOf(p).votes
	f.weigh()
	return f
}

// weigh scales how rows differ at a query by what it is worth.
func (f *gauge) weigh() {
	n, each := f.rows.N, 1/float32(f.asks.Tells()) // rows that differ in a question of several columns do so on two of them
	for i, weight := range f.p.Worth() {
		for j := range n {
			f.turned[i*n+j] *= weight * each
			f.minus[i*n+j] *= weight * each
			f.m[j*f.width+i] *= weight
		}
	}
}

// poolGamma is how many times as likely an agreement with a label makes it that a classifier is the best of the pool. They are much
// alike, so it is near 1, where that it is always right would be likelier many times.
const poolGamma = 1.2

// votes writes the entropy of the class that the best classifier predicts, in nats, to dst, [b, |X|], for the queries of a cell alike.
// Classifier k is the best with p(k) ∝ poolGamma^agreements.
func (f *gauge) votes(dst []float32, s game.States, b int, sc *gaugeScratch) {
	p, d := f.p, f.d
	log := math.Log(poolGamma) / f.asks.Tells()
	for j := range b {
		f.likely(sc, s.S[j*d:(j+1)*d], log)
		said := dst[j*d : (j+1)*d]
		clear(said)
		for k, share := range sc.share {
			for i, bit := range p.Says(k) {
				said[i] += bit * share
			}
		}
		for c := range f.asks.Len() {
			lo, hi := f.asks.Columns(c)
			var entropy float64
			for _, q := range said[lo:hi] {
				entropy += entropyPart(float64(q))
			}
			if f.asks.Tells() == 1 {
				entropy += entropyPart(1 - float64(said[lo]))
			}
			for i := lo; i < hi; i++ {
				said[i] = float32(entropy)
			}
		}
	}
}

// likely fills sc.share with p(k) ∝ exp(log·Σ_i bit_i S_i), [N].
func (f *gauge) likely(sc *gaugeScratch, sum []float32, log float64) {
	sc.asked = sc.asked[:0]
	for i, v := range sum {
		if v != 0 {
			sc.asked = append(sc.asked, i)
		}
	}
	top, total := float32(math.Inf(-1)), float32(0)
	for k := range sc.share {
		says, exponent := f.p.Says(k), float32(0)
		for _, i := range sc.asked {
			exponent += says[i] * sum[i]
		}
		sc.share[k], top = exponent, max(top, exponent)
	}
	for k, v := range sc.share {
		sc.share[k] = float32(math.Exp(log * float64(v-top)))
		total += sc.share[k]
	}
	for k := range sc.share {
		sc.share[k] /= total
	}
}

// entropyPart returns −q·log q, 0 up to rounding.
func entropyPart(q float64) float64 {
	if q <= 1e-7 {
		return 0
	}
	return -q * math.Log(q)
}

// scratch returns room for a block.
func (f *gauge) scratch() *gaugeScratch {
	v := func(n int) []float32 { return make([]float32, f.block*n) }
	sc := &gaugeScratch{
		rows: f.rows.Scratch(f.block), score: v(f.rows.N), more: v(f.rows.N), weight: v(f.rows.N),
		best: make([]int, f.block), top: v(1), second: v(1), gain: v(f.d), far: make([]float32, f.width),
		share: make([]float32, f.rows.N),
	}
	for range f.block {
		sc.likely = append(sc.likely, make([]float64, len(fits)))
	}
	return sc
}

// read writes the features of s to x, [B, features, |X|], and of each state to in, [B, 2].
func (f *gauge) read(x, in []float32, s game.States, sc *gaugeScratch) {
	states := s.Len(f.d)
	for lo := 0; lo < states; lo += f.block {
		hi := min(states, lo+f.block)
		f.part(x[lo*gatedFeatures*f.d:], in[lo*gatedInputs:], s.Slice(lo, hi, f.d), hi-lo, sc)
	}
}

// part writes what read does, for a block of b states.
func (f *gauge) part(x, in []float32, s game.States, b int, sc *gaugeScratch) {
	d := f.d
	f.rows.Scores(sc.rows, s)
	f.fit(in, s, b, sc)
	if f.pool {
		f.votes(sc.gain, s, b, sc)
	} else {
		f.rows.Gains(sc.gain, sc.rows, b)
	}
	f.score(s, b, sc)
	for j := range b {
		var mask []bool
		if s.Mask != nil {
			mask = s.Mask[j*d : (j+1)*d]
		}
		row := func(feature int) []float32 { return x[(j*gatedFeatures+feature)*d:][:d] }
		gain, unlike, logGain := row(gGain), row(gUnlike), row(gLogGain)
		copy(gain, sc.gain[j*d:])
		relative(gain, mask, leastGain)
		num.Deviations(sc.far, sc.weight[j*f.rows.N:(j+1)*f.rows.N], f.m, f.m[sc.best[j]*f.width:][:f.width], f.rows.N, f.width)
		copy(unlike, sc.far)
		f.together(unlike)
		relative(unlike, mask, 0)
		copy(logGain, gain)
		posterior.Apply(logCurve, logGain)
		forbid(logGain, mask)
	}
}

// together gives the queries of a cell half of their sum: rows that differ there differ on two of them.
func (f *gauge) together(v []float32 /* [|X|] */) {
	if f.asks.Tells() == 1 {
		return
	}
	for c := range f.asks.Len() {
		lo, hi := f.asks.Columns(c)
		var sum float32
		for _, x := range v[lo:hi] {
			sum += x
		}
		for i := lo; i < hi; i++ {
			v[i] = sum / 2
		}
	}
}

// relative divides v by its largest entry that mask allows; 0 for all where that is not above least.
func relative(v []float32, mask []bool, least float32) {
	forbid(v, mask)
	top := least
	for _, x := range v {
		if x > top {
			top = x
		}
	}
	if top == least {
		clear(v)
		return
	}
	for i, x := range v {
		v[i] = x / top
	}
}

// forbid clears what belongs to queries that mask forbids; nil forbids none.
func forbid(v []float32, mask []bool) {
	for i, is := range mask {
		if is {
			v[i] = 0
		}
	}
}

// fit writes what gates depend on: the time passed and c̄ − 0.6.
func (f *gauge) fit(in []float32, s game.States, b int, sc *gaugeScratch) {
	for c, prior := range fitPrior {
		f.rows.Sums(sc.rows, c, b)
		for j, v := range sc.rows.LogSum[:b] {
			sc.likely[j][c] = v + math.Log(prior)
		}
	}
	for j, likely := range sc.likely[:b] {
		var sum, mean float64
		top := max(likely[0], likely[1], likely[2], likely[3], likely[4])
		for c, v := range likely {
			p := math.Exp(v - top)
			sum, mean = sum+p, mean+p*fits[c]
		}
		left := f.p.LeftOf(s, j)
		in[j*gatedInputs], in[j*gatedInputs+1] = 1-left/f.budget, float32(mean/sum-middleFit)
	}
}

// score works out the best row by squared distance over the queries asked, and the weights of the others ∝ exp(score); where it
// is alone, its own.
func (f *gauge) score(s game.States, b int, sc *gaugeScratch) {
	sc.means.Reset(b, f.d)
	for at := 0; at < len(s.N); at += f.d {
		for i, n := range s.N[at : at+f.d] {
			if n != 0 {
				sc.means.Add(i, s.S[at+i]/n, 0, 0)
			}
		}
		sc.means.End()
	}
	n := f.rows.N
	score, more := sc.score[:b*n], sc.more[:b*n]
	num.ForwardPart(score, &sc.rows.Asked, 2, f.minus, n)
	num.ForwardPart(more, &sc.means, 0, f.turned, n)
	for i, v := range more {
		score[i] += v
	}
	f.rows.LeaveOut(score, s)
	num.Largest(sc.best[:b], sc.top[:b], sc.second[:b], score, b, n)
	for j := range b {
		row, best := score[j*n:(j+1)*n], 0
		for row[best] < sc.top[j]-game.Tie {
			best++
		}
		sc.best[j] = best
		if !math.IsInf(float64(sc.second[j]), -1) {
			row[best] = float32(math.Inf(-1))
		}
	}
	num.Tempered(sc.weight[:b*n], sc.second[:b], score, one, b, n)
}
