package search

import (
	"math/rand/v2"
	"slices"

	"mapo/rng"
)

// breedLong breeds from the best of every level for Effort.Line's generations, an evolution strategy.
// Parents play on with their young, all the same games, so that one which only did well by chance does not
// last. The changes of θ get smaller. What comes of it is among the trials, and seen.
func (h *hunt) breedLong() error {
	line, key := h.effort.Line, h.key.Name("line")
	if line.Generations == 0 {
		return nil
	}
	var pool []*trial
	for k, ts := range h.parents(h.all, h.top, slices.Concat(h.trials, h.seen), line.Parents) {
		for _, t := range ts {
			t = t.clone()
			t.level = k
			pool = append(pool, t)
		}
	}
	pool, err := h.breed(pool, h.all, line.Young, line.Generations, func(g int, pool []*trial) (generation, error) {
		parents, key := h.parents(h.all, h.island, pool, line.Parents), key.At(g)
		kept := slices.Concat(parents...)
		return generation{kept, func(k, j int) *trial {
			return h.offspring(parents, k, line.size(g), key.At(k).At(j))
		}, func(young []*trial) error { return h.playOn(slices.Concat(kept, young), line.Games, key.Name("play")) }}, nil
	})
	for _, ts := range h.parents(h.all, h.island, pool, line.Parents) {
		h.trials = append(h.trials, ts...)
		for _, t := range ts[:min(len(ts), h.effort.Finals)] {
			h.seen = append(h.seen, t.clone())
		}
	}
	return err
}

// size returns the size of generation g's small changes, falling geometrically from From to To.
func (l Line) size(g int) float64 {
	return Rung{Steps: l.Generations, From: l.From, To: l.To}.rate(g)
}

// offspring returns one new trial for level k: a child as between the rungs, or more often a parent with a
// change of the size, mostly of all queries or of a few.
func (h *hunt) offspring(parents [][]*trial, k int, size float64, key rng.Key) *trial {
	r := key.Rand()
	if r.Float64() < .3 || len(parents[k]) == 0 {
		return h.child(parents, k, key.Name("child"))
	}
	theta := slices.Clone(pick(parents[k], r).theta)
	switch u := r.Float64(); {
	case u < .4:
		blur(theta, size, r)
	case u < .7:
		nudge(theta, size, r)
	case u < .85:
		lift(theta, size, r)
	default:
		cross(h.shape, theta, pick(parents[k], r).theta, r)
	}
	return h.fit(theta, k, r)
}

// few is how many times as far a change of a few queries goes as one of all.
const few = 3

// nudge moves one to three queries.
func nudge(theta []float64, size float64, r *rand.Rand) {
	for range 1 + r.IntN(3) {
		theta[r.IntN(len(theta))] += few * size * r.NormFloat64()
	}
}

// lift moves a run of up to six queries together, or gives it one value.
func lift(theta []float64, size float64, r *rand.Rand) {
	lo := r.IntN(len(theta))
	run := theta[lo:min(len(theta), lo+1+r.IntN(6))]
	value, by := 2*r.Float64()-1, few*size*r.NormFloat64()
	flat := r.Float64() < .5
	for i := range run {
		if flat {
			run[i] = value
		} else {
			run[i] += by
		}
	}
}

// playOn adds games, the same for all, to those that every trial's mean rests on.
func (h *hunt) playOn(ts []*trial, games int, key rng.Key) error {
	before := make([]trial, len(ts))
	for i, t := range ts {
		before[i] = *t
	}
	if err := h.measureAlike(ts, games, key); err != nil {
		return err
	}
	for i, t := range ts {
		t.pool(before[i].mean, before[i].games)
	}
	return nil
}
