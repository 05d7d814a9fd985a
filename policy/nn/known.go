package nn

import (
	"math"

	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/posterior"
)

// What a Structured network reads besides where its problem knows instances, behind the other features: the
// posterior over them is Bayes' rule, each as likely before. From kSharp on they are of a state for all its
// queries.
const (
	kSide   = iota // Σ_j p(j) θ_ji
	kSplit         // 1 − |that|
	kSpread        // the root of the variance of θ_ji under p, and of 1/1024 so that rounding shows little
	kSharp         // −log max_j p(j)/log of their number
	kFit           // the geometric mean of the likelihoods of the answers so far under the likeliest instance; 1 before the first
	knownFeatures
)

// leastVariance bounds how a variance's rounding grows in its root.
const leastVariance = 1. / 1024

// known is what a reader knows of its problem's instances.
type known struct {
	*posterior.Known
	theta  []float32 // [N, |X|]
	square []float32 // θ²
	logN   float32   // log N
}

// knownScratch is one caller's, for a block of states.
type knownScratch struct {
	score, more []float32 // the log-likelihood, in two parts until they are summed, [block, N]
	weight      []float32 // p, [block, N]
	share       []float32 // its largest, [block]
	top         largest   // of score
	mean        []float32 // Σ_j p(j) θ_ji, [block, |X|]
	second      []float32 // Σ_j p(j) θ_ji²
}

// readings returns how many features of a query a network for p reads.
func readings(p *game.Problem) int {
	if posterior.Instances(p) == 0 {
		return structuredFeatures
	}
	return structuredFeatures + knownFeatures
}

// newKnown returns what a reader knows of p's instances; nil where there is nothing to read.
func newKnown(p *game.Problem) *known {
	of := posterior.NewKnown(p)
	if of == nil {
		return nil
	}
	k := &known{Known: of, theta: p.Known, square: make([]float32, len(p.Known)), logN: float32(math.Log(float64(of.N)))}
	for at, theta := range p.Known {
		k.square[at] = theta * theta
	}
	return k
}

func (k *known) scratch(block, d int) *knownScratch {
	v := func(n int) []float32 { return make([]float32, block*n) }
	return &knownScratch{score: v(k.N), more: v(k.N), weight: v(k.N), share: v(1), top: newLargest(block), mean: v(d), second: v(d)}
}

// one is the only scale of a posterior that is Bayes' own.
var one = []float32{1}

// learn works out the posterior over the known instances in a block's states, and θ's moments under it.
func (f *reader) learn(s game.States, sc *readerScratch, b int) {
	k, x := f.known, sc.known
	score, more := x.score[:b*k.N], x.more[:b*k.N]
	f.times(score, s.N, ofCount, k.Even, sc, b, k.N)
	f.times(more, s.S, ofSum, k.Tilt, sc, b, k.N)
	for i, v := range more {
		score[i] += v
	}
	x.top.of(score, b, k.N)
	num.Tempered(x.weight[:b*k.N], x.share[:b], score, one, b, k.N)
	num.Forward(x.mean[:b*f.d], x.weight[:b*k.N], k.theta, f.zero[:f.d], b, k.N, f.d, num.Linear)
	num.Forward(x.second[:b*f.d], x.weight[:b*k.N], k.square, f.zero[:f.d], b, k.N, f.d, num.Linear)
}

// describe writes the features of state b of a block of which so many answers are known.
func (k *known) describe(dst []float32, ld, d int, x *knownScratch, b int, asked float32) {
	row := func(f int) []float32 { return dst[f*ld:][:d] }
	side, split, spread := row(kSide), row(kSplit), row(kSpread)
	second := x.second[b*d:][:d]
	for i, m := range x.mean[b*d:][:d] {
		side[i], split[i] = m, 1-abs(m)
		spread[i] = float32(math.Sqrt(float64(max(0, second[i]-float32(m*m)) + leastVariance)))
	}
	sharp := -float32(math.Log(float64(x.share[b]))) / k.logN
	fit := float32(math.Exp(float64(x.top.top[b] / max(1, asked))))
	for i, v := range [2]float32{sharp, fit} {
		all := row(kSharp + i)
		for j := range all {
			all[j] = v
		}
	}
}
