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

var negInf = float32(math.Inf(-1))

// gauge computes the features of a [Gated] network on one problem. It is read-only once made.
type gauge struct {
	d, n   int     // queries, and rows without "none of these"
	width  int     // d rounded up to whole vectors
	all    int     // hypotheses
	budget float32 // T
	block  int     // states whose products are computed at once

	even, tilt []float32 // the log-likelihood of an answer ±1 is even ± tilt, [|X|, c, N]
	prior      []float32 // log P(row) + log P(c), [c, N]
	turned     []float32 // 2·share − 1, [|X|, N]
	minus      []float32 // −½ its square
	m          []float32 // 2·share − 1, [N, width]; columns beyond |X| are 0
	yes, doubt []float32 // clipped shares, and the entropy of an answer, [N, |X|]
	zero       []float32 // no biases
}

// gaugeScratch is one caller's, for a block of states.
type gaugeScratch struct {
	counts, means num.Threes
	joint, more   []float32 // log-likelihoods, in two parts until they are summed, [block, c, N]
	weight        []float32 // the posterior of rows and c, [block, c, N]
	share         []float32 // [block]
	score         []float32 // of rows, [block, N]
	row           []float32 // weights of rows, [block, N]
	best          []int     // [block]
	top, second   []float32 // [block]
	yes, doubt    []float32 // [block, |X|]
	far           []float32 // [width]
}

// newGauge lays the rows of p out.
func newGauge(p *game.Problem) *gauge {
	f := &gauge{d: p.Queries(), n: p.Hypotheses(), all: p.Hypotheses(), budget: float32(p.T)}
	if p.Shares != nil && p.Shares.Other {
		f.n--
	}
	f.width = (f.d + 15) / 16 * 16
	f.block = max(1, min(chunk, gaugeRoom/(len(fits)*f.n+3*f.d)))
	f.lay(p)
	f.zero = make([]float32, max(f.d, f.n))
	for c := range fits {
		for j := range f.n {
			weight := 1.
			if p.Shares != nil {
				weight = p.Shares.Weight[j]
			}
			f.prior = append(f.prior, float32(math.Log(weight*fitPrior[c])))
		}
	}
	return f
}

// lay fills in what depends on the shares.
func (f *gauge) lay(p *game.Problem) {
	d, n, c := f.d, f.n, len(fits)
	v := func(values int) []float32 { return make([]float32, values*n*d) }
	f.even, f.tilt, f.turned, f.minus, f.yes, f.doubt = v(c), v(c), v(1), v(1), v(1), v(1)
	f.m = make([]float32, n*f.width)
	for at := range f.yes {
		j, i, m := at/d, at%d, f.worth(p, at)
		q := posterior.Share(m)
		f.m[j*f.width+i], f.yes[at], f.doubt[at] = float32(m), float32(q), float32(posterior.Entropy(q))
		f.turned[i*n+j], f.minus[i*n+j] = float32(m), float32(-m*m/2)
		for k := range fits {
			kept := f.kept(k, m)
			f.even[(i*c+k)*n+j], f.tilt[(i*c+k)*n+j] = float32(math.Log((1-kept*kept)/4)/2), float32(math.Log((1+kept)/(1-kept))/2)
		}
	}
}

// worth is the mean answer that entry at of [N, |X|] stands for.
func (f *gauge) worth(p *game.Problem, at int) float64 {
	if p.Shares != nil {
		return 2*p.Shares.Yes[at] - 1
	}
	return 2*float64(p.Z[at]) - 1
}

// kept is the mean answer m where 1 − 2ε is value number k.
func (f *gauge) kept(k int, m float64) float64 {
	if k == 0 {
		return 2*posterior.Share(m) - 1
	}
	return fits[k] * m
}

// scratch has room for a block.
func (f *gauge) scratch() *gaugeScratch {
	v := func(n int) []float32 { return make([]float32, f.block*n) }
	return &gaugeScratch{
		joint: v(len(fits) * f.n), more: v(len(fits) * f.n), weight: v(len(fits) * f.n), share: v(1), score: v(f.n), row: v(f.n),
		best: make([]int, f.block), top: v(1), second: v(1), yes: v(f.d), doubt: v(f.d), far: make([]float32, f.width),
	}
}

// read writes the features of s to x, [B, features, |X|], and of each state to in, [B, 2].
func (f *gauge) read(x, in []float32, s game.States, sc *gaugeScratch) {
	states := s.Len(f.d)
	for lo := 0; lo < states; lo += f.block {
		hi := min(states, lo+f.block)
		f.part(x[lo*gatedFeatures*f.d:], in[lo*gatedInputs:], s.Slice(lo, hi, f.d), hi-lo, sc)
	}
}

// part is read for a block of b states.
func (f *gauge) part(x, in []float32, s game.States, b int, sc *gaugeScratch) {
	d := f.d
	f.list(sc, s)
	f.fit(in, s, b, sc)
	f.learn(b, sc)
	for j := range b {
		f.gain(x[(j*gatedFeatures+gGain)*d:][:d], j, sc)
	}
	f.score(s, b, sc)
	for j := range b {
		f.unlike(x[(j*gatedFeatures+gUnlike)*d:][:d], j, sc)
	}
	for j := range b {
		var mask []bool
		if s.Mask != nil {
			mask = s.Mask[j*d : (j+1)*d]
		}
		gain, logGain := x[(j*gatedFeatures+gGain)*d:][:d], x[(j*gatedFeatures+gLogGain)*d:][:d]
		relative(gain, mask, leastGain)
		relative(x[(j*gatedFeatures+gUnlike)*d:][:d], mask, 0)
		for i, g := range gain {
			logGain[i] = 0
			if mask == nil || !mask[i] {
				logGain[i] = float32(logCurve.of(float64(g)))
			}
		}
	}
}

// relative divides v by its largest entry that mask allows; 0 for all where that is not above least.
func relative(v []float32, mask []bool, least float32) {
	top := least
	for i, x := range v {
		if mask != nil && mask[i] {
			v[i] = 0
		} else {
			top = max(top, x)
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

// list lists the queries of a block's states that have answers: how many, their sum and 1; and their mean.
func (f *gauge) list(sc *gaugeScratch, s game.States) {
	b := s.Len(f.d)
	sc.counts.Reset(b, f.d)
	sc.means.Reset(b, f.d)
	for at := 0; at < len(s.N); at += f.d {
		sum := s.S[at : at+f.d]
		for i, n := range s.N[at : at+f.d] {
			if n != 0 {
				sc.counts.Add(i, n, sum[i], 1)
				sc.means.Add(i, sum[i]/n, 0, 0)
			}
		}
		sc.counts.End()
		sc.means.End()
	}
}

// Which part of counts is what.
const (
	theCount = iota
	theSum
	theOne
)

// sum adds so many numbers of two products.
func sum(dst, more []float32) {
	more = more[:len(dst)]
	for i, v := range more {
		dst[i] += v
	}
}

// fit works out the posterior over rows and c, and from it what gates depend on.
func (f *gauge) fit(in []float32, s game.States, b int, sc *gaugeScratch) {
	wide := len(fits) * f.n
	joint, more, weight := sc.joint[:b*wide], sc.more[:b*wide], sc.weight[:b*wide]
	num.ForwardPart(joint, &sc.counts, theCount, f.even, wide)
	num.ForwardPart(more, &sc.counts, theSum, f.tilt, wide)
	sum(joint, more)
	for j := range b {
		row := joint[j*wide : (j+1)*wide]
		sum(row, f.prior)
		f.halves(row, s.N[j*f.d:(j+1)*f.d], s.S[j*f.d:(j+1)*f.d])
		if out := f.out(s, j); out != nil {
			for c := range fits {
				f.leaveOut(row[c*f.n:(c+1)*f.n], out)
			}
		}
		copy(sc.score[j*f.n:(j+1)*f.n], row)
	}
	num.Tempered(weight, sc.share[:b], joint, one, b, wide)
	for j := range b {
		var mean float64
		for c, value := range fits {
			var total float32
			for _, w := range weight[j*wide+c*f.n:][:f.n] {
				total += w
			}
			mean += value * float64(total)
		}
		left := f.budget
		if s.Left != nil {
			left = s.Left[j]
		} else {
			for _, n := range s.N[j*f.d : (j+1)*f.d] {
				left -= n
			}
		}
		in[j*gatedInputs], in[j*gatedInputs+1] = 1-left/f.budget, float32(mean-middleFit)
	}
}

// halves corrects the log-likelihoods of one state, [c, N], for answers ±½: a "probably" has the likelihood ½(1 + m/2), which
// its sum of ½ does not give.
func (f *gauge) halves(row, n, s []float32 /* [|X|] */) {
	for i, times := range n {
		y := s[i]
		if times != 1 || y == 1 || y == -1 || y == 0 {
			continue
		}
		for c := range fits {
			at := (i*len(fits) + c) * f.n
			for j := range f.n {
				likely := math.Log((1 + float64(y)*f.kept(c, float64(f.m[j*f.width+i]))) / 2)
				row[c*f.n+j] += float32(likely) - f.even[at+j] - float32(y*f.tilt[at+j])
			}
		}
	}
}

// out is the rows that are known to be wrong in state j, [N]; nil where none or all are.
func (f *gauge) out(s game.States, j int) []bool {
	if s.Out == nil {
		return nil
	}
	out := s.Out[j*f.all : (j+1)*f.all][:f.n]
	some, all := false, true
	for _, is := range out {
		some, all = some || is, all && is
	}
	if !some || all {
		return nil
	}
	return out
}

// leaveOut takes the rows that are known to be wrong out of scores.
func (f *gauge) leaveOut(score []float32, out []bool /* [N] */) {
	for j, is := range out {
		if is {
			score[j] = negInf
		}
	}
}

// learn works out the posterior of rows where c is 1, the best row left out, and the means of yes and doubt over the others.
func (f *gauge) learn(b int, sc *gaugeScratch) {
	d, n := f.d, f.n
	num.Largest(sc.best[:b], sc.top[:b], sc.second[:b], sc.score[:b*n], b, n)
	num.Tempered(sc.row[:b*n], sc.share[:b], sc.score[:b*n], one, b, n)
	for j, best := range sc.best[:b] {
		sc.row[j*n+best] = 0
	}
	num.Forward(sc.yes[:b*d], sc.row[:b*n], f.yes, f.zero[:d], b, n, d, num.Linear)
	num.Forward(sc.doubt[:b*d], sc.row[:b*n], f.doubt, f.zero[:d], b, n, d, num.Linear)
}

// gain writes the information gains of state j of a block, H(Σ_k w_k q_ki) − Σ_k w_k H(q_ki). Sums are over the rows but the
// best: what it has more is of the order of their weight, as is the rounding, so that small gains are as precise as large
// ones.
func (f *gauge) gain(dst []float32 /* [|X|] */, j int, sc *gaugeScratch) {
	d, n := f.d, f.n
	var weight float64
	for _, w := range sc.row[j*n : (j+1)*n] {
		weight += float64(w)
	}
	yes, doubt, at := sc.yes[j*d:(j+1)*d], sc.doubt[j*d:(j+1)*d], sc.best[j]*d
	for i := range dst {
		q := float64(f.yes[at+i])
		own := doubtCurve.of(q)
		mean := q + float64(yes[i]) - weight*q
		dst[i] = float32(max(0, doubtCurve.of(mean)-own-(float64(doubt[i])-weight*own)))
	}
}

// score works out the rows' scores by squared distance over the queries asked, and weights ∝ exp(score) without the best.
func (f *gauge) score(s game.States, b int, sc *gaugeScratch) {
	n := f.n
	score, more := sc.score[:b*n], sc.more[:b*n]
	num.ForwardPart(score, &sc.counts, theOne, f.minus, n)
	num.ForwardPart(more, &sc.means, 0, f.turned, n)
	sum(score, more)
	for j := range b {
		if out := f.out(s, j); out != nil {
			f.leaveOut(score[j*n:(j+1)*n], out)
		}
	}
	num.Largest(sc.best[:b], sc.top[:b], sc.second[:b], score, b, n)
	for j := range b {
		row, best := score[j*n:(j+1)*n], 0
		for row[best] < sc.top[j]-game.Tie {
			best++
		}
		sc.best[j] = best
		if sc.second[j] > negInf {
			row[best] = negInf
		}
	}
	num.Tempered(sc.row[:b*n], sc.share[:b], score, one, b, n)
}

// unlike writes how much the other rows of state j of a block differ from the best, 0 where it is alone.
func (f *gauge) unlike(dst []float32 /* [|X|] */, j int, sc *gaugeScratch) {
	best := f.m[sc.best[j]*f.width:][:f.width]
	num.Deviations(sc.far, sc.row[j*f.n:(j+1)*f.n], f.m, best, f.n, f.width)
	copy(dst, sc.far)
}
