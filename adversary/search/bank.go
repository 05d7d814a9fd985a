package search

import (
	"math"
	"slices"

	"mapo/record"
)

// Bank holds the worst instances found so far, shared by the policies of a run:
// what is hard for one policy is a good start against another. Its order is
// that of Add, so equal calls make equal banks; it may be serialised as it is.
// It is not safe for Add beside any other use. The nil Bank is empty.
type Bank struct {
	Thetas [][]float64 // [n][|X|]
}

// sameInstance is how near, in every coordinate, two instances count as one.
const sameInstance = 1e-4

// Add copies in the instances of a search's result, but for those it already has.
func (b *Bank) Add(worst ...record.Worst) {
	for _, w := range worst {
		b.Put(w.Theta)
	}
}

// Put copies in one instance, but where the bank already has it.
func (b *Bank) Put(theta []float64) {
	if b.Has(theta) {
		return
	}
	b.Thetas = append(b.Thetas, slices.Clone(theta))
}

// Instances returns those in the bank, in the order they came, aliased.
func (b *Bank) Instances() [][]float64 {
	if b == nil {
		return nil
	}
	return b.Thetas
}

// apart returns max_i |a_i − b_i|.
func apart(a, b []float64) float64 {
	var far float64
	for i, v := range a {
		far = max(far, math.Abs(v-b[i]))
	}
	return far
}

// Has reports whether the bank has this instance.
func (b *Bank) Has(theta []float64) bool {
	return slices.ContainsFunc(b.Instances(), func(t []float64) bool { return apart(t, theta) < sameInstance })
}
