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

// gaussian reports whether answers are any numbers.
func (a Answers) gaussian() bool { return a.Sigma > 0 }

// noise returns σ.
func (a Answers) noise() float64 { return a.Sigma / a.Bound }

// Quantile returns the answer that u in [0, 1) picks from the distribution of mean theta: the inverse of its distribution function
// from above, so that a small u is a large answer.
func (a Answers) Quantile(theta, u float64) float64 {
	return theta + a.noise()*math.Sqrt2*math.Erfinv(1-2*max(u, leastU))
}

// Draw draws by [Answers.Quantile].
func (a Answers) Draw(dst []float32, theta []float64, _ bool, u float64) {
	dst[0] = float32(a.Quantile(theta[0], u))
}

// strata are the equal parts of [0, 1) that an answer may have been drawn from.
const strata = 2

// farthest is how many standard deviations away an answer is looked for that brings a hypothesis to the top.
const farthest = 4

// Reach returns what an answer farthest from its mean moves two scores apart. A hypothesis that an answer brings to the top from
// farther away is missing from an expectation.
func (a Answers) Reach() float64 { return 2 + farthest*a.noise() }

// Chance returns the answers of all strata, which are as likely given how far within its own the number lies.
func (a Answers) Chance() Chance { return &chance{answers: a, last: -1} }

// chance is what answers that are drawn from one number have beyond their means, in each of the strata.
type chance struct {
	answers Answers
	last    float64 // the number that beyond is of
	beyond  [strata]float32
}

func (c *chance) Of(theta, quantile float64, _ bool) (y [strata]float32, share [strata]float64, own int) {
	own = int(quantile * strata)
	if quantile != c.last {
		within := quantile*strata - float64(own)
		for j := range c.beyond {
			c.beyond[j] = float32(c.answers.Quantile(0, (float64(j)+within)/strata))
		}
		c.last = quantile
	}
	for j, beyond := range c.beyond {
		y[j], share[j] = float32(theta)+beyond, 1./strata
	}
	return y, share, own
}

// leastU is what u = 0 counts as, half of the least there is besides: no answer is infinite.
const leastU = 0x1p-54

// Variance returns σ².
func (a Answers) Variance(float64) float64 { return a.noise() * a.noise() }

// LogLikelihood returns that of the normal distribution, up to a constant of the answers.
func (a Answers) LogLikelihood(theta, times, sum float64) float64 {
	return theta * (sum - times*theta/2) / (a.noise() * a.noise())
}

// AddScore adds what [addScore] does.
func (a Answers) AddScore(dst, theta []float64, n, s []float32, _ Questions, weight float64) {
	addScore(a, dst, theta, n, s, weight)
}

// Check refuses what is not above 0, and games that read no numbers.
func (a Answers) Check(p *Problem) error {
	if !(a.Sigma > 0 && a.Bound > 0) || p.rows() != nil || p.AskOnce {
		return fmt.Errorf("answers have standard deviation %v and bound %v; both must be above 0, for hypotheses of 0 and 1 and queries that repeat", a.Sigma, a.Bound)
	}
	return nil
}

// numbers returns the Gaussian answers of p; the zero value where it has others.
func (p *Problem) numbers() Answers {
	a, _ := p.Reply.(Answers)
	return a
}

// Names returns nothing.
func (Answers) Names() []string { return nil }

// Decisions: only means are told of numbers.
func (Answers) Decisions() []string { return []string{"least-squares"} }

// Noun returns "numbers".
func (Answers) Noun() string { return "numbers" }

// Counts says by what numbers are divided.
func (a Answers) Counts() string {
	return fmt.Sprintf("a number divided by %g, the bound of means", a.Bound)
}

// Unit returns the bound on means, 1 where answers are ±1.
func (a Answers) Unit() float64 {
	if a.gaussian() {
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
