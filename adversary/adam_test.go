package adversary_test

import (
	"math"
	"testing"

	"mapo/adversary"
)

// Adam ascends by the recurrences of Kingma and Ba (2015): both means are corrected for their start at 0, by the steps
// that this memory has had.
func TestAdamAscends(t *testing.T) {
	const rate = .01
	a := adversary.NewAdam(1)
	x, want := []float64{1}, 1.
	var m, v float64
	for i, g := range []float64{.5, -2, 1e-3, 40, 0, 3} {
		a.Ascend(x, []float64{g}, rate)
		m, v = .9*m+.1*g, .999*v+.001*g*g
		n := float64(i + 1)
		want += rate * (m / (1 - math.Pow(.9, n))) / (math.Sqrt(v/(1-math.Pow(.999, n))) + 1e-8)
		if math.Abs(x[0]-want) > 1e-12 || a.T != i+1 {
			t.Errorf("after %d steps, counted as %d: %v, want %v", i+1, a.T, x[0], want)
		}
	}
}

// A first step is as long as the rate, uphill, whatever the gradient's size.
func TestAdamFirstStep(t *testing.T) {
	x := []float64{0, 0, 0}
	adversary.NewAdam(3).Ascend(x, []float64{1e-3, -50, 0}, .02)
	for i, want := range []float64{.02, -.02, 0} {
		if math.Abs(x[i]-want) > 1e-6 {
			t.Errorf("entry %d moves by %v, want %v", i, x[i], want)
		}
	}
}
