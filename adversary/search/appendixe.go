package search

import "math"

// appendixE is the schedule of Appendix E: random starts, one screen, and halvings whose trials climb by Adam with the
// constants that it states.
type appendixE struct{}

// search plays Effort.Starts starts a level, then each rung's best climb.
func (appendixE) search(h *hunt) error {
	if err := h.start(); err != nil {
		return err
	}
	for i, rung := range h.effort.Rungs {
		h.halve(rung)
		if err := h.climb(h.trials, rung, h.key.Name("climb").At(i)); err != nil {
			return err
		}
		h.seen = append(h.seen, h.best(h.trials, h.effort.Finals, 0)...)
	}
	return nil
}

// over leaves the schedule as it is printed.
func (appendixE) over(e Effort, _ []float64) Effort { return e }

// draft leaves the schedule as it is printed.
func (appendixE) draft(e Effort) Effort { return e }

// games counts none besides those that both schedules play.
func (appendixE) games(Effort) (each, asked int) { return 0, 0 }

// rule returns Adam for every trial.
func (appendixE) rule(int) rule { return rule{beta1: .9, beta2: .999, adam: true} }

// rule is how a trial climbs.
type rule struct {
	beta1, beta2 float64 // memory of the gradient's mean and of its square's
	adam         bool    // scales every coordinate by its own root mean square; else all alike
}

// fix makes up for both means' start at 0.
func (r rule) fix(step int) float64 {
	return math.Sqrt(1-math.Pow(r.beta2, float64(step+1))) / (1 - math.Pow(r.beta1, float64(step+1)))
}
