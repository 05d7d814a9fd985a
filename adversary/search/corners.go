package search

import (
	"math"
	"slices"

	"mapo/rng"
)

// corners makes a search of its own among the instances without any doubt, the corners of the box,
// and those in doubt only where the best hypothesis and its nearest differ. Policies that learned
// to believe answers have high-loss instances there, and no gradient leads to them. What is best so
// far is measured again before more is bred from it; what is found goes to the final.
// At desk effort it plays at most 57,000 games a level, those of the bank besides.
func (h *hunt) corners() error {
	e := h.effort
	key, games := h.key.Name("corners"), secondScreen*e.Screen
	var levels []int
	for _, r := range h.Search.Levels {
		levels = append(levels, h.at(r))
	}
	found, err := h.propose(part(cornerShare, e.Starts, 2)*len(levels), func(i int) *trial {
		return h.corner(nil, levels[i%len(levels)], i/len(levels), key.Name("start").At(i))
	})
	if err != nil {
		return err
	}
	for _, theta := range h.Bank.Instances() {
		if isCorner(theta) {
			found = append(found, h.given(theta)...)
		}
	}
	if err := h.measure(found, games, key.Name("screen")); err != nil {
		return err
	}
	for g := range e.Corners {
		key := key.At(g)
		found = h.best(found, 4*e.Finals, 0)
		if err := h.sure(h.best(found, min(e.Finals, cornersSure), 0), secondScreen*games, key.Name("again")); err != nil {
			return err
		}
		parents := make([][]*trial, len(h.Levels))
		for _, k := range levels {
			parents[k] = h.top(found, k, e.Finals)
		}
		young, err := h.propose(e.Brood*len(levels), func(i int) *trial {
			k := levels[i%len(levels)]
			return h.corner(parents[k], k, i/len(levels), key.Name("young").At(i))
		})
		if err != nil {
			return err
		}
		if err := h.measureAlike(young, games, key.Name("measure")); err != nil {
			return err
		}
		found = append(found, young...)
	}
	h.seen = append(h.seen, h.best(found, e.Finals, 0)...)
	return nil
}

const (
	cornerShare = .25 // how many corners a level begins with, as a share of its starts
	cornersSure = 6   // the best of a level that are measured again, at most
	certain     = .9  // an answer from here on is not in doubt
)

// isCorner reports whether no answer of theta is in doubt; projection makes certain ones a little
// less so.
func isCorner(theta []float64) bool {
	return !slices.ContainsFunc(theta, func(v float64) bool { return math.Abs(v) < certain })
}

// sure measures those of ts again that have had fewer games.
func (h *hunt) sure(ts []*trial, games int, key rng.Key) error {
	return h.measure(slices.DeleteFunc(ts, func(t *trial) bool { return t.games >= games }), games, key)
}

// corner returns the parity of some hypotheses, or a parent's mutant, all answers certain and a few
// turned; half of them are in doubt where that decides. It is projected onto level k. nil where none fits.
func (h *hunt) corner(parents []*trial, k, j int, key rng.Key) *trial {
	r := key.Rand()
	theta, grad := make([]float64, h.d), make([]float64, h.d)
	for range 8 {
		if len(parents) == 0 {
			h.shape.parity(theta, 1+j%3, r)
		} else {
			copy(theta, pick(parents, r).theta)
			if r.Float64() < .5 {
				h.shape.mutate(theta, pick(parents, r).theta, r)
			}
		}
		for range r.IntN(3) {
			h.shape.turn(theta, r.IntN(h.d))
		}
		for i, v := range theta {
			theta[i] = math.Copysign(box, v)
		}
		if r.Float64() < .5 {
			h.shape.doubt(theta, r)
		}
		if rho, ok := project(h.shape, h.C, theta, h.Levels[k], grad); ok {
			return &trial{theta: theta, rho: rho, level: k}
		}
	}
	return nil
}
