package nn

import (
	"mapo/internal/num"
	"mapo/policy/posterior"
)

// Weight is one named block of a network's parameters, row-major.
type Weight struct {
	Name  string
	Shape []int
	Data  []float32 // aliases Params
}

// Weights returns the blocks of net's parameters by the names they have in a policy file, for a caller that writes the
// network in another format. The network must be one that a policy file can hold.
func Weights(net Net) []Weight {
	t, ok := net.(tensored)
	if !ok {
		panic("nn: this network has no named weights")
	}
	var out []Weight
	at := 0
	for _, block := range t.tensors() {
		n := 1
		for _, size := range block.shape {
			n *= size
		}
		out = append(out, Weight{block.name, block.shape, net.Params()[at : at+n : at+n]})
		at += n
	}
	return out
}

// Soften multiplies all of net's logits by a factor, up to rounding: the weights and biases of its last layer, or of both parts'. The network
// must be one that a policy file can hold.
func Soften(net Net, by float64) {
	weights := Weights(net)
	last := weights[len(weights)-2:]
	if _, ok := net.(*Adaptive); ok {
		last = append(last, weights[2:4]...) // its first part is linear in these
	}
	for _, w := range last {
		for i := range w.Data {
			w.Data[i] *= float32(by)
		}
	}
}

// Features are what a Structured network computes its features with beside the state: constants of the
// problem and of the architecture. They alias the network's own and must not be written.
type Features struct {
	Count                int        // features of a query
	Signs                []float32  // 2z_i − 1, [|Z|, |X|]
	Near, Signed         []float32  // the similarity of queries, [|X|, |X|]
	Balance              []float32  // mean of Signs over the hypotheses, [|X|]
	Odds                 []float32  // log((1−β)/β) of the posteriors, however many classes answers have, [β]
	Lower, Middle, Upper int        // which of Odds entropies (Lower, Upper) and marginals (Middle) are read of
	Gain                 [3]float32 // of the information's series in the square of the marginal, less its 1
	Decided              float32    // the inverse of the marginal from which on a query leans all the way
	Known                *Known     // nil: the problem knows no instances
}

// Known is what the features of known instances are computed with.
type Known struct {
	*posterior.Known
	Mean     []float32 // θ, [N, |X|]
	Square   []float32 // θ²
	LogN     float32   // log N
	Variance float32   // what is added to a variance before its root is taken
}

// Features returns those of m's problem, whose queries must not be vectors.
func (m *Structured) Features() Features { return m.f.(*reader).parts() }

func (f *reader) parts() Features {
	var known *Known
	if k := f.known; k != nil {
		known = &Known{Known: k.Known, Mean: k.theta, Square: k.square, LogN: k.logN, Variance: leastVariance}
	}
	return Features{
		Count: f.features, Known: known, Signs: f.signs, Near: f.near, Signed: f.signed, Balance: f.balance,
		Odds: f.odds, Lower: lower, Middle: middle, Upper: upper, Gain: f.gain, Decided: num.Decided,
	}
}

// GatedFeatures are what a Gated network computes its features with beside the state. They must not be written to.
type GatedFeatures struct {
	N         int              // rows
	M         []float64        // 2·share − 1, [N, |X|]
	Table     *posterior.Table // of pairs (row, c)
	Fits      []float64        // the values of c; the first is that of clean answers
	MiddleFit float64          // what c̄ is compared with
	LeastGain float64          // the largest gain, in nats, up to which no query is told from another
	Even      bool             // whether rows are compared with the mean of those that tie for the best
}

// Features returns those of m's problem.
func (m *Gated) Features() GatedFeatures { return m.f.features() }

func (f *gauge) features() GatedFeatures {
	return GatedFeatures{N: f.rows.N, M: f.rows.M, Table: f.rows.Table(fitPrior[:]), Fits: fits[:], MiddleFit: middleFit, LeastGain: leastGain, Even: f.even}
}

// AdaptiveFeatures are what an Adaptive network computes its features with beside the state. They must not be written to.
type AdaptiveFeatures struct {
	GatedFeatures
	Noisy  int       // which of Fits g′ is by
	Sharp  float32   // what scores count for in u′
	Spread []float32 // of the rows' shares, [|X|]
	Weight float32   // the trade-off weight
	Inputs []float32 // of the gates, those that are the table's
	Second Features  // of the second part: those that it has in common with a Structured network
}

// Features returns those of m's problem.
func (m *Adaptive) Features() AdaptiveFeatures {
	return AdaptiveFeatures{m.f.features(), noisyFit, sharp[0], m.f.spread, float32(m.weight), m.f.table[:], m.net.f.(wider).parts()}
}
