package rival

import (
	"math"
	"sync"

	"mapo/game"
	"mapo/policy/posterior"
)

// noGain is the information gain, in nats, up to which no query is expected to tell anything.
const noGain = 1e-9

// Randomized returns randomised information gain over the rows of a table: it asks query i with probability
//
//	π(i | s) ∝ exp((gain_i / max gain − 1) / τ)
//
// over the allowed queries, the gain being about the row ([posterior.Belief.Gain]), and all equally where the largest
// gain is below 10⁻⁹. It recommends by the same posterior. τ must be above 0; as it falls to 0 the policy becomes
// the maximum. It panics where p has no shares. Costs O(|Z|·(queries asked)) a state and O(|X|) for each
// row that still matters ([posterior.Belief.QuickGain]).
func Randomized(p *game.Problem, tau float64) game.Policy {
	g := &randomized{Rows: posterior.NewRows(p), d: p.Queries(), tau: tau}
	g.pool.New = func() any { return &randomizedScratch{gain: make([]float64, g.d)} }
	return g
}

type randomized struct {
	*posterior.Rows
	d    int
	tau  float64
	pool sync.Pool
}

type randomizedScratch struct {
	belief posterior.Belief
	gain   []float64 // [|X|]
}

// String returns the name in specs and results.
func (g *randomized) String() string { return numbered("information", g.tau) }

// Probs writes π(· | s).
func (g *randomized) Probs(dst []float32, s game.States) {
	sc := g.pool.Get().(*randomizedScratch)
	defer g.pool.Put(sc)
	at := 0
	rows(dst, s, g.d, func(row, n, sum []float32, mask []bool) {
		g.Believe(&sc.belief, n, sum, s.Row(at, g.d).Out)
		sc.belief.QuickGain(sc.gain, mask)
		byGain(row, sc.gain, mask, g.soften)
		at++
	})
}

// soften returns what a query whose gain is this share of the largest weighs.
func (g *randomized) soften(share float64) float64 { return math.Exp((share - 1) / g.tau) }

// byGain writes the distribution ∝ weight(gain/largest gain) over the queries that mask leaves, uniform where the largest is
// below [noGain]. It overwrites gain, [|X|].
func byGain(row []float32, gain []float64, mask []bool, weight func(share float64) float64) {
	most := 0.
	for i, v := range gain {
		if mask == nil || !mask[i] {
			most = max(most, v)
		}
	}
	if most < noGain {
		game.UniformOver(row, nil, mask)
		return
	}
	for i, v := range gain {
		gain[i] = weight(v / most)
	}
	proportional(row, gain, mask)
}

// proportional writes the distribution ∝ weight over the queries that mask leaves, uniform where no weight of theirs is
// above 0.
func proportional(row []float32, weight []float64, mask []bool) {
	var sum float64
	for i, w := range weight {
		if mask != nil && mask[i] {
			weight[i] = 0
			continue
		}
		sum += w
	}
	if sum == 0 {
		game.UniformOver(row, nil, mask)
		return
	}
	for i, w := range weight {
		row[i] = float32(w / sum)
	}
}
