package posterior

import (
	"math"

	"mapo/game"
	"mapo/internal/num"
)

// LeastShare is the least probability that is reckoned with for an answer: one that no one gave is unlikely, not impossible.
const LeastShare = (1 - num.MostMean) / 2 // 0.02

// Known is a problem's known instances as Bayes' rule reads them: in instance j the log-likelihood of an answer ±1 to
// query i is Even ± Tilt. Read-only once made.
type Known struct {
	N          int       // instances
	Even, Tilt []float32 // [|X|, N]
}

// Instances returns how many known instances of p there are to tell apart: one alone is none.
func Instances(p *game.Problem) int {
	if n := len(p.Known) / p.Queries(); n > 1 {
		return n
	}
	return 0
}

// NewKnown returns the known instances of p; nil where it has no [Instances].
func NewKnown(p *game.Problem) *Known {
	d, n := p.Queries(), Instances(p)
	if n == 0 {
		return nil
	}
	k := &Known{N: n, Even: make([]float32, d*n), Tilt: make([]float32, d*n)}
	for at, theta := range p.Known {
		q := Share(float64(theta))
		turned := at%d*n + at/d
		k.Even[turned], k.Tilt[turned] = float32(math.Log(q*(1-q))/2), float32(math.Log(q/(1-q))/2)
	}
	return k
}

// Share returns the probability of a yes where answers have mean theta, [LeastShare] from 0 and 1.
func Share(theta float64) float64 {
	return min(max((1+theta)/2, LeastShare), 1-LeastShare)
}
