package nn

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/internal/num"
	"mapo/rng"
)

// MLP is the paper's policy network (App. B): state features → hidden layers with leaky ReLU → logits.
type MLP struct {
	sizes  []int     // 3|X|, hidden…, |X|
	params []float32 // per layer: weights [in, out], then biases [out]
	layers []layer
}

// layer says where in the flat parameters one layer's weights and biases stand.
type layer struct {
	in, out int
	w, b    int // offsets of the first weight and the first bias
	end     int
}

func (l layer) weights(p []float32) []float32 { return p[l.w:l.b] }
func (l layer) biases(p []float32) []float32  { return p[l.b:l.end] }

// NewMLP makes the network with sizes {3|X|, hidden…, |X|}; the paper's hidden is {256, 256, 256, 256}
// (reading 7). Weights are drawn from key by Xavier's normal rule, N(0, 2/(in+out)), and scaled by .01
// (App. D); biases are 0.
func NewMLP(p *game.Problem, hidden []int, key rng.Key) *MLP {
	sizes := append([]int{3 * p.Queries()}, hidden...)
	m := newMLP(append(sizes, p.Queries()))
	for i, l := range m.layers {
		r := key.At(i).Rand()
		std := .01 * math.Sqrt(2/float64(l.in+l.out))
		w := l.weights(m.params)
		for j := range w {
			w[j] = float32(std * r.NormFloat64())
		}
	}
	return m
}

// newMLP makes a network of zeros.
func newMLP(sizes []int) *MLP {
	m := &MLP{sizes: sizes}
	n := 0
	for i := 1; i < len(sizes); i++ {
		l := layer{in: sizes[i-1], out: sizes[i], w: n}
		if l.in < 1 || l.out < 1 {
			panic("nn: an MLP's layers need at least one unit, sizes are " + m.Arch())
		}
		l.b = l.w + l.in*l.out
		l.end = l.b + l.out
		n = l.end
		m.layers = append(m.layers, l)
	}
	m.params = make([]float32, n)
	return m
}

// Arch returns "mlp " and the sizes joined by dashes.
func (m *MLP) Arch() string {
	s := make([]string, len(m.sizes))
	for i, n := range m.sizes {
		s[i] = strconv.Itoa(n)
	}
	return "mlp " + strings.Join(s, "-")
}

// Params returns ψ: each layer's weights [in, out], then its biases.
func (m *MLP) Params() []float32 { return m.params }

// queries returns |X|.
func (m *MLP) queries() int { return m.sizes[len(m.sizes)-1] }

// Operations returns what a state costs the plain algorithm in a training iteration: forward, input gradients but the
// first layer's, weight gradients, a multiply-add counting as two.
func (m *MLP) Operations() float64 {
	var n float64
	for i, l := range m.layers {
		passes := 3.
		if i == 0 {
			passes = 2
		}
		n += passes * 2 * float64(l.in) * float64(l.out)
	}
	return n
}

// mlpTape keeps the input of every layer.
type mlpTape struct {
	cap, n int         // room, and states of the last Forward; 0 once used up
	x      num.Threes  // the features, what layer 0 reads
	act    [][]float32 // act[l] is what layer l > 0 reads, [cap, sizes[l]]
}

func (t *mlpTape) Cap() int { return t.cap }

// NewTape takes 4·b·(4|X| + Σ hidden) bytes.
func (m *MLP) NewTape(b int) Tape {
	t := &mlpTape{cap: b, act: make([][]float32, len(m.layers))}
	t.x.Reset(b, m.queries())
	for i, l := range m.layers[1:] {
		t.act[i+1] = make([]float32, b*l.in)
	}
	return t
}

// Forward costs 2·B·Σ in·out operations, in the first layer only those of queries that were asked, and allocates
// nothing.
func (m *MLP) Forward(logits []float32, tape Tape, s game.States) {
	t, ok := tape.(*mlpTape)
	n := s.Len(m.queries())
	if !ok || t.cap < n || len(t.act) != len(m.layers) {
		panic(fmt.Sprintf("nn: tape does not fit %d states of %s", n, m.Arch()))
	}
	t.n = n
	features(&t.x, s, n, m.queries())
	last := len(m.layers) - 1
	for i, l := range m.layers {
		dst, f := logits, num.Linear
		if i < last {
			dst, f = t.act[i+1][:n*l.out], num.Leaky
		}
		if i == 0 {
			num.ForwardThrees(dst, &t.x, l.weights(m.params), l.biases(m.params), l.out, f)
			continue
		}
		num.Forward(dst, t.act[i][:n*l.in], l.weights(m.params), l.biases(m.params), n, l.in, l.out, f)
	}
}

// Backward costs 4·B·Σ in·out operations, less the first layer's input gradient, and allocates nothing:
// each activation's place takes the gradient at it once the activation has served.
func (m *MLP) Backward(grad []float32, tape Tape, dlogits []float32) {
	t, ok := tape.(*mlpTape)
	if !ok || t.n*m.queries() != len(dlogits) || len(t.act) != len(m.layers) {
		panic(fmt.Sprintf("nn: tape does not hold the %d logits of %s: has Forward been called since the last Backward?", len(dlogits), m.Arch()))
	}
	if len(grad) != len(m.params) {
		panic(fmt.Sprintf("nn: gradient has %d entries, want %d", len(grad), len(m.params)))
	}
	n, dy := t.n, dlogits
	t.n = 0
	for i := len(m.layers) - 1; i > 0; i-- {
		l := m.layers[i]
		x := t.act[i][:n*l.in]
		num.AddWeightGrad(l.weights(grad), l.biases(grad), x, dy, n, l.in, l.out)
		num.InputGrad(x, dy, l.weights(m.params), x, n, l.in, l.out)
		dy = x
	}
	l := m.layers[0]
	num.AddWeightGradThrees(l.weights(grad), l.biases(grad), &t.x, dy, l.out)
}

// features writes App. B's state features to x: per query n, 1/n (0 where n = 0, reading 3) and s. Only those of
// queries that were asked are not 0.
func features(x *num.Threes, s game.States, n, d int) {
	x.Reset(n, d)
	for b := range n {
		sum := s.S[b*d : (b+1)*d]
		for i, n := range s.N[b*d : (b+1)*d] {
			if n != 0 {
				x.Add(i, n, 1/n, sum[i])
			}
		}
		x.End()
	}
}
