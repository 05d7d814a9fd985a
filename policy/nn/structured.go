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

// MaxStructured is the most queries of a Structured network: it keeps a number for each pair.
const MaxStructured = 2048

// Structured is a policy network that knows 𝒵. It scores every query with the same weights from features of
// its own and of the state. These are what was answered to it and to queries like it, how far the posteriors of some
// error rates and the best hypotheses disagree about it, and what is left of the budget.
//
//	h_i     = leaky(x_i·W₁ + b₁)                     x_i: the features, without gradient
//	g_i     = leaky(h_i·W₂′ + mean_j h_j·W₂″ + b₂)   W₂: W₂′ above W₂″
//	logit_i = g_i·w₃ + b₃
//
// Permuting queries permutes the logits; permuting hypotheses changes nothing, nor, unless the problem knows instances,
// does negating a query (1 − z_i for z_i, answers negated), which is the same game; all up to rounding.
// Of a pool of items logits have the logarithm of [game.Problem.Mass] besides, and scores weigh queries by the items behind them.
// Neither Arch nor the parameters depend on the problem but by whether it knows instances, and whether queries are vectors: those
// of one serve on another.
type Structured struct {
	units  int
	params []float32
	layers [3]layer
	p      *game.Problem
	d      int // |X|
	f      encoder
	mean   []float32 // 1/|X|, [|X|]
	ones   []float32 // [|X|]

	scratch sync.Pool // of *structuredScratch
}

// encoder is what a Structured network reads states by. An implementation is read-only, and its scratch one caller's.
type encoder interface {
	count() int   // of a query
	level() int   // which says the level
	kind() string // what Arch says of them after "structured"
	scratch() any
	// read writes the features of s to dst, [features, ld], feature by feature: that of query i of state b is at b·|X| + i of the
	// feature's ld.
	read(dst []float32, ld int, s game.States, scratch any)
	rivals() []lean  // how fresh weights lean to the rivals
	unasked() []lean // how they lean to queries unasked
}

// NewStructured makes the network with so many units in both hidden layers; 16 is a good number. Hidden
// weights are drawn from key by He's normal rule, N(0, 2/in), the last layer's are a tenth of that and
// biases 0: the policy starts near uniform. Costs O(|X|²|Z|); more than [MaxStructured] queries are too many.
func NewStructured(p *game.Problem, units int, key rng.Key) *Structured {
	m := newStructured(p, units)
	m.draw(key)
	return m
}

// draw draws the weights.
func (m *Structured) draw(key rng.Key) {
	for i, l := range m.layers {
		r := key.At(i).Rand()
		std := math.Sqrt(2 / float64(l.in))
		if l.out == 1 && i == len(m.layers)-1 {
			std *= .1
		}
		w := l.weights(m.params)
		for j := range w {
			w[j] = float32(std * r.NormFloat64())
		}
	}
	// No training tells a level yet, so what would be read of one would stay as drawn.
	first := m.layers[0]
	level := m.f.level()
	clear(first.weights(m.params)[level*first.out : (level+1)*first.out])
}

// Work returns about what a game of a Structured network costs on p, in what it does on the paper's thresholds (d = 25,
// T = 20). A query's layers cost what 150 hypotheses do, two known instances what one does, and one of a problem of vectors what
// four do (timed forward and back, and played).
func Work(p *game.Problem) float64 {
	const thresholds = 25 * 20 * (150 + 26)
	hypotheses := p.Hypotheses() * classOf(p).counts
	return float64(p.Queries()*p.T*(150+hypotheses+posterior.Instances(p)/2)) / thresholds
}

// Costly is the [Work] of a game beyond which desk does with less, so that it
// remains minutes: iterations of half the games, searches of fewer trials. It lies
// between what was measured whole (Jester, 3.6) and with less (birds, 10).
const Costly = 4

// newStructured makes a network of zeros.
func newStructured(p *game.Problem, units int) *Structured {
	if units < 1 {
		panic(fmt.Sprintf("nn: a structured network needs at least one unit, got %d", units))
	}
	d := p.Queries()
	if d > MaxStructured {
		panic(fmt.Sprintf("nn: a structured network takes at most %d queries, got %d", MaxStructured, d))
	}
	m := &Structured{units: units, p: p, d: d, f: classOf(p).encoder(p, units), mean: make([]float32, d), ones: make([]float32, d)}
	for i := range d {
		m.mean[i], m.ones[i] = 1/float32(d), 1
	}
	m.scratch.New = func() any { return &structuredScratch{read: m.f.scratch()} }
	n := 0
	for i, size := range [3][2]int{{m.f.count(), units}, {2 * units, units}, {units, 1}} {
		l := layer{in: size[0], out: size[1], w: n}
		l.b = l.w + l.in*l.out
		l.end = l.b + l.out
		n = l.end
		m.layers[i] = l
	}
	m.params = make([]float32, n)
	return m
}

// lean is what fresh weights add to a query's logit: so many times a feature.
type lean struct {
	feature int
	times   float64
}

// LeanToRivals turns fresh weights to where training begins near the rivals' level, and returns m. A unit each is given
// to what uncertainty sampling and SGBS go by (App. G), or to what rivals for vectors do. Of a table logits gain 6 where
// hypotheses that fit best disagree, and 4 times how evenly the posterior of error rate .15 is divided. With a single unit it is
// the former alone.
func (m *Structured) LeanToRivals() *Structured {
	return m.lean(m.f.rivals()...)
}

// LeanToUnasked turns fresh weights to Uniform that prefers what was asked least and what the best hypotheses disagree
// about, and returns m: logits gain 3/(n_i+1), and 3 where hypotheses that fit best disagree. With a single unit it is the
// former alone.
func (m *Structured) LeanToUnasked() *Structured {
	return m.lean(m.f.unasked()...)
}

// lean gives each of the leans a unit, as far as there are.
func (m *Structured) lean(leans ...lean) *Structured {
	w1, w2, w3 := m.layers[0].weights(m.params), m.layers[1].weights(m.params), m.layers[2].weights(m.params)
	for unit, lean := range leans[:min(len(leans), m.units)] {
		each := float32(math.Cbrt(lean.times)) // a third of it in each layer; features are not negative, biases 0
		for f := range m.f.count() {
			w1[f*m.units+unit] = 0
		}
		for h := range 2 * m.units {
			w2[h*m.units+unit] = 0
		}
		w1[lean.feature*m.units+unit], w2[unit*m.units+unit], w3[unit] = each, each, each
	}
	return m
}

// emptyStructured makes a network of zeros from what follows "structured " in an Arch.
func emptyStructured(text string, p *game.Problem, max int) (tensored, error) {
	c := classOf(p)
	text, is := strings.CutPrefix(text, c.kind)
	if !is && !c.optional {
		return nil, errors.New(c.wrong)
	}
	sizes := strings.Split(text, "-")
	units, err := strconv.Atoi(sizes[len(sizes)-1])
	if err != nil || units < 1 || units > 1<<12 {
		return nil, fmt.Errorf("%q does not end in a number of units from 1 to %d", text, 1<<12)
	}
	if have := (c.features+1)*units + (2*units+1)*units + units + 1; have != max {
		return nil, fmt.Errorf("it has %d parameters, the file %d: it is cut short or added to", have, max)
	}
	if d := p.Queries(); d > MaxStructured {
		return nil, fmt.Errorf("a problem of %d queries is above its %d", d, MaxStructured)
	}
	if p.T > 1<<16 {
		return nil, fmt.Errorf("a budget of %d is above its %d", p.T, 1<<16)
	}
	return newStructured(p, units), nil
}

// even is said in the Arch of a network to which a query is the same where it is negated.
const even = "even "

// vectorKind is said where queries are vectors.
const vectorKind = "vectors "

// Arch returns "structured ", "even " where no instances are known or "vectors " where queries are, and the numbers of
// features and of units in both hidden layers joined by dashes.
func (m *Structured) Arch() string {
	return fmt.Sprintf("structured %s%d-%d-%d", m.f.kind(), m.f.count(), m.units, m.units)
}

// Params returns ψ: W₁ [in, out], b₁, W₂, b₂, w₃, b₃.
func (m *Structured) Params() []float32 { return m.params }

func (m *Structured) tensors() []tensor {
	var ts []tensor
	for i, l := range m.layers {
		n := strconv.Itoa(i + 1)
		ts = append(ts, tensor{"w" + n, []int{l.in, l.out}}, tensor{"b" + n, []int{l.out}})
	}
	return ts
}

// structuredTape keeps the features and both hidden layers.
type structuredTape struct {
	f       encoder   // whose states these are
	cap, n  int       // room, and states of the last Forward; 0 once used up
	ld      int       // from a feature to the next: room for all queries of all states
	x       []float32 // features, [features, ld]: all queries' next to each other, so that as many as fit are computed at once
	h, g    []float32 // hidden layers, [cap, |X|, units]
	pool    []float32 // mean_j h_j, [cap, units]
	context []float32 // pool·W₂″ + b₂, then the gradient at it, [cap, units]
}

// structuredScratch is what no tape has to keep, one caller's at a time.
type structuredScratch struct {
	read any       // the features' own
	dh   []float32 // gradient at the first hidden layer, [n, |X|, units]
}

func (t *structuredTape) Cap() int { return t.cap }

// NewTape takes about 4·b·(|X|·(features + 2·units) + 2·units) bytes; 24 features, 29 where instances are known.
func (m *Structured) NewTape(b int) Tape {
	d, u := m.d, m.units
	ld := (b*d+15)/16*16 | 16 // an odd number of cache lines: features do not crowd into the same few sets of a cache
	return &structuredTape{f: m.f, cap: b, ld: ld, x: make([]float32, m.f.count()*ld), h: make([]float32, b*d*u), g: make([]float32, b*d*u),
		pool: make([]float32, b*u), context: make([]float32, b*u)}
}

// Forward costs O(|Z||X| + |X|²) small operations a state for the features and 2·|X|·(in·out + …) for the
// layers, and allocates nothing once there is scratch for as many as call at a time.
func (m *Structured) Forward(logits []float32, tape Tape, s game.States) {
	t, ok := tape.(*structuredTape)
	n := s.Len(m.d)
	if !ok || t.f != m.f || t.cap < n {
		panic(fmt.Sprintf("nn: tape does not fit %d states of %s", n, m.Arch()))
	}
	t.n = n
	sc := m.scratch.Get().(*structuredScratch)
	m.f.read(t.x, t.ld, s, sc.read)
	m.scratch.Put(sc)
	m.pass(logits, t)
	m.p.Questions().AddItems(logits, s.N)
}

// pass computes the layers of Forward, from the features on.
func (m *Structured) pass(logits []float32, t *structuredTape) {
	n, d, u, l := t.n, m.d, m.units, m.layers
	h, g := t.h[:n*d*u], t.g[:n*d*u]
	num.ForwardColumns(h, t.x, t.ld, l[0].weights(m.params), l[0].biases(m.params), n*d, l[0].in, u, num.Leaky)
	num.GroupSums(t.pool[:n*u], m.mean, h, n, d, u)
	own, shared := m.halves(m.params)
	num.Forward(t.context[:n*u], t.pool[:n*u], shared, l[1].biases(m.params), n, u, u, num.Linear)
	num.ForwardGroups(g, h, own, t.context[:n*u], n, d, u, u, num.Leaky) // the context is the state's bias
	num.Forward(logits, g, l[2].weights(m.params), l[2].biases(m.params), n*d, u, 1, num.Linear)
}

// halves returns W₂′ and W₂″ of p, laid out as the parameters.
func (m *Structured) halves(p []float32) (own, shared []float32) {
	w := m.layers[1].weights(p)
	return w[:m.units*m.units], w[m.units*m.units:]
}

// Backward costs twice the layers of Forward and allocates nothing; activations give way to the gradients at
// them.
func (m *Structured) Backward(grad []float32, tape Tape, dlogits []float32) {
	t, ok := tape.(*structuredTape)
	d, u := m.d, m.units
	if !ok || t.f != m.f || t.n*d != len(dlogits) {
		panic(fmt.Sprintf("nn: tape does not hold the %d logits of %s: has Forward been called since the last Backward?", len(dlogits), m.Arch()))
	}
	if len(grad) != len(m.params) {
		panic(fmt.Sprintf("nn: gradient has %d entries, want %d", len(grad), len(m.params)))
	}
	n := t.n
	t.n = 0
	l := m.layers
	h, g, sums := t.h[:n*d*u], t.g[:n*d*u], t.context[:n*u]
	num.AddWeightGrad(l[2].weights(grad), l[2].biases(grad), g, dlogits, n*d, u, 1)
	num.InputGrad(g, dlogits, l[2].weights(m.params), g, n*d, u, 1)
	num.GroupSums(sums, m.ones, g, n, d, u)
	own, shared := m.halves(m.params)
	downOwn, downShared := m.halves(grad)
	num.AddWeightGrad(downOwn, l[1].biases(grad), h, g, n*d, u, u)
	sc := m.scratch.Get().(*structuredScratch)
	defer m.scratch.Put(sc)
	sc.dh = num.Sized(sc.dh, n*d*u)
	num.AddWeightGrad(downShared, sc.dh[:u], t.pool[:n*u], sums, n, u, u) // these biases have been counted
	num.InputGrad(t.pool[:n*u], sums, shared, nil, n, u, u)
	for i := range t.pool[:n*u] {
		t.pool[i] *= m.mean[0]
	}
	num.InputGrad(sc.dh, g, own, nil, n*d, u, u)
	num.LeakyGrad(h, sc.dh, t.pool[:n*u], n, d, u)
	num.AddWeightGradColumns(l[0].weights(grad), l[0].biases(grad), t.x, t.ld, h, n*d, l[0].in, u)
}
