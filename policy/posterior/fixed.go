package posterior

import (
	"math"

	"mapo/game"
	"mapo/internal/num"
)

// Fixed is Bayes' posterior over the rows of a table for fixed shares ε of wrong answers, each alone, and the information
// gains by it. It works many states out at once by matrix products, and the gains are as precise where one row is almost
// certain. Rows are those of [game.Shares] by their weights, "none of these" left out, or, where a problem has none,
// m = 2z − 1 with equal weights. P(yes) is clip((1−2ε)·yes + ε, [LeastShare], 1 − LeastShare). Where answers are one of C classes
// a row's own has probability 1 − ε and each other ε/(C−1), ε clipped alike. Read-only once made.
type Fixed struct {
	N      int       // rows
	M      []float64 // 2·yes − 1, [N, |X|]
	d      int
	all    int // hypotheses, [game.States.Out]'s
	each   []fixedShare
	asks   game.Questions
	others float64   // C − 1, how many classes are not a row's own
	single bool      // whether questions have one column
	bits   []float32 // the classes that rows predict, [N, |X|]
	// log of the weight before the game, [N]
	prior, zero []float32
}

// fixedShare is what depends on ε.
type fixedShare struct {
	epsilon    float64
	even, tilt []float32 // the log-likelihood of an answer ±1 is even ± tilt, [|X|, N]
	yes, doubt []float32 // P(yes), and the entropy of an answer, [N, |X|]; nil: no gains are asked for
}

// FixedScratch is one caller's.
type FixedScratch struct {
	Score    [][]float32 // for each ε the logarithm of the posterior up to a constant of ε and the state, [states, N]
	Asked    num.Threes  // the queries that have answers: how many, their sum, and 1
	Top      []float32   // the largest of what Gain was told of, [states]
	LogSum   []float64   // log Σ exp of it, [states]
	half     []bool      // whether a state has half an answer, [states]
	best     []int
	second   []float32
	more     []float32 // [states, N]
	weight   []float32 // [states, N]
	share    []float32
	yes, sum []float32 // [states, |X|]
	// the entropies of an answer by the likeliest row alone and by all, of one state, [|X|]
	own, mean []float64
}

// NewFixed returns the posteriors for these ε, in [0, ½), and the gains by the first. Costs O(|Z||X|) an ε, and as much memory.
func NewFixed(p *game.Problem, epsilon ...float64) *Fixed {
	f := newFixed(p, epsilon)
	if !f.single {
		return f // of the classes that rows predict alone
	}
	x := &f.each[0]
	x.yes, x.doubt = make([]float32, len(f.M)), make([]float32, len(f.M))
	for at, m := range f.M {
		q := x.certainty(m)
		x.yes[at], x.doubt[at] = float32(q), float32(Entropy(q))
	}
	return f
}

// newFixed returns the posteriors for these ε, without gains.
func newFixed(p *game.Problem, epsilon []float64) *Fixed {
	f := &Fixed{N: p.Drawn(), d: p.Queries(), all: p.Hypotheses(), asks: p.Questions()}
	f.others, f.single = float64(f.asks.Classes(0)-1), f.asks.Len() == f.d
	if !f.single {
		f.bits = p.Bits()
	}
	theta := make([]float64, f.d)
	f.zero, f.M = make([]float32, max(f.d, f.N)), make([]float64, 0, f.N*f.d)
	for j, weight := range p.Prior()[:f.N] {
		f.prior = append(f.prior, float32(math.Log(weight)))
		p.Typical(theta, j)
		f.M = append(f.M, theta...)
	}
	for _, e := range epsilon {
		f.each = append(f.each, f.share(e))
	}
	return f
}

// share lays the rows out for one ε.
func (f *Fixed) share(e float64) fixedShare {
	v := func() []float32 { return make([]float32, len(f.M)) }
	x := fixedShare{epsilon: e, even: v(), tilt: v()}
	for at, m := range f.M {
		if !f.single && m < 0 {
			continue // the row's own class says it all
		}
		q := x.certainty(m)
		turned := at%f.d*f.N + at/f.d
		other := (1 - q) / f.others
		x.even[turned], x.tilt[turned] = float32(math.Log(q*other)/2), float32(math.Log(q/other)/2)
	}
	return x
}

// certainty returns P(yes) where the row's mean answer is m.
func (x *fixedShare) certainty(m float64) float64 { return Share((1 - 2*x.epsilon) * m) }

// Scratch returns scratch for up to so many states at once.
func (f *Fixed) Scratch(states int) *FixedScratch {
	v := func(n int) []float32 { return make([]float32, states*n) }
	sc := &FixedScratch{
		Top: v(1), LogSum: make([]float64, states), half: make([]bool, states), best: make([]int, states), second: v(1), more: v(f.N), weight: v(f.N), share: v(1),
		yes: v(f.d), sum: v(f.d), own: make([]float64, f.d), mean: make([]float64, f.d),
	}
	for range f.each {
		sc.Score = append(sc.Score, v(f.N))
	}
	return sc
}

// Scores works sc.Asked and sc.Score out for all states of s. Rows that s.Out names have −∞ as long as that leaves one.
// Costs O(N·(queries asked)) a state and ε.
func (f *Fixed) Scores(sc *FixedScratch, s game.States) {
	b := s.Len(f.d)
	sc.Asked.Reset(b, f.d)
	for at := 0; at < len(s.N); at += f.d {
		sum, half := s.S[at:at+f.d], false
		for i, n := range s.N[at : at+f.d] {
			if n != 0 {
				sc.Asked.Add(i, n, sum[i], 1)
				half = half || sum[i] == 0.5 || sum[i] == -0.5
			}
		}
		sc.Asked.End()
		sc.half[at/f.d] = half
	}
	for e := range f.each {
		x, score, more := &f.each[e], sc.Score[e][:b*f.N], sc.more[:b*f.N]
		num.ForwardPart(score, &sc.Asked, 0, x.even, f.N)
		num.ForwardPart(more, &sc.Asked, 1, x.tilt, f.N)
		for j := range b {
			row, more := score[j*f.N:(j+1)*f.N], more[j*f.N:(j+1)*f.N]
			for k, log := range f.prior {
				row[k] += more[k] + log
			}
			if sc.half[j] {
				f.halves(x, row, s.N[j*f.d:(j+1)*f.d], s.S[j*f.d:(j+1)*f.d])
			}
		}
		f.LeaveOut(score, s)
	}
}

// halves corrects the log-likelihoods of one state, [N], for answers ±½: a "probably" has the likelihood ½(1 + m/2), which
// its sum of ½ does not give.
func (f *Fixed) halves(x *fixedShare, row, n, s []float32 /* [|X|] */) {
	for i, times := range n {
		y := s[i]
		if times != 1 || y == 1 || y == -1 || y == 0 {
			continue
		}
		for j := range row {
			likely := math.Log((1 + float64(y)*(2*x.certainty(f.M[j*f.d+i])-1)) / 2)
			row[j] += float32(likely) - x.even[i*f.N+j] - float32(y*x.tilt[i*f.N+j])
		}
	}
}

// LeaveOut sets the scores of rows that s.Out names, [states, N], to −∞ in states where that leaves one.
func (f *Fixed) LeaveOut(score []float32, s game.States) {
	for j := 0; s.Out != nil && j < len(score)/f.N; j++ {
		out, left := s.Out[j*f.all:][:f.N], false
		for _, is := range out {
			left = left || !is
		}
		for k, is := range out {
			if is && left {
				score[j*f.N+k] = float32(math.Inf(-1))
			}
		}
	}
}

// Sums works sc.Top and sc.LogSum out for the scores of ε number e of so many states, and the weights.
func (f *Fixed) Sums(sc *FixedScratch, e, states int) { f.sums(sc.weight, sc, e, states) }

// sums computes what Sums does, with the weights in weight, [states, N].
func (f *Fixed) sums(weight []float32, sc *FixedScratch, e, states int) {
	score := sc.Score[e][:states*f.N]
	num.Largest(sc.best[:states], sc.Top[:states], sc.second[:states], score, states, f.N)
	num.Tempered(weight[:states*f.N], sc.share[:states], score, certain, states, f.N)
	for j, share := range sc.share[:states] {
		sc.LogSum[j] = float64(sc.Top[j]) - math.Log(float64(share))
	}
}

// certain is the only scale of a posterior that is Bayes' own.
var certain = []float32{1}

// GainRounding is how large a gain may be by rounding, as a share of the weight of the rows but the likeliest.
const GainRounding = 1e-6

// Gains writes the information gain of each query about the row, H(Σ_k w_k q_ki) − Σ_k w_k H(q_ki) in nats, to dst,
// [states, |X|], after Scores, by the first ε. Sums are over the rows but the likeliest: what it has more is of the order of
// their weight, and so is the rounding: less than a part in 10⁶ of that weight counts as 0. Queries of a cell share its gain. Costs O(N·|X|) a state.
func (f *Fixed) Gains(dst []float32, sc *FixedScratch, states int) {
	if !f.single {
		f.classGains(dst, sc, states)
		return
	}
	d, n, x := f.d, f.N, &f.each[0]
	f.Sums(sc, 0, states)
	for j, best := range sc.best[:states] {
		sc.weight[j*n+best] = 0
	}
	yes, sum, weight := sc.yes[:states*d], sc.sum[:states*d], sc.weight[:states*n]
	num.Forward(yes, weight, x.yes, f.zero[:d], states, n, d, num.Linear)
	num.Forward(sum, weight, x.doubt, f.zero[:d], states, n, d, num.Linear)
	for j := range states {
		var others float64
		for _, w := range weight[j*n : (j+1)*n] {
			others += float64(w)
		}
		q, yes, sum := x.yes[sc.best[j]*d:][:d], yes[j*d:(j+1)*d], sum[j*d:(j+1)*d]
		for i, q := range q {
			sc.own[i], sc.mean[i] = float64(q), float64(q)+float64(yes[i])-others*float64(q)
		}
		Apply(doubtCurve, sc.own)
		Apply(doubtCurve, sc.mean)
		for i, own := range sc.own {
			gain := sc.mean[i] - own - (float64(sum[i]) - others*own)
			if gain < GainRounding*others {
				gain = 0
			}
			dst[j*d+i] = float32(gain)
		}
	}
}
