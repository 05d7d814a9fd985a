package posterior

import (
	"slices"

	"mapo/game"
)

// Reaches reports whether one row has at least that probability.
func (b *Belief) Reaches(confidence float64) bool { return slices.Max(b.Weight) >= confidence }

// Until returns the rule by which a game ends once it has an answer and one row has at least that probability.
func (r *Rows) Until(confidence float64) game.Stopper { return until{r, confidence} }

type until struct {
	*Rows
	confidence float64
}

// Stop works the posterior out in every state that has an answer. Costs as [Rows.Believe].
func (u until) Stop(dst []bool, s game.States) {
	b := u.pool.Get().(*Belief)
	defer u.pool.Put(b)
	d := u.p.Queries()
	for at := range dst {
		one := s.Slice(at, at+1, d)
		dst[at] = Begun(one.N)
		if dst[at] {
			u.Believe(b, one.N, one.S, one.Out)
			dst[at] = b.Reaches(u.confidence)
		}
	}
}

// Begun reports whether a game with so many answers to each query, [|X|], has any.
func Begun(answers []float32) bool {
	return slices.ContainsFunc(answers, func(n float32) bool { return n > 0 })
}
