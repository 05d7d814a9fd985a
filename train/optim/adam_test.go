package optim

import (
	"math"
	"testing"

	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
)

// TestAdam compares three steps with the recurrences written out for a scalar.
func TestAdam(t *testing.T) {
	const rate = .01
	grads := []float64{.5, -2, 1e-3}
	psi := []float32{1, -1}
	a := NewAdam(2)
	var m, v float64
	want := 1.
	for i, g := range grads {
		a.Step(psi, []float32{float32(g), 0}, rate)
		m = .9*m + .1*g
		v = .999*v + .001*g*g
		mhat := m / (1 - math.Pow(.9, float64(i+1)))
		vhat := v / (1 - math.Pow(.999, float64(i+1)))
		want -= rate * mhat / (math.Sqrt(vhat) + 1e-8)
		if math.Abs(float64(psi[0])-want) > 1e-6 {
			t.Errorf("after step %d: %v, want %v", i+1, psi[0], want)
		}
		if psi[1] != -1 {
			t.Errorf("a gradient of 0 moved a parameter to %v", psi[1])
		}
	}
	if a.T != 3 {
		t.Errorf("T is %d after 3 steps", a.T)
	}
}

// TestAllocatesNothing: a step of Adam allocates nothing.
func TestAllocatesNothing(t *testing.T) {
	net := nn.NewMLP(check.Thresholds(9, 9), []int{33, 16}, rng.New(2))
	adam, grad := NewAdam(len(net.Params())), make([]float32, len(net.Params()))
	if n := testing.AllocsPerRun(20, func() { adam.Step(net.Params(), grad, 1e-3) }); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

// TestNew: every optimiser fits the network that it was made for and no other, and moves it downhill.
func TestNew(t *testing.T) {
	net, other := nn.NewMLP(check.Thresholds(5, 4), []int{7}, rng.New(1)), nn.NewMLP(check.Thresholds(5, 4), []int{8}, rng.New(1))
	for _, name := range Names() {
		o := New(name, net)
		if !o.Fits(net) || o.Fits(other) {
			t.Errorf("%s fits the network it was made for: %t, another: %t", name, o.Fits(net), o.Fits(other))
		}
		params, grad := make([]float32, len(net.Params())), make([]float32, len(net.Params()))
		grad[3] = 1
		if o.Step(params, grad, .01); !(params[3] < 0) {
			t.Errorf("%s moves a parameter to %v along a gradient of 1", name, params[3])
		}
	}
}

func BenchmarkAdam(b *testing.B) {
	const n = 220_000
	a, psi, grad := NewAdam(n), make([]float32, n), make([]float32, n)
	for i := range grad {
		grad[i] = float32(i%7 - 3)
	}
	for b.Loop() {
		a.Step(psi, grad, 1e-4)
	}
}
