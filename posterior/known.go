package posterior

import (
	"math"

	"mapo"
)

// LeastShare is the least probability that is reckoned with for an answer: one that no one gave is unlikely, not impossible.
const LeastShare = .02

// Instances is how many known instances of p there are to tell apart: one alone is none.
func Instances(p *mapo.Problem) int {
	if n := len(p.Known) / p.Queries(); n > 1 {
		return n
	}
	return 0
}

// Answer is what an answer with mean theta is expected to be: the log-likelihood of ±1 is even ± tilt.
func Answer(theta float64) (even, tilt float64) {
	q := Share(theta)
	return math.Log(q*(1-q)) / 2, math.Log(q/(1-q)) / 2
}

// Share is the probability of a yes where answers have mean theta, LeastShare from 0 and 1.
func Share(theta float64) float64 {
	return min(max((1+theta)/2, LeastShare), 1-LeastShare)
}
