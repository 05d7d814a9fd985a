package search

import "math"

// structured is the default schedule: structured starts, two screens, breeding before every halving and for long before the
// last, and a search of its own among instances without any doubt.
type structured struct{}

// search plays Effort.Starts starts a level; before each rung the good ones breed, then its best climb.
func (structured) search(h *hunt) error {
	if err := h.start(); err != nil {
		return err
	}
	// The rank of few games is low: those measured again go before all others.
	better := h.best(h.trials, (h.effort.Starts+3)/4, 0)
	if err := h.measure(better, secondScreen*h.effort.Screen, h.key.Name("second")); err != nil {
		return err
	}
	for i, rung := range h.effort.Rungs {
		if err := h.breedBefore(i, rung); err != nil {
			return err
		}
		h.halve(rung)
		if err := h.climb(h.trials, rung, h.key.Name("climb").At(i)); err != nil {
			return err
		}
		h.seen = append(h.seen, h.best(h.trials, h.effort.Finals, 0)...)
	}
	return h.corners()
}

// breedBefore breeds before rung i. The last climbs are few and cost much: theirs are chosen from games enough to tell
// candidates apart, where there is a final.
func (h *hunt) breedBefore(i int, rung Rung) error {
	e := h.effort
	games := secondScreen * e.Screen
	if i > 0 {
		games = max(games, rung.Games)
	}
	if err := h.breedBriefly(games, h.key.Name("breed").At(i)); err != nil {
		return err
	}
	if i < len(e.Rungs)-1 {
		return nil
	}
	if err := h.breedLong(); err != nil || e.Replay == 0 {
		return err
	}
	return h.measure(h.best(h.trials, 2*e.Finals, 0), e.Replay, h.key.Name("halve"))
}

// over shares a factor of 2's trials among the levels in it: neighbours serve each other with what they find, and climb from
// it in shorter climbs.
func (structured) over(e Effort, levels []float64) Effort {
	k := len(levels)
	share := (1 + math.Log2(levels[k-1]/levels[0])) / float64(k)
	if share >= 1 {
		return e
	}
	e = e.Share(share)
	for i := range e.Rungs {
		e.Rungs[i].Steps = part(share, e.Rungs[i].Steps, 1)
	}
	return e
}

// draft halves the trials, and the games that the best are chosen and reported by.
func (structured) draft(e Effort) Effort {
	e = e.Share(.5)
	e.Replay, e.Report, e.MaxReport = part(.5, e.Replay, 1), part(.5, e.Report, 1), part(.5, e.MaxReport, 1)
	e.HalfWidth *= math.Sqrt2
	return e
}

// games counts the second screen, the choice before the last rung, and the search among corners.
func (structured) games(e Effort) (each, asked int) {
	again := secondScreen * e.Screen
	each = e.Starts/4*again + 2*e.Finals*e.Replay
	asked = part(cornerShare, e.Starts, 2) * again
	asked += e.Corners * (e.Brood + min(e.Finals, cornersSure)*secondScreen/2) * again
	return each, asked
}

// rule returns Adam for every other trial: it moves faint coordinates as far as loud ones and finds smooth maxima. The rest
// scale all coordinates alike, which hardly moves the irrelevant ones and finds the traps of deterministic policies. Neither
// is better everywhere.
func (structured) rule(number int) rule {
	return rule{beta1: climbBeta1, beta2: climbBeta2, adam: number%2 == 0}
}
