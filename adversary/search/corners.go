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
	child := func(parents [][]*trial, key rng.Key) func(k, j int) *trial {
		return func(k, j int) *trial {
			return h.corner(parents[k], k, j, key.At(j*len(h.asked)+slices.Index(h.asked, k)))
		}
	}
	known := slices.DeleteFunc(slices.Clone(h.Bank.Instances()), func(theta []float64) bool { return !isCorner(theta) })
	found, err := h.breed(nil, h.asked, part(cornerShare, e.Starts, 2), 1, func(int, []*trial) (generation, error) {
		return generation{nil, child(make([][]*trial, len(h.Levels)), key.Name("start")), func([]*trial) error { return nil }}, nil
	})
	if err != nil {
		return err
	}
	found = append(found, h.given(known)...)
	if err := h.measure(found, games, key.Name("screen")); err != nil {
		return err
	}
	found, err = h.breed(found, h.asked, e.Brood, e.Corners, func(g int, found []*trial) (generation, error) {
		key := key.At(g)
		found = h.best(found, 4*e.Finals, 0)
		err := h.sure(h.best(found, min(e.Finals, cornersSure), 0), secondScreen*games, key.Name("again"))
		young := child(h.parents(h.asked, h.top, found, e.Finals), key.Name("young"))
		return generation{found, young, func(young []*trial) error { return h.measureAlike(young, games, key.Name("measure")) }}, err
	})
	h.seen = append(h.seen, h.best(found, e.Finals, 0)...)
	return err
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
