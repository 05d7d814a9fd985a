package adversary

import "math"

// Adam's memory for what the adversary moves, in float64: ascent on θ̃ and w
// (App. D: β .9 and .999).
type Adam struct {
	M, V []float64
	T    int
}

// NewAdam returns an optimiser for n parameters.
func NewAdam(n int) *Adam { return &Adam{M: make([]float64, n), V: make([]float64, n)} }

// Fits reports whether a is an optimiser for n parameters.
func (a *Adam) Fits(n int) bool { return len(a.M) == n && len(a.V) == n }

// Ascend moves x by one dense step along grad.
func (a *Adam) Ascend(x, grad []float64, rate float64) {
	a.T++
	fix1, fix2 := 1-math.Pow(.9, float64(a.T)), 1-math.Pow(.999, float64(a.T))
	step := rate / fix1
	for i, g := range grad {
		a.M[i] = .9*a.M[i] + .1*g
		a.V[i] = .999*a.V[i] + .001*g*g
		x[i] += step * a.M[i] / (math.Sqrt(a.V[i]/fix2) + 1e-8)
	}
}
