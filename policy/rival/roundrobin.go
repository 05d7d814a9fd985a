package rival

import (
	"fmt"
	"sync"

	"mapo/game"
	"mapo/policy/decision"
)

// RoundRobin asks the queries with the fewest answers, each with the same probability, so that all are asked alike often.
// [Uniform] draws them at random.
func RoundRobin(p *game.Problem) game.Policy {
	r := &roundRobin{d: p.Queries()}
	r.pool.New = func() any { pick := make([]bool, r.d); return &pick }
	return r
}

type roundRobin struct {
	d    int
	pool sync.Pool // of *[]bool
}

// String returns the name in specs and results.
func (*roundRobin) String() string { return "round-robin" }

// Probs writes the uniform distribution over the queries with the fewest answers. Costs O(|X|) a state.
func (r *roundRobin) Probs(dst []float32, s game.States) {
	pick := r.pool.Get().(*[]bool)
	defer r.pool.Put(pick)
	rows(dst, s, r.d, func(row, n, _ []float32, mask []bool) {
		least(*pick, n, mask)
		game.UniformOver(row, *pick, mask)
	})
}

// parseRoundRobin refuses pools, where an item has one label and is asked once.
func parseRoundRobin(p *game.Problem, name, rest string, has bool) (recipe, error) {
	if err := familyOf(p).once; err != nil {
		return recipe{}, fmt.Errorf("policy %q %w", name, err)
	}
	return plain("round-robin", decision.LeastSquares, RoundRobin)(p, name, rest, has)
}
