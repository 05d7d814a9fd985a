package rival

import (
	"math"

	"mapo/game"
)

// UCBE pulls as UCB-E does (Audibert, Bubeck and Munos 2010): the arm with the largest mean_i + σ·√(a/N_i), σ the standard
// deviation of an answer, at most. Ties are shared. In these units the publication has a = 25/36·(T − |X|)/H₁ with
// H₁ = Σ 1/gap_i², which is 𝒞_MAB plus 1/(smallest gap)² of the best arm: about 1 at the levels where a budget is of use. Costs O(|X|) a state.
func UCBE(p *game.Problem, a float64) game.Policy {
	sigma, arms := noise(p), p.Queries()
	return newPulls(p, numbered("ucb-e", a), func(sc *pullsScratch) {
		for i, mean := range sc.mean {
			sc.value[i] = mean + sigma*math.Sqrt(a/sc.n[i])
		}
		largest(sc.first, sc.value, arms)
		for i, tops := range sc.first {
			if tops {
				sc.weight[i] = 1
			}
		}
	})
}
