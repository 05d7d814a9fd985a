package exact

import (
	"fmt"
	"math"

	"mapo/game"
)

// Grid returns {θ ∈ values^d : 𝒞(θ) ≤ r}, the first query's value moving slowest: a finite stand-in for Θ^(r) from inside,
// so that [Certify]'s lower bound on it holds for Θ^(r) too. With [game.Vectors] it is of the means of as many independent
// queries as there are, and of those instances whose other means may be. Costs |values|^d complexities.
func Grid(p *game.Problem, c game.Difficulty, values []float64, r float64) [][]float64 {
	d := p.Free()
	if n := math.Pow(float64(len(values)), float64(d)); n > 1<<24 {
		panic(fmt.Sprintf("exact: a grid of %d^%d instances, want at most 2^24", len(values), d))
	}
	var grid [][]float64
	omega := game.Omega{C: c, R: r}
	free := make([]float64, d)
	var fill func(i int)
	fill = func(i int) {
		if i == d {
			if theta := p.Extend(free); theta != nil && omega.Contains(theta) {
				grid = append(grid, theta)
			}
			return
		}
		for _, v := range values {
			free[i] = v
			fill(i + 1)
		}
	}
	fill(0)
	return grid
}
