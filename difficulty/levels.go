package difficulty

import (
	"fmt"
	"math"

	"mapo/game"
)

// Levels returns those to choose from where none are given (reading 8): steps of √2
// from the first 2^(i/2) ≥ 1.25·ρ̃_min up to end, the first alone where end is below it. end is
// where a short search finds Uniform's loss saturated. It
// panics where end is not a finite number.
func Levels(p *game.Problem, end float64) []float64 {
	if math.IsNaN(end) || math.IsInf(end, 0) {
		panic(fmt.Sprintf("difficulty: levels to %v, want a finite end", end))
	}
	i := firstStep(1.25 * Least(p))
	out := []float64{step(i)}
	for i++; step(i) <= end*(1+1e-9); i++ {
		out = append(out, step(i))
	}
	return out
}

// firstStep returns the least i with 2^(i/2) ≥ r; one that meets r but for rounding counts as meeting it.
func firstStep(r float64) int { return int(math.Ceil(2*math.Log2(r) - 1e-9)) }

// step returns 2^(i/2), whole powers exactly.
func step(i int) float64 {
	if i%2 == 0 {
		return math.Ldexp(1, i/2)
	}
	return math.Ldexp(math.Sqrt2, (i-1)/2)
}

// Above returns x to three decimals, rounded up so that it can be used as a level.
func Above(x float64) string {
	return fmt.Sprintf("%g", math.Ceil(x*1000)/1000)
}
