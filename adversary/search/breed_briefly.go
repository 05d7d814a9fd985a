package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"mapo/rng"
)

// breedBriefly adds and measures, in every generation and for every level, Brood new trials made from the good
// ones of this and the neighbouring levels and from the bank.
func (h *hunt) breedBriefly(games int, key rng.Key) (err error) {
	h.trials, err = h.breed(h.trials, h.all, h.effort.Brood, h.effort.Generations, func(g int, pool []*trial) (generation, error) {
		key := key.At(g)
		parents, turn := h.parents(h.all, h.island, pool, max(4, h.effort.Finals)), key.Name("turn").Rand().Perm(h.d)
		return generation{pool, func(k, j int) *trial {
			if j%3 == 0 && len(parents[k]) > 0 {
				return h.turned(parents[k], k, turn[j/3%h.d], key.At(k).At(j))
			}
			return h.child(parents, k, key.At(k).At(j))
		}, func(young []*trial) error { return h.screen(young, games, key.Name("screen")) }}, nil
	})
	return err
}

// manyGames is from where on a generation is measured in two halvings.
const manyGames = 192

// screen measures the young of a generation with some games each; where these are
// many, a quarter of them shows which third of a level is worth the rest.
func (h *hunt) screen(young []*trial, games int, key rng.Key) error {
	if games < manyGames {
		return h.measure(young, games, key)
	}
	if err := h.measure(young, games/4, key.Name("few")); err != nil {
		return err
	}
	var better []*trial
	for k := range h.Levels {
		better = append(better, h.island(young, k, (h.effort.Brood+2)/3)...)
	}
	return h.measure(better, games, key)
}

// island returns the n best of those trials that were made for level k: the levels breed apart,
// with neighbours' finds as migrants, so that they do not all follow the first
// good one.
func (h *hunt) island(ts []*trial, k, n int) []*trial {
	var own []*trial
	for _, t := range ts {
		if t.level == k {
			own = append(own, t)
		}
	}
	return h.top(own, k, n)
}

// turned returns one of the best three with coordinate i turned to the other side: a
// move that no gradient shows. A generation goes through the coordinates.
func (h *hunt) turned(parents []*trial, k, i int, key rng.Key) *trial {
	r := key.Rand()
	theta := slices.Clone(pick(parents[:min(3, len(parents))], r).theta)
	h.shape.turn(theta, i)
	if r.Float64() < .5 {
		theta[i] = math.Copysign(box, theta[i])
	}
	return h.fit(theta, k, r)
}

// child returns one new trial for level k: a neighbour's find carried over, or a
// mutation of one of the level's own.
func (h *hunt) child(parents [][]*trial, k int, key rng.Key) *trial {
	r := key.Rand()
	from := k
	switch u := r.Float64(); {
	case u < .2:
		from = min(k+1, len(parents)-1)
	case u < .3:
		from = min(k+2, len(parents)-1)
	case u < .5:
		from = max(k-1, 0)
	}
	if len(parents[from]) == 0 {
		return nil
	}
	theta := slices.Clone(pick(parents[from], r).theta)
	if from == k || r.Float64() < .3 {
		other := pick(parents[from], r).theta
		if known := h.Bank.Instances(); len(known) > 0 && r.Float64() < .5 {
			other = known[r.IntN(len(known))]
		}
		h.shape.mutate(theta, other, r)
	}
	return h.fit(theta, k, r)
}

// pick favours the first, which are the best.
func pick(ts []*trial, r *rand.Rand) *trial {
	return ts[min(r.IntN(len(ts)), r.IntN(len(ts)))]
}

// A move changes theta in place; other is a second parent.
type move func(s *shapes, theta, other []float64, r *rand.Rand)

// moves are drawn from evenly, so one that stands twice is drawn twice as often.
var moves = [...]move{flip, slide, mirror, jitter, strengthen, cross, flatten, smooth, transport, flip, press, sharpen}

// mutate changes theta by one of the moves.
func (s *shapes) mutate(theta, other []float64, r *rand.Rand) {
	moves[r.IntN(len(moves))](s, theta, other, r)
}

// flip turns a few queries' answers.
func flip(s *shapes, theta, _ []float64, r *rand.Rand) {
	for range 1 + r.IntN(3) {
		s.turn(theta, r.IntN(s.d))
	}
}

// press moves a few queries to a face of the box.
func press(s *shapes, theta, _ []float64, r *rand.Rand) {
	for range 1 + r.IntN(3) {
		theta[r.IntN(s.d)] = box * float64(2*r.IntN(2)-1)
	}
}

// sharpen moves all but the faint to a face.
func sharpen(_ *shapes, theta, _ []float64, r *rand.Rand) {
	faint := r.Float64()
	for i, v := range theta {
		if math.Abs(v) > faint {
			theta[i] = math.Copysign(box, v)
		}
	}
}

// slide shifts along the order of the queries.
func slide(_ *shapes, theta, _ []float64, r *rand.Rand) { shift(theta, r.IntN(7)-3) }

// mirror reverses the queries, the other answer being the rarer.
func mirror(_ *shapes, theta, _ []float64, _ *rand.Rand) {
	slices.Reverse(theta)
	for i := range theta {
		theta[i] = -theta[i]
	}
}

// jitter blurs every query a little.
func jitter(_ *shapes, theta, _ []float64, r *rand.Rand) { blur(theta, .1, r) }

// blur moves every query by some size.
func blur(theta []float64, size float64, r *rand.Rand) {
	for i := range theta {
		theta[i] += size * r.NormFloat64()
	}
}

// strengthen makes a weaker or a stronger instance along the ray or the segment.
func strengthen(s *shapes, theta, _ []float64, r *rand.Rand) { s.stretch(theta, .7+.6*r.Float64()) }

// cross makes a mean of the parents, or takes a part of each.
func cross(s *shapes, theta, other []float64, r *rand.Rand) {
	w, cut := r.Float64(), r.IntN(s.d)
	parts := r.Float64() < .5
	for i, v := range other {
		switch {
		case !parts:
			theta[i] += w * (v - theta[i])
		case i >= cut:
			theta[i] = v
		}
	}
}

// flatten gives a run of queries one value.
func flatten(s *shapes, theta, _ []float64, r *rand.Rand) {
	lo := r.IntN(s.d)
	hi := min(s.d, lo+1+r.IntN(1+s.d/4))
	v := 2*r.Float64() - 1
	for i := lo; i < hi; i++ {
		theta[i] = v
	}
}

// smooth makes each query more like the next to it.
func smooth(s *shapes, theta, _ []float64, _ *rand.Rand) {
	before := theta[0]
	for i := range theta {
		at := theta[i]
		theta[i] = (before + 2*at + theta[min(i+1, s.d-1)]) / 4
		before = at
	}
}

// shift moves theta by n places; the ends repeat.
func shift(theta []float64, n int) {
	old := slices.Clone(theta)
	for i := range theta {
		theta[i] = old[max(0, min(len(old)-1, i-n))]
	}
}

// transport carries theta from its z_* to a random hypothesis: what query i of
// the j-th distance said for z_* the j-th query now says for the other.
func transport(s *shapes, theta, _ []float64, r *rand.Rand) {
	from, to := s.p.Instance(theta).Best, s.hypothesis(r)
	as := s.nearest(from, r)
	s.carry(theta, from, to, as, s.nearest(to, r))
}
