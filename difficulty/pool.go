package difficulty

import (
	"math"
	"slices"

	"mapo/game"
	"mapo/rng"
)

// poolDraws is how many instances of each prior [PoolLevels] draws.
const poolDraws = 1000

// PoolLevels returns the levels to choose from for a pool of items: the median and the 90 % quantile of ρ̃. Half of the instances are
// drawn from [game.Models] and half from [game.Votes]. Levels are rounded up to three digits, and no lower than an instance can be.
// A quantile that is infinite, as that of instances on which two classifiers are best, is left out. Costs 2000·O(|Z||X|).
func PoolLevels(p *game.Problem, key rng.Key) (levels []float64) {
	c, theta := Of(p), make([]float64, p.Queries())
	var rho []float64
	for _, prior := range []game.Prior{game.Models(p), game.Votes(p)} {
		for m := range poolDraws {
			prior.Draw(theta, key.Name(prior.Name()).At(m).Rand())
			rho = append(rho, c.Of(theta))
		}
	}
	least := Least(p)
	for _, share := range []float64{0.5, 0.9} {
		r := max(least, quantile(rho, share))
		if math.IsInf(r, 1) || r > game.MostLevel {
			continue
		}
		unit := math.Pow(10, math.Floor(math.Log10(r))-2)
		if r = math.Ceil(r/unit) * unit; !slices.Contains(levels, r) {
			levels = append(levels, r)
		}
	}
	return levels
}
