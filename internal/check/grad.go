package check

import (
	"math"
	"testing"
)

// Points is at how many random points [Grad] compares.
const Points = 8

const (
	step   = 1e-5 // of the central difference, relative to 1 + |x_i|
	agree  = 1e-6 // of derivative and difference, relative to 1 + the largest entry
	redraw = 100  // points in a row that may lie near a kink
)

// Grad compares grad, which writes ∇f(x) to dst, with central differences of f
// at random points: draw fills x, whose length is dim. A point is drawn again
// where f itself has a kink or a jump within reach, that is where differences of
// two widths disagree: grad does not count in it, so a wrong grad is never excused.
func Grad(t testing.TB, dim int, draw func(x []float64), f func(x []float64) float64, grad func(dst, x []float64)) {
	t.Helper()
	x, want, got := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	for range Points {
		smooth := false
		for try := 0; try < redraw && !smooth; try++ {
			draw(x)
			smooth = differences(want, x, f)
		}
		if !smooth {
			t.Fatalf("%d points in a row lie near kinks of the function", redraw)
		}
		clear(got)
		grad(got, x)
		scale := 1.0
		for _, v := range want {
			scale = max(scale, 1+math.Abs(v))
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= agree*scale) {
				t.Errorf("derivative %d is %v, the central difference %v, at %v", i, got[i], want[i], x)
				return
			}
		}
	}
}

// differences writes central differences of f at x to dst and reports whether f
// is smooth there: the two one-sided differences and a four times narrower
// central one agree as they would with bounded second and third derivatives.
func differences(dst, x []float64, f func([]float64) float64) bool {
	mid := f(x)
	for i, v := range x {
		h := step * (1 + math.Abs(v))
		at := func(dx float64) float64 {
			x[i] = v + dx
			y := f(x)
			x[i] = v
			return y
		}
		up, down := at(h), at(-h)
		dst[i] = (up - down) / (2 * h)
		narrow := (at(h/4) - at(-h/4)) / (h / 2)
		size := 1 + math.Abs(dst[i])
		if !(math.Abs(narrow-dst[i]) <= agree/4*size) || !(math.Abs(up+down-2*mid)/h <= 0.01*size) {
			return false
		}
	}
	return true
}
