package sim

import (
	"math"

	"mapo/game"
)

// strata are the equal parts of [0, 1) that a Gaussian answer may have been drawn from.
const strata = 2

// farthest is how many standard deviations away an answer is looked for that brings a hypothesis to the top.
const farthest = 4

// gaussian is the outlook where hypotheses are 0 and 1 and answers are Gaussian.
type gaussian struct {
	table
	answers noise
	reach   float32 // how far apart an answer may move two scores, about
}

func newGaussian(bits table, answers game.Answers) *gaussian {
	return &gaussian{table: bits, answers: newNoise(answers), reach: float32(2 + farthest*math.Sqrt(answers.Variance(0)))}
}

// noise is what Gaussian answers that are drawn from one number have beyond their means, in each of the strata.
type noise struct {
	game.Answers
	last float64 // the quantile that of is of
	of   [strata]float32
}

func newNoise(answers game.Answers) noise { return noise{Answers: answers, last: -1} }

// met returns the mean of f over the answers of all strata, which are as likely given how far within its own a.quantile
// lies, and what came of the answer drawn. after computes what an answer y leads to.
func (n *noise) met(theta float64, a answer, after func(y float32) foretold) (mean float64, came foretold) {
	own := int(a.quantile * strata)
	if a.quantile != n.last {
		within := a.quantile*strata - float64(own)
		for j := range n.of {
			n.of[j] = float32(n.Draw(0, (float64(j)+within)/strata))
		}
		n.last = a.quantile
	}
	for j, beyond := range n.of {
		v := after(float32(theta) + beyond)
		mean += v.f / strata
		if j == own {
			came = v
		}
	}
	return mean, came
}

// rank takes those within reach. A hypothesis that an answer brings to the top from farther away is missing from f, and
// so from its expectation, too.
func (t *gaussian) rank(_ int, score []float32, second float32) { t.within(score, second-t.reach) }

func (t *gaussian) fork(i int, count, sum float32, score []float32) fork {
	f := t.table.fork(i, count, sum, score)
	f.count, f.mean = count, sum/max(1, count)
	return f
}

func (t *gaussian) met(f *fork, theta float64, a answer, w *view) (mean float64, came foretold) {
	return t.answers.met(theta, a, func(y float32) foretold {
		return w.foretold(t.moved(f, (y-f.mean)/(f.count+1), w.k, w.cost, w.score))
	})
}
