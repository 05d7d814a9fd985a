package rival

import (
	"sync"

	"mapo/game"
	"mapo/policy/posterior"
)

// sgbsTie is how far above the least |marginal| a query still counts as equally
// good (reading 4).
const sgbsTie = 1e-6

// SGBS returns soft generalised binary search (Nowak 2011; reading 15): it asks
// argmin_i |Σ_z p_β(z | S) (2z_i − 1)| among the queries that may be asked, ties
// uniformly. It panics for β outside (0, ½). O(|Z||X|/4) a state.
func SGBS(p *game.Problem, beta float64) game.Policy {
	g := &sgbs{p: p, d: p.Queries(), beta: beta, post: posterior.New(p, beta)}
	g.pool.New = func() any {
		return &sgbsScratch{marginal: make([]float32, g.d), pick: make([]bool, g.d)}
	}
	return g
}

// sgbs shares the posterior, which is read-only; the scratch is pooled.
type sgbs struct {
	p    *game.Problem
	d    int
	beta float64
	post *posterior.Posterior
	pool sync.Pool
}

type sgbsScratch struct {
	marginal []float32 // [|X|]
	pick     []bool    // [|X|]
}

// String returns the name in specs and results.
func (g *sgbs) String() string { return numbered("sgbs", g.beta) }

// Probs writes to dst, [B, |X|], the uniform distribution over the tie; where p
// has labels, over its open items. Masked queries take no part in the minimum.
func (g *sgbs) Probs(dst []float32, s game.States) {
	sc := g.pool.Get().(*sgbsScratch)
	defer g.pool.Put(sc)
	rows(dst, s, g.d, func(row, n, sum []float32, mask []bool) {
		g.post.Marginals(sc.marginal, sum)
		halve(sc.pick, sc.marginal, mask)
		game.UniformOver(row, sc.pick, mask)
		g.p.Questions().ByItems(row, n)
	})
}

// halve picks the queries whose |marginal| is least among those mask leaves. It
// makes marginal absolute.
func halve(pick []bool, marginal []float32, mask []bool) {
	least := float32(2)
	for i, m := range marginal {
		if m < 0 {
			m = -m
			marginal[i] = m
		}
		if m < least && (mask == nil || !mask[i]) {
			least = m
		}
	}
	for i, m := range marginal {
		pick[i] = m <= least+sgbsTie
	}
}
