package optim

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mapo/policy/nn"
)

// Soap's constants. A direction's second moment and the bases follow the gradient faster than Adam's: a phase has a
// few hundred steps, and what the adversary plays moves.
const (
	soapBeta2 = 0.99
	soapBasis = 0.97 // memory of the second moments whose eigenvectors are the bases
	soapEvery = 10   // steps from one basis to the next

	soapReach = 10. / 3 // how much longer its steps are than Adam's, so that both do well at the same rate
)

// Soap is Adam in the eigenbasis of Shampoo's preconditioner (Vyas et al. 2025). Each layer's gradient G, its weights
// with its biases below them, [in+1, out], is turned by the eigenvectors of the running means of G·Gᵀ and Gᵀ·G.
// Adam's rule scales it there, and it is turned back. Policy gradients are mostly noise, whose covariance is about the
// Fisher matrix, so directions that change the policy little get as long a step as those that change it much. Its
// fields are exported so that a checkpoint can hold them.
type Soap struct {
	M      []float64 // running mean of the gradient, as Params
	T      int       // steps taken
	Layers []SoapLayer
}

// SoapLayer is one layer's memory.
type SoapLayer struct {
	In, Out    int       // biases count as one more input
	V          []float64 // running mean of the turned gradient's square, [In, Out]
	Rows, U    []float64 // running mean of G·Gᵀ and its eigenvectors in columns, [In, In]
	Columns, W []float64 // the same of Gᵀ·G, [Out, Out]
}

// MostSoap is the widest layer that Soap is for: wider ones take seconds and more a step.
const MostSoap = 512

// NewSoap returns an optimiser that is ready to move net's parameters.
func NewSoap(net nn.Net) *Soap {
	s := &Soap{M: make([]float64, len(net.Params()))}
	for _, w := range nn.Weights(net) {
		if len(w.Shape) < 2 { // the biases of the layer before
			continue
		}
		in, out := w.Shape[0]+1, w.Shape[1]
		s.Layers = append(s.Layers, SoapLayer{In: in, Out: out, V: make([]float64, in*out),
			Rows: make([]float64, in*in), U: make([]float64, in*in), Columns: make([]float64, out*out), W: make([]float64, out*out)})
	}
	return s
}

// Fits reports whether s, which may be nil, is sound and for net's parameters.
func (s *Soap) Fits(net nn.Net) bool {
	fresh := NewSoap(net)
	if s == nil || len(s.M) != len(fresh.M) || len(s.Layers) != len(fresh.Layers) {
		return false
	}
	for i, l := range s.Layers {
		f := fresh.Layers[i]
		if l.In != f.In || l.Out != f.Out || len(l.V) != len(f.V) || len(l.Rows) != len(f.Rows) || len(l.U) != len(f.U) ||
			len(l.Columns) != len(f.Columns) || len(l.W) != len(f.W) {
			return false
		}
	}
	return true
}

// Step moves params, of the network that s was made for, against grad. It costs O(in²·out + in·out²) a layer, and every
// tenth step O(in³ + out³). Not safe for concurrent use.
func (s *Soap) Step(params, grad []float32, rate float64) {
	if len(params) != len(s.M) || len(grad) != len(s.M) {
		panic(fmt.Sprintf("optim: Soap moves %d parameters, got %d and a gradient of %d", len(s.M), len(params), len(grad)))
	}
	for i, g := range grad {
		s.M[i] = beta1*s.M[i] + (1-beta1)*float64(g)
	}
	renew := s.T%soapEvery == 0
	s.T++
	step := soapReach * rate / (1 - math.Pow(beta1, float64(s.T)))
	root := 1 / math.Sqrt(1-math.Pow(soapBeta2, float64(s.T)))
	at := 0
	for i := range s.Layers {
		l := &s.Layers[i]
		n := l.In * l.Out
		g := make([]float64, n)
		for j, v := range grad[at : at+n] {
			g[j] = float64(v)
		}
		move := l.move(mat.NewDense(l.In, l.Out, g), mat.NewDense(l.In, l.Out, s.M[at:at+n]), renew, root)
		for j := range n {
			params[at+j] -= float32(step * move[j])
		}
		at += n
	}
}

// move returns the layer's step for a rate of 1, but for what the mean's start at 0 takes from it; root makes up for V's.
func (l *SoapLayer) move(grad, mean *mat.Dense, renew bool, root float64) []float64 {
	var outer mat.Dense
	outer.Mul(grad, grad.T())
	blend(l.Rows, &outer)
	outer.Reset()
	outer.Mul(grad.T(), grad)
	blend(l.Columns, &outer)
	if renew {
		eigenvectors(l.U, l.Rows, l.In)
		eigenvectors(l.W, l.Columns, l.Out)
	}
	u, w := mat.NewDense(l.In, l.In, l.U), mat.NewDense(l.Out, l.Out, l.W)
	var half, turned, move mat.Dense
	half.Mul(u.T(), grad)
	turned.Mul(&half, w)
	half.Mul(u.T(), mean)
	move.Mul(&half, w)
	to, g := move.RawMatrix().Data, turned.RawMatrix().Data
	for i, v := range g {
		l.V[i] = soapBeta2*l.V[i] + (1-soapBeta2)*v*v
		to[i] /= math.Sqrt(l.V[i])*root + epsilon
	}
	half.Mul(u, &move)
	move.Mul(&half, w.T())
	return move.RawMatrix().Data
}

// blend takes now into a running mean.
func blend(mean []float64, now *mat.Dense) {
	for i, v := range now.RawMatrix().Data {
		mean[i] = soapBasis*mean[i] + (1-soapBasis)*v
	}
}

// eigenvectors puts those of a symmetric matrix, [n, n], into dst, one a column. Where none are found dst stays.
func eigenvectors(dst, symmetric []float64, n int) {
	var e mat.EigenSym
	if e.Factorize(mat.NewSymDense(n, symmetric), true) {
		e.VectorsTo(mat.NewDense(n, n, dst))
	}
}
