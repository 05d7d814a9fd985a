package game

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Answers says what answers to a query are like. The zero value is ±1 with mean θ_i. Others are Gaussian. A user's answer y of
// mean μ_i, |μ_i| ≤ Bound, counts as y/Bound, so that its mean is θ_i in [−1, 1] and its standard deviation σ = Sigma/Bound.
type Answers struct {
	Sigma float64 // the standard deviation of answers in the user's units; 0: they are ±1
	Bound float64 // how large a mean may be in the user's units
}

// Gaussian reports whether answers are any numbers.
func (a Answers) Gaussian() bool { return a.Sigma > 0 }

// noise returns σ.
func (a Answers) noise() float64 { return a.Sigma / a.Bound }

// Draw returns the answer that u in [0, 1) picks from the distribution of mean theta: the inverse of its distribution function
// from above, so that a small u is a large answer.
func (a Answers) Draw(theta, u float64) float64 {
	switch {
	case a.Gaussian():
		return theta + a.noise()*math.Sqrt2*math.Erfinv(1-2*max(u, leastU))
	case u < (1+theta)/2:
		return 1
	}
	return -1
}

// leastU is what u = 0 counts as, half of the least there is besides: no answer is infinite.
const leastU = 0x1p-54

// Variance returns that of an answer of mean theta, 1 − θ² or σ².
func (a Answers) Variance(theta float64) float64 {
	if a.Gaussian() {
		return a.noise() * a.noise()
	}
	return 1 - theta*theta
}

// LogLikelihood returns log P of so many answers that sum to sum where their mean is theta, up to a constant of the answers.
func (a Answers) LogLikelihood(theta, times, sum float64) float64 {
	if a.Gaussian() {
		return theta * (sum - times*theta/2) / (a.noise() * a.noise())
	}
	return log((times+sum)/2, (1+theta)/2) + log((times-sum)/2, (1-theta)/2)
}

// log returns n·log p, 0 for n = 0.
func log(n, p float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(p)
}

// AddScore adds weight · ∂ log P/∂θ to dst, [|X|], after so many answers n that sum to s, [|X|]:
//
//	(S_i − N_i θ_i) / Var(θ_i)
//
// At |θ_i| = 1 of ±1 it is biased (reading 2): an impossible answer adds 0 there.
func (a Answers) AddScore(dst, theta []float64, n, s []float32, weight float64) {
	for i, v := range theta {
		asked := n[i]
		if asked == 0 {
			continue
		}
		if variance := a.Variance(v); variance > 0 {
			dst[i] += weight * (float64(s[i]) - float64(asked)*v) / variance
		} else {
			dst[i] += weight * float64(s[i]) / 2
		}
	}
}

// Names returns nothing.
func (Answers) Names() []string { return nil }

// Noun returns "numbers".
func (Answers) Noun() string { return "numbers" }

// Unit returns the bound on means, 1 where answers are ±1.
func (a Answers) Unit() float64 {
	if a.Gaussian() {
		return a.Bound
	}
	return 1
}

// Bounds of a number: of its size, and of its size in bounds on the mean, so that sums of answers stay finite.
const (
	MostNumber = 1e9
	mostBounds = 1e18
)

// Largest returns the largest size of a number that answers may have, 1e9 unless the bound on means is below 1e-9.
func (a Answers) Largest() float64 { return min(MostNumber, mostBounds*a.Bound) }

// Fit refuses numbers above [Answers.Largest].
func (a Answers) Fit(y float64, _ bool) error {
	if largest := a.Largest(); !(math.Abs(y) <= largest) {
		return fmt.Errorf("is %g; it must be a number from %g to %g, or don't know", y, -largest, largest)
	}
	return nil
}

// Say writes y with all its digits.
func (Answers) Say(y float64) string { return strconv.FormatFloat(y, 'g', -1, 64) }

// Read takes numbers.
func (a Answers) Read(text string, _ func(string) string) (float64, bool) {
	y, err := strconv.ParseFloat(strings.ToLower(text), 64)
	return y, err == nil && a.Fit(y, false) == nil
}

// Are says from where to where numbers are.
func (a Answers) Are(func(string) string, int) string {
	return fmt.Sprintf("a number from %g to %g, or don't know", -a.Largest(), a.Largest())
}
