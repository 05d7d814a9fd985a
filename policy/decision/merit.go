package decision

import (
	"mapo/game"
	"mapo/policy/posterior"
)

// Merits returns a function that writes what the decision of that name maximises in one state to dst, [|Z|]: the score at θ̂, the
// posterior, the score at the posterior's mean θ, or agreements and votes. It is for a caller that compares the decision with one in other
// arithmetic. The error is [New]'s. The function must not be called concurrently.
func Merits(p *game.Problem, loss game.Loss, name string) (func(dst []float64, s game.States), error) {
	if _, err := New(p, loss, name); err != nil {
		return nil, err
	}
	if name == LeastSquares {
		scorer, scores := game.NewScorer(p), make([]float32, p.Hypotheses())
		return func(dst []float64, s game.States) {
			scorer.Score(scores, s.N, s.S)
			for k, v := range scores {
				dst[k] = float64(v)
			}
		}, nil
	}
	if name == Votes {
		v := newVotes(p)
		return func(dst []float64, s game.States) { v.score(dst, s.N, s.S) }, nil
	}
	b := newBayes(p, loss, posterior.Of(p))
	sc := b.pool.New().(*bayesScratch)
	return func(dst []float64, s game.States) {
		b.believe(sc, s)
		switch {
		case loss == game.SimpleRegret:
			b.score(sc)
			copy(dst, sc.value)
		case b.rows != nil:
			copy(dst, sc.belief.Weight)
		default:
			for k, w := range sc.weight {
				dst[k] = float64(w)
			}
		}
	}, nil
}
