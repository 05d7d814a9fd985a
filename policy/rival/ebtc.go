package rival

import (
	"math"

	"mapo/game"
)

// EBTC pulls as EB-TC_ε does (Jourdan, Degenne and Kaufmann 2023) with β = ½: the leader i is the arm with the largest mean,
// the challenger j the other one with the least transportation cost,
//
//	(mean_i − mean_j + ε·σ)/√(1/N_i + 1/N_j),
//
// σ the standard deviation of an answer, at most. Either is pulled with ½, where the publication keeps count. Ties are shared.
// Costs O(|X|) a state and leader.
func EBTC(p *game.Problem, epsilon float64) game.Policy {
	slack, arms := epsilon*noise(p), p.Queries()
	return newPulls(p, numbered("eb-tc", epsilon), func(sc *pullsScratch) {
		leaders := largest(sc.first, sc.mean, arms)
		for i, leads := range sc.first {
			if !leads {
				continue
			}
			for j, mean := range sc.mean {
				sc.value[j] = -(sc.mean[i] - mean + slack) / math.Sqrt(1/sc.n[i]+1/sc.n[j])
			}
			challengers := largest(sc.second, sc.value, i)
			for j, challenges := range sc.second {
				if challenges {
					sc.weight[j] += 1 / float64(2*leaders*challengers)
				}
			}
			sc.weight[i] += 1 / float64(2*leaders)
		}
	})
}
