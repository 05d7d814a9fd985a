package check

import (
	"math"
	"testing"
)

// Alarm is how often [Mean] fails although nothing is wrong, and how seldom it
// lets a deviation of gap pass: at most once in 10⁹ tests.
const Alarm = 1e-9

// Draws returns how many draws from [lo, hi] tell a mean from one that is gap away,
// both errors at most [Alarm]. By Hoeffding's inequality with the line drawn at
// gap/2, n = 2 (hi−lo)² ln(2/Alarm) / gap², which is 43 for gap = hi−lo and
// 430,000 for a hundredth of it.
func Draws(lo, hi, gap float64) int {
	if !(lo < hi && gap > 0) {
		panic("check: Draws wants lo < hi and gap > 0")
	}
	r := (hi - lo) / gap
	return int(math.Ceil(2 * r * r * math.Log(2/Alarm)))
}

// Mean tests that independent draws from [lo, hi] have the mean want. draw fills
// its argument with fresh draws; it is called until there are [Draws] of them.
// A correct draw fails at most once in 10⁹ tests, one whose mean is gap or more
// away from want passes at most once in 10⁹. A draw outside [lo, hi] fails.
func Mean(t testing.TB, want, lo, hi, gap float64, draw func(dst []float64)) {
	t.Helper()
	const edge = 1e-9 // rounding of a draw at lo or hi
	n := Draws(lo, hi, gap)
	buf := make([]float64, min(n, 4096))
	var sum float64
	for left := n; left > 0; left -= len(buf) {
		buf = buf[:min(left, len(buf))]
		draw(buf)
		for _, x := range buf {
			if !(x >= lo-edge*(hi-lo) && x <= hi+edge*(hi-lo)) {
				t.Errorf("a draw is %v, outside [%v, %v]", x, lo, hi)
				return
			}
			sum += x
		}
	}
	if mean := sum / float64(n); math.Abs(mean-want) > gap/2 {
		t.Errorf("the mean of %d draws is %v, want %v ± %v", n, mean, want, gap/2)
	}
}
