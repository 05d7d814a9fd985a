package nn

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/posterior"
	"mapo/rng"
)

// Adaptive is a policy network for all tables: its weights are the same for every one, and are trained on many. Query i has the
// logit Σ_f gate_f·f_i + net_i. The first part weighs few features by gates that depend on the state, the table and the trade-off
// weight w that the policy is played for:
//
//	h    = tanh(c·W₁ + b₁)
//	gate = (h, c)·W₂ + b₂
//
// Its features are 0 where [game.States.Mask] forbids the query. Three are those of a [Gated] network. But u compares with
// the mean of the rows that tie for the best, and all of these count then, so that the order of rows does not count. The
// others are
//
//   - g′, the information gain where an answer in five is wrong, divided by the largest of the queries that may be asked,
//   - 1/(n_i+1), n_i being how often it was asked,
//   - the spread of the rows' shares, divided by the largest,
//   - ¼·log(u′ + 0.01). u′ is u with weights ∝ exp(4·score), so that little but the runners-up counts. Where the feature
//     has a gate of 4 and the others none, queries are drawn about as by uncertainty sampling.
//
// The inputs c are t/T, c̄ − 0.6 of a [Gated] network, w, w·t/T, log|Z|/4, T/|X|, whether queries repeat, and log(T)/4.
//
// The second part has the layers of a [Structured] network, which see all queries at once. It reads that network's features, the
// features above and, the same for all queries, c. It does not read [game.States.Out].
type Adaptive struct {
	params  []float32 // of the gates, then of net
	hidden  int
	layers  [2]layer
	weight  float64
	f       *meter
	net     *Structured
	scratch sync.Pool // of *meterScratch
}

// Features by which a policy can be near a rule: the logarithms of the gain and of what rows differ.
const (
	LogGain   = gLogGain
	LogUnlike = iLogUnlike
)

// What an Adaptive network reads.
const (
	iNoisy     = gatedFeatures + iota // g′
	iFresh                            // 1/(n_i+1)
	iSpread                           // of the rows' shares
	iLogUnlike                        // ¼·log(u′ + 0.01)
	iFeatures                         // how many there are
)

const (
	iTable   = 4          // inputs of the gates that are the table's
	iContext = 4 + iTable // all
)

// NewAdaptive makes the network, for a trade-off weight in [0, 1], with weights of 0: the policy is uniform. gates are the hidden
// units that gates have, and units those of each hidden layer of the second part. Costs O(|Z||X|²); more than [MaxStructured]
// queries are too many.
func NewAdaptive(p *game.Problem, gates, units int, weight float64) *Adaptive {
	m := &Adaptive{hidden: gates, weight: weight, f: newMeter(p)}
	n := 0
	for i, size := range [2][2]int{{iContext, gates}, {gates + iContext, iFeatures}} {
		l := layer{in: size[0], out: size[1], w: n}
		l.b = l.w + l.in*l.out
		l.end = l.b + l.out
		n = l.end
		m.layers[i] = l
	}
	m.net = structuredBy(wider{newReader(withoutInstances(p), units)}, p, units)
	m.params = append(make([]float32, n), m.net.params...)
	m.net.params = m.params[n:]
	m.scratch.New = func() any { return m.f.scratch() }
	return m
}

// withoutInstances returns p as one that knows none, which the weights of an [Adaptive] network are for.
func withoutInstances(p *game.Problem) *game.Problem {
	if p.Known == nil {
		return p
	}
	q := *p
	q.Known = nil
	return &q
}

// wider are the features of a [Structured] network, and room for those of an [Adaptive] one and its inputs behind them.
type wider struct{ *reader }

func (w wider) count() int { return structuredFeatures + iFeatures + iContext }

// Draw draws the weights of the hidden layers from key, and returns m. Those of the gates are N(0, 1/inputs), and change no logit while
// gates do not read them; the others are [NewStructured]'s.
func (m *Adaptive) Draw(key rng.Key) *Adaptive {
	r := key.Rand()
	w := m.layers[0].weights(m.params)
	for i := range w {
		w[i] = float32(r.NormFloat64() * math.Sqrt(1./iContext))
	}
	m.net.draw(key.Name("net"))
	return m
}

// AdaptiveParams returns the number of parameters of an [Adaptive] network of such sizes.
func AdaptiveParams(gates, units int) int {
	return gateParams(gates) + (structuredFeatures+iFeatures+iContext+1)*units + (2*units+1)*units + units + 1
}

// gateParams returns how many the first part has.
func gateParams(gates int) int { return (iContext+1)*gates + (gates+iContext+1)*iFeatures }

// SetGate sets what one feature counts for, at weights of 0 elsewhere: a + b·t/T + c·(c̄ − 0.6).
func (m *Adaptive) SetGate(feature int, a, b, c float32) {
	l := m.layers[1]
	w := l.weights(m.params)
	l.biases(m.params)[feature] = a
	w[m.hidden*l.out+feature], w[(m.hidden+1)*l.out+feature] = b, c
}

// Arch returns "adaptive ", the two numbers of hidden units and the trade-off weight, joined by dashes.
func (m *Adaptive) Arch() string {
	return fmt.Sprintf("adaptive %d-%d-%g", m.hidden, m.net.units, m.weight)
}

// Params returns ψ.
func (m *Adaptive) Params() []float32 { return m.params }

func (m *Adaptive) tensors() []tensor {
	l := m.layers
	return append([]tensor{
		{"hidden.weight", []int{l[0].in, l[0].out}}, {"hidden.bias", []int{l[0].out}},
		{"gates.weight", []int{l[1].in, l[1].out}}, {"gates.bias", []int{l[1].out}},
	}, m.net.tensors()...)
}

// adaptiveTape keeps features, inputs and hidden units.
type adaptiveTape struct {
	f      *meter
	cap, n int
	x      []float32 // [cap, features, |X|]
	in     []float32 // [cap, hidden + context]: h, then c
	net    *structuredTape
}

func (t *adaptiveTape) Cap() int { return t.cap }

// NewTape takes about 4·b·|X|·(46 + 2·units) bytes.
func (m *Adaptive) NewTape(b int) Tape {
	return &adaptiveTape{f: m.f, cap: b, x: make([]float32, b*iFeatures*m.f.d), in: make([]float32, b*(m.hidden+iContext)),
		net: m.net.NewTape(b).(*structuredTape)}
}

// Forward costs O(|Z||X| + |X|²) operations a state.
func (m *Adaptive) Forward(logits []float32, tape Tape, s game.States) {
	t, ok := tape.(*adaptiveTape)
	d := m.f.d
	n := s.Len(d)
	if !ok || t.f != m.f || t.cap < n {
		panic(fmt.Sprintf("nn: tape does not fit %d states of %s", n, m.Arch()))
	}
	t.n = n
	sc := m.scratch.Get().(*meterScratch)
	wide := m.hidden + iContext
	m.f.read(t.x, t.in, wide, m.hidden, float32(m.weight), s, sc)
	m.scratch.Put(sc)
	m.widen(t, s)
	m.net.pass(logits, t.net)
	var gate [iFeatures]float32
	for b := range n {
		in := t.in[b*wide : (b+1)*wide]
		m.gates(&gate, in)
		row := logits[b*d : (b+1)*d]
		for f, g := range gate {
			for i, x := range t.x[(b*iFeatures+f)*d:][:d] {
				row[i] += float32(g * x)
			}
		}
	}
}

// widen fills in what the second part reads.
func (m *Adaptive) widen(t *adaptiveTape, s game.States) {
	sc := m.net.scratch.Get().(*structuredScratch)
	m.net.f.read(t.net.x, t.net.ld, s, sc.read)
	m.net.scratch.Put(sc)
	t.net.n = t.n
	d := m.f.d
	for b := range t.n {
		row := func(f int) []float32 { return t.net.x[(structuredFeatures+f)*t.net.ld+b*d:][:d] }
		for f := range iFeatures {
			copy(row(f), t.x[(b*iFeatures+f)*d:][:d])
		}
		for k, c := range t.in[b*(m.hidden+iContext)+m.hidden:][:iContext] {
			same := row(iFeatures + k)
			for i := range same {
				same[i] = c
			}
		}
	}
}

// gates fills in the hidden units of in, and what each feature counts for.
func (m *Adaptive) gates(gate *[iFeatures]float32, in []float32) {
	h := m.hidden
	w, b := m.layers[0].weights(m.params), m.layers[0].biases(m.params)
	for j := range h {
		sum := b[j]
		for k, c := range in[h:] {
			sum += float32(c * w[k*h+j])
		}
		in[j] = float32(math.Tanh(float64(sum)))
	}
	w, b = m.layers[1].weights(m.params), m.layers[1].biases(m.params)
	copy(gate[:], b)
	for k, c := range in {
		for f := range gate {
			gate[f] += float32(c * w[k*iFeatures+f])
		}
	}
}

// Backward costs 14·|X| operations a state, and what the second part's does ([Structured.Backward]).
func (m *Adaptive) Backward(grad []float32, tape Tape, dlogits []float32) {
	t, ok := tape.(*adaptiveTape)
	d, h := m.f.d, m.hidden
	if !ok || t.f != m.f || t.n*d != len(dlogits) || len(grad) != len(m.params) {
		panic(fmt.Sprintf("nn: tape does not hold the %d logits of %s", len(dlogits), m.Arch()))
	}
	m.net.Backward(grad[len(grad)-len(m.net.params):], t.net, dlogits)
	wide := h + iContext
	first, second := m.layers[0], m.layers[1]
	gw, gb := second.weights(grad), second.biases(grad)
	fw, fb := first.weights(grad), first.biases(grad)
	w := second.weights(m.params)
	for b := range t.n {
		in, down := t.in[b*wide:(b+1)*wide], dlogits[b*d:(b+1)*d]
		var dg [iFeatures]float32
		for f := range dg {
			for i, x := range t.x[(b*iFeatures+f)*d:][:d] {
				dg[f] += float32(x * down[i])
			}
			gb[f] += dg[f]
		}
		for k, c := range in {
			var dh float32
			for f, g := range dg {
				gw[k*iFeatures+f] += float32(c * g)
				dh += float32(w[k*iFeatures+f] * g)
			}
			if k < h {
				dh *= 1 - float32(c*c)
				fb[k] += dh
				for j, x := range in[h:] {
					fw[j*h+k] += float32(x * dh)
				}
			}
		}
	}
	t.n = 0
}

// meter computes the features of an [Adaptive] network on one problem. It is read-only once made.
type meter struct {
	*gauge
	table  [iTable]float32 // the inputs that are the table's
	spread []float32       // the deviation of the rows' 2·yes − 1, [|X|]
}

type meterScratch struct {
	gauge *gaugeScratch
	x, in []float32
	noisy []float32 // [block, |X|]
	near  []float32 // ∝ exp(sharp·score), [block, N]
	share []float32 // the largest of them, [block]
}

func newMeter(p *game.Problem) *meter {
	f := &meter{gauge: newGauge(p)}
	f.even = true
	f.rows.WithGains(noisyFit)
	f.table = [iTable]float32{float32(math.Log(float64(f.rows.N)) / 4), float32(p.T) / float32(f.d), 1, float32(math.Log(float64(p.T)) / 4)}
	if p.Limited() {
		f.table[2] = 0
	}
	f.spread = make([]float32, f.d)
	for i := range f.d {
		var mean, square float64
		for j := range f.rows.N {
			m := f.rows.M[j*f.d+i]
			mean, square = mean+m, square+m*m
		}
		n := float64(f.rows.N)
		f.spread[i] = float32(math.Sqrt(max(0, square/n-mean*mean/n/n)))
	}
	return f
}

func (f *meter) scratch() *meterScratch {
	return &meterScratch{
		gauge: f.gauge.scratch(), x: make([]float32, f.block*gatedFeatures*f.d), in: make([]float32, f.block*gatedInputs),
		noisy: make([]float32, f.block*f.d), near: make([]float32, f.block*f.rows.N), share: make([]float32, f.block),
	}
}

// read writes the features to x, [B, features, |X|], and the inputs to in, [B, wide], from place at on.
func (f *meter) read(x, in []float32, wide, at int, weight float32, s game.States, sc *meterScratch) {
	d := f.d
	states := s.Len(d)
	for lo := 0; lo < states; lo += f.block {
		hi := min(states, lo+f.block)
		part, n := s.Slice(lo, hi, d), hi-lo
		f.part(sc.x, sc.in, part, n, sc.gauge)
		f.rows.GainsBy(sc.noisy, sc.gauge.rows, noisyFit, n)
		num.Tempered(sc.near[:n*f.rows.N], sc.share[:n], sc.gauge.score[:n*f.rows.N], sharp, n, f.rows.N)
		for b := range n {
			var mask []bool
			if part.Mask != nil {
				mask = part.Mask[b*d : (b+1)*d]
			}
			out := x[(lo+b)*iFeatures*d:][:iFeatures*d]
			copy(out, sc.x[b*gatedFeatures*d:(b+1)*gatedFeatures*d])
			noisy := out[iNoisy*d : (iNoisy+1)*d]
			copy(noisy, sc.noisy[b*d:])
			relative(noisy, mask, leastGain)
			fresh, spread, logUnlike := out[iFresh*d:(iFresh+1)*d], out[iSpread*d:(iSpread+1)*d], out[iLogUnlike*d:(iLogUnlike+1)*d]
			num.Deviations(sc.gauge.far, sc.near[b*f.rows.N:(b+1)*f.rows.N], f.m, f.reference(sc.gauge, b), f.rows.N, f.width)
			copy(logUnlike, sc.gauge.far)
			relative(logUnlike, mask, 0)
			posterior.Apply(logCurve, logUnlike)
			forbid(logUnlike, mask)
			for i, times := range part.N[b*d : (b+1)*d] {
				fresh[i] = 1 / (1 + times)
			}
			forbid(fresh, mask)
			copy(spread, f.spread)
			relative(spread, mask, 0)
			t, c := sc.in[b*gatedInputs], sc.in[b*gatedInputs+1]
			row := in[(lo+b)*wide+at:]
			row[0], row[1], row[2], row[3] = t, c, weight, float32(weight*t)
			copy(row[iContext-iTable:iContext], f.table[:])
		}
	}
}

// noisyFit is which of [fits] has an answer in five wrong: c = 0.6.
const noisyFit = 2

// MostAdaptive is how many hidden units of each kind an [Adaptive] network has at most.
const MostAdaptive = 1 << 10

// emptyAdaptive makes a network of zeros from what follows "adaptive " in an Arch.
func emptyAdaptive(text string, p *game.Problem, max int) (tensored, error) {
	gates, units, weight := 0, 0, 0.
	parts := strings.SplitN(text, "-", 3)
	if len(parts) == 3 {
		gates, _ = strconv.Atoi(parts[0])
		units, _ = strconv.Atoi(parts[1])
		var err error
		if weight, err = strconv.ParseFloat(parts[2], 64); err != nil {
			weight = -1
		}
	}
	if gates < 1 || gates > MostAdaptive || units < 1 || units > MostAdaptive || !(weight >= 0 && weight <= 1) {
		return nil, fmt.Errorf("%q is not two numbers of units from 1 to %d and a weight from 0 to 1, joined by dashes", text, MostAdaptive)
	}
	if have := AdaptiveParams(gates, units); have != max {
		return nil, fmt.Errorf("it has %d parameters, the file %d: it is cut short or added to", have, max)
	}
	if d := p.Queries(); d > MaxStructured {
		return nil, fmt.Errorf("a problem of %d queries is above its %d", d, MaxStructured)
	}
	if p.Vectors != nil || p.Labels != nil || p.Answers.Gaussian() {
		return nil, errors.New("it is for tables with answers of yes and no")
	}
	return NewAdaptive(p, gates, units, weight), nil
}

// sharp is what scores count for in u′.
var sharp = []float32{4}
