package optim

import (
	"fmt"
	"math"

	"mapo/policy/nn"
)

// Adam's constants, those of Kingma and Ba (2015), which the paper uses.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// Adam is the optimiser's memory. Its fields are exported so that a checkpoint can hold them.
type Adam struct {
	M []float32 // running mean of the gradient
	V []float32 // running mean of its square
	T int       // steps taken
}

// NewAdam returns Adam for n parameters.
func NewAdam(n int) *Adam { return &Adam{M: make([]float32, n), V: make([]float32, n)} }

// Fits reports whether a is for net's parameters.
func (a *Adam) Fits(net nn.Net) bool {
	n := len(net.Params())
	return len(a.M) == n && len(a.V) == n
}

// Step moves params against grad, all as long as M:
//
//	m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²,  ψ ← ψ − rate·m̂/(√v̂ + ε),  m̂ = m/(1−β₁ᵀ), v̂ = v/(1−β₂ᵀ)
//
// To ascend, give the negated gradient. Not safe for concurrent use.
func (a *Adam) Step(params, grad []float32, rate float64) {
	n := len(a.M)
	if len(params) != n || len(grad) != n || len(a.V) != n {
		panic(fmt.Sprintf("optim: Adam moves %d parameters, got %d and a gradient of %d", n, len(params), len(grad)))
	}
	a.T++
	step := float32(rate / (1 - math.Pow(beta1, float64(a.T))))
	root := float32(1 / math.Sqrt(1-math.Pow(beta2, float64(a.T))))
	ms, vs := a.M, a.V[:n]
	params, grad = params[:n], grad[:n]
	for i := range ms {
		g := grad[i]
		m := float32(beta1*ms[i]) + float32((1-beta1)*g)
		v := float32(beta2*vs[i]) + float32((1-beta2)*float32(g*g))
		ms[i], vs[i] = m, v
		params[i] -= float32(step * m / (float32(math.Sqrt(float64(v)))*root + epsilon))
	}
}
