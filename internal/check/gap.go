package check

import "mapo/game"

// EasyLevel and HardLevel are the two levels of [Torn].
const (
	EasyLevel = 12
	HardLevel = 60
)

// Torn returns a game of 165 states whose Θ is six instances, three with a difficulty of at
// most EasyLevel and three between it and HardLevel. The two kinds need different queries. For
// best identification the least worst case is 0.20 over the easy ones and 0.61 over all. The
// policies that reach the second lose 0.60 on an easy one, and those that reach the first lose
// 0.9 on a hard one. The least largest gap is about 0.1.
func Torn() (p *game.Problem, easy, hard [][]float64) {
	z := []string{"1101", "0011", "1100", "1110", "1010", "0010", "1000"}
	p = problem("torn", 4, len(z), 3, func(k, i int) bool { return z[k][i] == '1' })
	easy = [][]float64{{-.6, .3, 1, 1}, {-1, -1, -.3, -.6}, {-.6, -.3, 1, 1}}
	hard = [][]float64{{.6, -.3, .3, -.6}, {.6, 1, .3, .6}, {1, -1, 1, .6}}
	return p, easy, hard
}
