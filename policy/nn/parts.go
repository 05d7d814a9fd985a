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

// Soften multiplies all of net's logits by a factor, up to rounding: the weights and biases of its last layer. The network
// must be one that a policy file can hold.
func Soften(net Net, by float64) {
	weights := Weights(net)
	for _, w := range weights[len(weights)-2:] {
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
func (m *Structured) Features() Features {
	f := m.f.(*reader)
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
}

// Features returns those of m's problem.
func (m *Gated) Features() GatedFeatures {
	rows := m.f.rows
	return GatedFeatures{N: rows.N, M: rows.M, Table: rows.Table(fitPrior[:]), Fits: fits[:], MiddleFit: middleFit, LeastGain: leastGain}
}
