package rival

import (
	"math"

	"mapo/game"
)

// UGapEb pulls as UGapEb does (Gabillon, Ghavamzadeh and Lazaric 2012), its form for a fixed budget. Each arm's mean has an
// interval of radius β_i = σ·√(c/N_i), σ the standard deviation of an answer, at most. The leader J has the least
//
//	B_k = max_{i≠k} (mean_i + β_i) − (mean_k − β_k),
//
// and the challenger is the other arm with the largest mean_i + β_i. Of the two the one with fewer pulls is pulled. Ties are
// shared. It recommends the largest mean, where the publication names the J of the round with the least B_J. Costs O(|X|²) a state.
func UGapEb(p *game.Problem, c float64) game.Policy {
	sigma, arms := noise(p), p.Queries()
	return newPulls(p, numbered("ugapeb", c), func(sc *pullsScratch) {
		upper, lead := sc.value, sc.lead
		for i, mean := range sc.mean {
			upper[i] = mean + sigma*math.Sqrt(c/sc.n[i])
		}
		for k, mean := range sc.mean {
			most := math.Inf(-1)
			for i, v := range upper {
				if i != k {
					most = max(most, v)
				}
			}
			lead[k] = 2*mean - upper[k] - most // −B_k
		}
		leaders := largest(sc.first, lead, arms)
		for j, leads := range sc.first {
			if leads {
				sc.against(j, upper, 1/float64(leaders))
			}
		}
	})
}

// against shares weight among the less pulled of arm j and each of the other arms of the largest value.
func (sc *pullsScratch) against(j int, value []float64, weight float64) {
	tied := largest(sc.second, value, j)
	for i, challenges := range sc.second {
		switch share := weight / float64(tied); {
		case !challenges:
		case sc.n[i] < sc.n[j]:
			sc.weight[i] += share
		case sc.n[i] > sc.n[j]:
			sc.weight[j] += share
		default:
			sc.weight[i] += share / 2
			sc.weight[j] += share / 2
		}
	}
}
