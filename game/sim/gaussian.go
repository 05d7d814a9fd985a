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
	answers game.Answers
	reach   float32 // how far apart an answer may move two scores, about
	last    float64 // the quantile that noise is of
	noise   [strata]float32
}

func newGaussian(bits table, answers game.Answers) *gaussian {
	return &gaussian{table: bits, answers: answers, reach: float32(2 + farthest*math.Sqrt(answers.Variance(0))), last: -1}
}

// rank takes those within reach. A hypothesis that an answer brings to the top from farther away is missing from f, and
// so from its expectation, too.
func (t *gaussian) rank(score []float32, second float32) { t.within(score, second-t.reach) }

func (t *gaussian) fork(i int, count, sum float32, score []float32) fork {
	f := t.table.fork(i, count, sum, score)
	f.count, f.mean = count, sum/max(1, count)
	return f
}

// met is the mean over the answers of all strata, which are as likely given how far within its own a.quantile lies.
func (t *gaussian) met(f *fork, theta float64, a answer, w *view) (mean float64, came foretold) {
	own := int(a.quantile * strata)
	if a.quantile != t.last {
		within := a.quantile*strata - float64(own)
		for j := range t.noise {
			t.noise[j] = float32(t.answers.Draw(0, (float64(j)+within)/strata))
		}
		t.last = a.quantile
	}
	for j, noise := range t.noise {
		v := w.foretold(t.moved(f, (float32(theta)+noise-f.mean)/(f.count+1), w.k, w.cost, w.score))
		mean += v.f / strata
		if j == own {
			came = v
		}
	}
	return mean, came
}
