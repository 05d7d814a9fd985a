package rival

import "math"

// The posterior of an arm with Gaussian answers is a normal distribution cut off at ±1. It is smooth, so that top-two needs few
// values of a mean, evenly from −1 to 1 with both ends.

const (
	perScale  = 4        // values in the length over which the sharpest posterior changes by a factor of about e
	leastBell = 24       // intervals at the least: before arms are pulled, their distribution functions multiply to a polynomial
	mostBell  = grid - 1 // intervals above which the sum over 256 values costs less
)

// ends are the weights of the first five values, and of the last five in reverse: Gregory's, exact for polynomials of degree 5.
var ends = [...]float64{475. / 1440, 1902. / 1440, 1104. / 1440, 1586. / 1440, 1413. / 1440}

// gregory fills the weights of values at the ends of equal intervals.
func gregory(weights []float64) {
	for g := range weights {
		weights[g] = 1
	}
	for g, w := range ends {
		weights[g], weights[len(weights)-1-g] = w, w
	}
}

// bellIntervals returns how many intervals the arms of a state need, or 0 for more than are worth it. A posterior changes over its
// standard deviation, or faster at an end beyond which its mean lies.
func bellIntervals(n, sum []float32, variance float64) int {
	sharpest := 0.
	for i, pulls := range n {
		precision := float64(pulls) / variance
		edge := math.Abs(float64(sum[i]))/variance - precision
		sharpest = max(sharpest, math.Sqrt(precision), edge)
	}
	if need := 2 * perScale * sharpest; need <= mostBell {
		return max(leastBell, int(math.Ceil(need)))
	}
	return 0
}

// fillBell fills the first values of a, an interval apart, from an arm's pulls and their sum. [topTwo.likelihoods] has the formula
// of the density f. With u = (x − mean)/s and intervals of h, f = exp(−u²/2). The ratio of neighbours changes by a constant factor
// from the top outwards. The distribution function F is f summed by trapezoids, with the Euler–Maclaurin terms of its first and
// third derivatives:
//
//	F_g = h·(½f_0 + f_1 + … + ½f_g) + q_g − q_0, q = h·f·(e·u/12 + e³·(3u − u³)/720), e = h/s
//
// The next term is of order e⁶/30240.
func fillBell(a *armPosterior, intervals int, pulls, sum, variance float64) {
	density, below := a.density[:intervals+1], a.below[:intervals+1]
	h, s, mean := 2/float64(intervals), math.Inf(1), 0.
	if pulls > 0 {
		s, mean = math.Sqrt(variance/pulls), sum/pulls
	}
	e, first := h/s, (-1-mean)/s
	top := max(0, min(intervals, int(math.Round((1+mean)/h))))
	change := math.Exp(-e * e)
	for way := -1; way <= 1; way += 2 {
		v, ratio := 1., math.Exp(-e*(float64(way)*(first+float64(top)*e)+e/2))
		for g := top; g >= 0 && g <= intervals; g += way {
			density[g] = v
			v, ratio = v*ratio, ratio*change
		}
	}
	linear, cubic := e/12+e*e*e/240, e*e*e/720
	q := func(u float64) float64 { return u * (linear - cubic*u*u) }
	lower := -density[0] * (1./2 + q(first))
	for g, f := range density {
		below[g] = max(0, lower+f*(1./2+q(first+float64(g)*e)))
		lower += f
	}
	scale := 1 / below[intervals]
	for g := range density {
		density[g] *= scale
		below[g] *= scale
	}
}
