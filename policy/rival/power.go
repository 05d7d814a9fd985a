package rival

import (
	"math"
	"sync"

	"mapo/game"
	"mapo/policy/posterior"
)

// powerNoise is the share of wrong answers that Power expects.
const powerNoise = 0.05

// Power asks query i with probability ∝ gain_iᵏ over the allowed queries, and all equally where the largest gain is below
// 10⁻⁹ nats. The gain is about the row, with answers of which one in twenty is wrong ([posterior.Fixed]); where a problem has no
// shares its rows are 2z − 1. k must be above 0: 1 asks in proportion, a large one nearly always for the largest
// gain. It costs two products with fixed matrices, O(|Z||X|) a state.
func Power(p *game.Problem, k float64) game.Policy {
	g := &power{p: p, rows: posterior.NewFixed(p, powerNoise), d: p.Queries(), k: k}
	g.pool.New = func() any {
		return &powerScratch{rows: g.rows.Scratch(atOnce), gain: make([]float32, atOnce*g.d), weight: make([]float64, g.d)}
	}
	return g
}

type power struct {
	p    *game.Problem
	rows *posterior.Fixed
	d    int
	k    float64
	pool sync.Pool
}

type powerScratch struct {
	rows   *posterior.FixedScratch
	gain   []float32 // [atOnce, |X|]
	weight []float64 // [|X|]
}

// String returns the name in specs and results.
func (g *power) String() string { return numbered("gain", g.k) }

// Probs writes π(· | s).
func (g *power) Probs(dst []float32, s game.States) {
	sc := g.pool.Get().(*powerScratch)
	defer g.pool.Put(sc)
	at, states := 0, s.Len(g.d)
	rows(dst, s, g.d, func(row, n, _ []float32, mask []bool) {
		if at%atOnce == 0 {
			part := s.Slice(at, min(states, at+atOnce), g.d)
			g.rows.Scores(sc.rows, part)
			g.rows.Gains(sc.gain[:len(part.N)], sc.rows, part.Len(g.d))
		}
		from := at % atOnce * g.d
		at++
		for i, v := range sc.gain[from : from+g.d] {
			sc.weight[i] = float64(v)
		}
		byGain(row, sc.weight, mask, g.raise)
		g.p.Questions().ByItems(row, n)
	})
}

// raise returns what a query whose gain is this share of the largest weighs.
func (g *power) raise(share float64) float64 { return math.Pow(share, g.k) }
