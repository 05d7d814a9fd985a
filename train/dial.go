package train

import (
	"errors"
	"fmt"
)

// The dial: a [Task] with a Weight w above 0 is trained for
//
//	(1−w) · max_θ [ℓ(π, θ) − b^(r_k(θ))] + w · E_{θ∼Average} ℓ(π, θ),
//
// the first part being Eq. 4's or 5's. Each iteration draws some of its M
// instances from the prior and the others from the adversary, and weights both so
// that Eq. 11's mean is the gradient of the sum. The adversary moves by its own
// instances alone. A game that could be played whole (tiny) is sampled, as a
// prior's average is.

// leastPart is the inverse of the least share of the M instances that either part
// of the objective is estimated from, however small its weight.
const leastPart = 8

// dial reports whether the task has an average in its objective.
func (t *Task) dial() bool { return t.Weight > 0 }

// checkDial finds what no objective can be.
func (t *Task) checkDial() error {
	switch {
	case !(t.Weight >= 0 && t.Weight < 1):
		panic(fmt.Sprintf("train: the average has the weight %v, want 0 ≤ w < 1", t.Weight))
	case !t.dial():
		return nil
	case t.Average == nil || t.Prior != nil:
		panic("train: a weighted average needs its prior and an adversary")
	case t.Config.M < 2:
		return errors.New("train: M is 1; an objective with an average needs at least 2 instances an iteration: raise M")
	}
	return nil
}

// adversarial is how many of the M instances are the adversary's: about (1−w)·M,
// but for either part an eighth at least. Those of the prior come behind them.
func (t *Task) adversarial() int {
	m := t.Config.M
	switch {
	case t.Prior != nil:
		return 0
	case !t.dial():
		return m
	}
	least := (m + leastPart - 1) / leastPart
	return m - min(max(int(t.Weight*float64(m)+.5), least), m-least)
}

// drawPrior fills theta's rows from lo on with draws from the prior.
func (r *Run) drawPrior(lo int) {
	prior := r.t.Prior
	if prior == nil {
		prior = r.t.Average
	}
	d, key := r.t.P.Queries(), r.t.Key.Name("prior").At(r.s.Phase).At(r.s.Iter)
	for m := lo; m < r.t.Config.M; m++ {
		prior.Draw(r.theta[m*d:(m+1)*d], r.draw.Of(key.At(m)))
	}
}

// mixObjective turns the importances of the adversary's draws, [M], and ones for
// the prior's into those of the whole objective, in which all M count alike.
func (r *Run) mixObjective() {
	if !r.t.dial() {
		return
	}
	m, a := float64(r.t.Config.M), r.t.adversarial()
	worst, average := (1-r.t.Weight)*m/float64(a), r.t.Weight*m/(m-float64(a))
	for i := range r.importance {
		if i < a {
			r.importance[i] *= worst
		} else {
			r.importance[i] *= average
		}
	}
}
