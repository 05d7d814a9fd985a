package difficulty

import (
	"context"
	"math"

	"mapo/game"
)

// cellStar returns [Cells] of ρ_*. Where hypotheses are 0 and 1, and of classifiers, no gap is larger than at the vertex.
func cellStar(p *game.Problem) []float64 { return easyRho(p, RhoStar(p)) }

const (
	easeSteps = 40  // steps of [ease]
	easeFirst = 0.1 // how far the first one goes, in the length of a vector of ones
	easeGrow  = 1.5 // what a step that makes an instance easier multiplies the next one by; another halves it
)

// ease moves theta, the easiest instance of its hypothesis by ρ̃, to about the easiest by ρ_*, and returns it. ρ_* is at most ρ̃
// and mostly a little easier elsewhere. ρ_*^(−1/2) is concave where that hypothesis is best. Costs 40 designs,
// and fewer once ctx is done.
func ease(ctx context.Context, p *game.Problem, c game.Difficulty, theta []float64) []float64 {
	d := len(theta)
	grad, next, to := make([]float64, d), make([]float64, d), make([]float64, d)
	rho, step := c.Grad(grad, theta), easeFirst*math.Sqrt(float64(d))
	if math.IsInf(rho, 1) {
		return theta
	}
	best := p.Instance(theta).Best
	for range easeSteps {
		if ctx.Err() != nil {
			break
		}
		var norm float64
		for _, g := range grad {
			norm += g * g
		}
		if norm == 0 {
			break
		}
		for i, g := range grad {
			to[i] = theta[i] - step/math.Sqrt(norm)*g
		}
		p.Admit(to)
		if v := c.Grad(next, to); v < rho && p.Instance(to).Best == best {
			rho, step = v, step*easeGrow
			copy(theta, to)
			copy(grad, next)
		} else {
			step /= 2
		}
	}
	return theta
}
