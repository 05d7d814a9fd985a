package rival

import (
	"math"
	"sync"

	"mapo/game"
)

// gaussianTopTwo returns [TopTwo] for Gaussian answers. With flat priors the posterior of an arm's mean is the normal
// distribution around its average answer, with standard deviation s_i = σ/√N_i. The bound of the means is not used: an arm whose
// average is beyond it counts as what was seen. An arm without pulls has no such posterior and is pulled first. Sums are over
// values that are a half of the least s_i apart, mostly 40 to 120, and cost as many products and table look-ups an arm.
func gaussianTopTwo(p *game.Problem) game.Policy {
	sigma, arms := noise(p), p.Queries()
	scratch := sync.Pool{New: func() any { return newTopTwoScratch(arms, grid) }}
	return newPulls(p, "top-two", func(state *pullsScratch) {
		for i, n := range state.n {
			state.value[i] = sigma / math.Sqrt(n)
		}
		lo, step, values := bellValues(state.mean, state.value)
		sc := scratch.Get().(*topTwoScratch)
		if len(sc.before) < values {
			sc = newTopTwoScratch(arms, values)
		}
		for i, a := range sc.own {
			fillBell(a.density[:values], a.below[:values], lo-state.mean[i], step, state.value[i])
		}
		sc.summed(sc.own, values)
		sc.topTwo()
		copy(state.weight, sc.weight)
		scratch.Put(sc)
	})
}

const (
	perDeviation = 2  // values in the least standard deviation
	bellReach    = 6  // standard deviations beyond which a normal distribution counts as over
	bellEnd      = 37 // standard deviations below which its distribution function is 0 in float64
)

// bellValues returns the least value, the distance of values and how many there are, for normal distributions of these means and
// standard deviations s. Above the range no arm's mean is, and below it each is below the best arm's. An arm that is far behind
// may be best only where the leaders are far below their means, so that the range begins at the least mean.
func bellValues(means, s []float64) (lo, step float64, values int) {
	least, lowest, top, near, end := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1), math.Inf(-1)
	for i, mean := range means {
		least, lowest = min(least, s[i]), min(lowest, mean)
		top = max(top, mean+bellReach*s[i])
		near, end = max(near, mean-bellReach*s[i]), max(end, mean-bellEnd*s[i])
	}
	lo, step = max(end, min(lowest, near)), least/perDeviation
	return lo, step, int(math.Ceil((top-lo)/step)) + 1
}

// fillBell fills the density times step of a normal distribution of mean 0 and standard deviation s, and its distribution
// function, at values from lo that are a step apart. The ratio of neighbours changes by a constant factor from the top outwards:
// two products a value. The distribution function is the density times [mills].
func fillBell(density, below []float64, lo, step, s float64) {
	e, first := step/s, lo/s
	top := max(0, min(len(density)-1, int(math.Round(-first/e))))
	change, most := math.Exp(-e*e), first+float64(top)*e
	for way := -1.; way <= 1; way += 2 {
		v, ratio := math.Exp(-most*most/2)/math.Sqrt(2*math.Pi), math.Exp(-e*(way*most+e/2))
		for g := top; g >= 0 && g < len(density); g += int(way) {
			density[g] = v
			v, ratio = v*ratio, ratio*change
		}
	}
	for g, f := range density {
		u := first + float64(g)*e
		if u < 0 {
			below[g] = f * mills(-u)
		} else {
			below[g] = 1 - f*mills(u)
		}
		density[g] = f * e
	}
}

// millsPer is how many values of Mills' ratio a unit has.
const millsPer = 16

// millsRatio is Mills' ratio R and its derivative, u·R − 1, at multiples of 1/16.
var millsRatio = func() (table [(bellEnd+1)*millsPer + 2][2]float64) {
	for k := range table {
		u := float64(k) / millsPer
		r := math.Sqrt(math.Pi/2) * math.Exp(u*u/2) * math.Erfc(u/math.Sqrt2)
		if u > 8 { // the continued fraction 1/(u + 1/(u + 2/(u + …)))
			r = u
			for i := 40.; i > 0; i-- {
				r = u + i/r
			}
			r = 1 / r
		}
		table[k] = [2]float64{r, u*r - 1}
	}
	return table
}()

// mills returns Mills' ratio at u ≥ 0, the probability of a normal variable above u divided by the density there. It is a cubic
// between the values of the table, off by less than two parts in 10⁷, and beyond the table its end.
func mills(u float64) float64 {
	u *= millsPer
	k := min(int(u), len(millsRatio)-2)
	t := min(u-float64(k), 1)
	a, b := &millsRatio[k], &millsRatio[k+1]
	rise := b[0] - a[0]
	from, to := a[1]/millsPer-rise, rise-b[1]/millsPer
	return a[0] + t*(rise+(1-t)*(from*(1-t)+to*t))
}
