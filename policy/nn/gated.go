package nn

import (
	"fmt"
	"strconv"
	"sync"

	"mapo/game"
)

// The features of a query that a Gated network reads.
const (
	gGain    = iota // g: the information gain about the row
	gUnlike         // u: how much the rows that fit differ from the best one
	gLogGain        // ℓ: ¼·log(g + 0.01)
	gatedFeatures
)

// gatedInputs are what a gate depends on: t/T and c̄ − 0.6.
const gatedInputs = 2

// GatedWeights is the number of parameters of a [Gated] network.
const GatedWeights = (gatedInputs + 1) * gatedFeatures

// Gated is a policy network of nine weights that knows the rows of a table. Its weights are the same for every table, so
// those trained on one serve on another. Query i has the logit
//
//	Σ_f (a_f + b_f·t/T + c_f·(c̄ − 0.6))·f_i
//
// over three features of the query, all 0 where [game.States.Mask] forbids it:
//
//   - g is the information gain of its answer about the row, divided by the largest of the queries that may be asked.
//     Shares are clipped to [posterior.LeastShare, 1 − posterior.LeastShare], and answers are taken to be the row's own.
//     It is 0 for all where the largest gain is below 10⁻⁹ nats.
//   - u is the mean of |m_ji − m_bi| over the rows j other than b, with weights ∝ exp(score_j − score_b), divided by the largest
//     of the queries that may be asked. The score is that of [game.LeastSquares] for rows, Σ (m_ji θ̂_i − m_ji²/2) over the
//     queries asked, and b is the first row within [game.Tie] of the
//     largest.
//   - ℓ is ¼·log(g + 0.01), with the natural logarithm.
//
// t is the number of answers so far, T less what is left. c̄ says how well the best rows fit. It is the posterior mean of
// c = 1 − 2ε over pairs (row, c), where ε is the share of wrong answers. c is 1, 0.8, 0.6, 0.4 or 0.2, with the prior
// {0.35, 0.25, 0.2, 0.12, 0.08}. Shares are clipped at c = 1 only.
//
// Of a pool of items rows are classifiers, and g is the entropy of the class that the best classifier predicts, k being the best with
// p(k) ∝ 1.2^agreements with the labels so far. u and the score weigh queries by the items that stand behind them, and logits have
// the logarithm of [game.Problem.Mass] besides.
//
// Rows are those of [game.Shares] by their weights, "none of these" left out, or, where a problem has none, m = 2z − 1
// with equal weights. Rows that [game.States.Out] names are left out as long as that leaves one.
type Gated struct {
	params  []float32 // b [features], c [features], a [features]: a layer of two inputs
	f       *gauge
	scratch sync.Pool // of *gaugeScratch
}

// NewGated makes the network with weights of 0: the policy starts uniform. It needs no randomness, as the logits are
// linear in the weights. Costs O(|Z||X|).
func NewGated(p *game.Problem) *Gated {
	m := &Gated{params: make([]float32, GatedWeights), f: newGauge(p)}
	m.scratch.New = func() any { return m.f.scratch() }
	return m
}

// SetGate sets the weights of one feature, number 0 for g, 1 for u, 2 for ℓ: a_f, b_f and c_f.
func (m *Gated) SetGate(feature int, a, b, c float32) {
	m.params[feature], m.params[gatedFeatures+feature], m.params[2*gatedFeatures+feature] = b, c, a
}

// Arch returns "gated " and the number of weights.
func (m *Gated) Arch() string { return "gated " + strconv.Itoa(GatedWeights) }

// Params returns ψ: b_f, c_f and a_f, each for the three features in turn.
func (m *Gated) Params() []float32 { return m.params }

// tensors returns those of a linear layer from t/T and c̄ − 0.6 to the gates.
func (m *Gated) tensors() []tensor {
	return []tensor{{"gates.weight", []int{gatedInputs, gatedFeatures}}, {"gates.bias", []int{gatedFeatures}}}
}

// emptyGated makes a network of zeros from what follows "gated " in an Arch.
func emptyGated(text string, p *game.Problem, max int) (tensored, error) {
	if text != strconv.Itoa(GatedWeights) {
		return nil, fmt.Errorf("%q is not its number of weights, %d", text, GatedWeights)
	}
	if max != GatedWeights {
		return nil, fmt.Errorf("it has %d parameters, the file %d: it is cut short or added to", GatedWeights, max)
	}
	return NewGated(p), nil
}

// gatedTape keeps the features of queries and of states.
type gatedTape struct {
	f      *gauge // whose states these are
	cap, n int    // room, and states of the last Forward; 0 once used up
	x      []float32
	in     []float32
}

func (t *gatedTape) Cap() int { return t.cap }

// NewTape takes 4·b·(3·|X| + 2) bytes.
func (m *Gated) NewTape(b int) Tape {
	return &gatedTape{f: m.f, cap: b, x: make([]float32, b*gatedFeatures*m.f.d), in: make([]float32, b*gatedInputs)}
}

// Forward costs O(|Z||X|) operations a state and allocates nothing once there is scratch for as many as call at a time.
// It reads s.Mask, as g and u are compared with those of the queries that may be asked.
func (m *Gated) Forward(logits []float32, tape Tape, s game.States) {
	t, ok := tape.(*gatedTape)
	d := m.f.d
	n := s.Len(d)
	if !ok || t.f != m.f || t.cap < n {
		panic(fmt.Sprintf("nn: tape does not fit %d states of %s", n, m.Arch()))
	}
	t.n = n
	sc := m.scratch.Get().(*gaugeScratch)
	m.f.read(t.x, t.in, s, sc)
	m.scratch.Put(sc)
	for b := range n {
		gate := m.gates(t.in[b*gatedInputs:])
		gain, unlike, logGain := t.row(b, gGain), t.row(b, gUnlike), t.row(b, gLogGain)
		for i := range d {
			logits[b*d+i] = float32(gate[gGain]*gain[i]) + float32(gate[gUnlike]*unlike[i]) + float32(gate[gLogGain]*logGain[i])
		}
	}
	m.f.p.Questions().AddItems(logits, s.N)
}

// row returns one feature of all queries of state b, [|X|].
func (t *gatedTape) row(b, feature int) []float32 {
	return t.x[(b*gatedFeatures+feature)*t.f.d:][:t.f.d]
}

// gates returns what each feature is multiplied by in a state of these inputs.
func (m *Gated) gates(in []float32) (gate [gatedFeatures]float32) {
	for f := range gate {
		gate[f] = m.params[2*gatedFeatures+f]
		for k := range gatedInputs {
			gate[f] += float32(m.params[k*gatedFeatures+f] * in[k])
		}
	}
	return gate
}

// Backward costs 6·|X| operations a state and allocates nothing.
func (m *Gated) Backward(grad []float32, tape Tape, dlogits []float32) {
	t, ok := tape.(*gatedTape)
	d := m.f.d
	if !ok || t.f != m.f || t.n*d != len(dlogits) {
		panic(fmt.Sprintf("nn: tape does not hold the %d logits of %s: has Forward been called since the last Backward?", len(dlogits), m.Arch()))
	}
	if len(grad) != len(m.params) {
		panic(fmt.Sprintf("nn: gradient has %d entries, want %d", len(grad), len(m.params)))
	}
	for b := range t.n {
		for f := range gatedFeatures {
			var sum float32
			down := dlogits[b*d : (b+1)*d]
			for i, x := range t.row(b, f) {
				sum += float32(x * down[i])
			}
			grad[2*gatedFeatures+f] += sum
			for k := range gatedInputs {
				grad[k*gatedFeatures+f] += float32(sum * t.in[b*gatedInputs+k])
			}
		}
	}
	t.n = 0
}
