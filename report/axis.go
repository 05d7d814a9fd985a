package report

import (
	"math"
	"strconv"
)

// An axis maps values to [0, 1] and says where its ticks are.
type axis struct {
	label  string
	lo, hi float64
	log    bool
	ticks  []tick
}

// tick is a mark on an axis; without text it is a minor one and carries no grid line.
type tick struct {
	at   float64
	text string
}

// at returns where v lies on the axis: 0 at lo and 1 at hi.
func (a axis) at(v float64) float64 {
	if a.log {
		return (math.Log(v) - math.Log(a.lo)) / (math.Log(a.hi) - math.Log(a.lo))
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// leastSpan is how far apart the ends of an axis are at least, relative to them: steps so much smaller than their multiples
// would be lost in rounding.
const leastSpan = 1e-9

// linear returns an axis that covers lo to hi with about n round ticks. Its ends are ticks, so that
// the grid closes.
func linear(label string, lo, hi float64, n int) axis {
	size := math.Max(math.Abs(lo), math.Abs(hi))
	if !(hi-lo > size*leastSpan) { // equal, but for rounding
		hi = lo + math.Max(1, size*1e3*leastSpan)
	}
	// Ends are computed as whole steps, so that 3·0.1 prints and places as 0.3 would.
	step := roundStep((hi - lo) / float64(n))
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	a := axis{label: label, lo: first * step, hi: last * step}
	for k := first; k <= last; k++ {
		a.ticks = append(a.ticks, tick{k * step, decimal(k*step, step)})
	}
	return a
}

// roundStep returns the least of 1, 2, 5 × 10^k that is not below step.
func roundStep(step float64) float64 {
	base := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*base >= step*(1-1e-9) {
			return m * base
		}
	}
	return 10 * base
}

// decimal prints v with the digits that tell it from its neighbours one step away.
func decimal(v, step float64) string {
	digits := int(math.Max(0, math.Ceil(-math.Log10(step)-1e-9)))
	s := strconv.FormatFloat(v, 'f', digits, 64)
	// No "-0.00".
	if f, _ := strconv.ParseFloat(s, 64); f == 0 {
		return "0"
	}
	return s
}

// difficultyAxis returns the log₂ axis of r: numbers at the powers of two, or at the levels themselves where
// fewer than two powers fall inside, and small marks at every level.
func difficultyAxis(levels []float64) axis {
	lo, hi := levels[0], levels[0]
	for _, r := range levels {
		lo, hi = math.Min(lo, r), math.Max(hi, r)
	}
	pad := math.Pow(2, .12) // keeps the first and last markers off the border
	if lo == hi {
		pad = math.Sqrt2
	}
	a := axis{label: "difficulty r (log scale)", lo: lo / pad, hi: hi * pad, log: true}
	for k := math.Ceil(math.Log2(a.lo)); k <= math.Log2(a.hi); k++ {
		a.ticks = append(a.ticks, tick{math.Exp2(k), level(math.Exp2(k))})
	}
	named := len(a.ticks) > 1 && lo < hi
	if !named {
		a.ticks = nil // a lone power of two, beside levels without numbers, would only mislead
	}
	for _, r := range levels {
		switch power := math.Abs(math.Log2(r)-math.Round(math.Log2(r))) < 1e-9; {
		case !named:
			a.ticks = append(a.ticks, tick{r, level(r)})
		case !power: // the powers have their numbers already
			a.ticks = append(a.ticks, tick{at: r})
		}
	}
	return a
}

// decades returns a log₁₀ axis around positive values, for gradient norms, with at most five
// numbers.
func decades(label string, lo, hi float64) axis {
	if !(lo > 0) || !(hi > 0) { // nothing positive to show: any axis will do
		lo, hi = .1, 1
	}
	from, to := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	if from == to {
		to++
	}
	a := axis{label: label, lo: math.Pow(10, from), hi: math.Pow(10, to), log: true}
	every := math.Ceil((to - from) / 4)
	for k := from; k <= to; k += every {
		a.ticks = append(a.ticks, tick{math.Pow(10, k), power(int(k))})
	}
	return a
}

// power prints 10^k, plainly while that is short.
func power(k int) string {
	if k >= -2 && k <= 3 {
		return strconv.FormatFloat(math.Pow(10, float64(k)), 'f', -1, 64)
	}
	return "1e" + strconv.Itoa(k)
}

// level prints r as people write it: 8, 11.31, 128.
func level(r float64) string { return strconv.FormatFloat(r, 'g', 4, 64) }

// loss prints a loss or a difference of two, with three decimals while it is small: half-widths are about
// a hundredth, so a fourth would be noise.
func loss(v float64) string {
	switch {
	case !finite(v):
		return "–"
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case math.Abs(v) >= 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v+0, 'f', 3, 64)
}

// interval prints [lo, hi].
func interval(lo, hi float64) string {
	if !finite(lo) || !finite(hi) {
		return "–"
	}
	return "[" + loss(lo) + ", " + loss(hi) + "]"
}
