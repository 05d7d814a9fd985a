package train

import (
	"math"
	"slices"

	"mapo/game/sim"
	"mapo/internal/num"
)

// RowScratch is what [PsiGrad] adds up by row; its zero value is ready.
type RowScratch struct {
	weight []float64 // Σ weight of the games in each state, [U]
	games  []float64 // how many they are, [U]
	best   []int     // the query most likely to be asked, [U]
	most   []float32 // its probability, [U]
	next   []float32 // and the next one's, [U]
}

// PsiGrad replaces logits, [U,|X|], by one step's part of Eq. 11, the gradient in
// them of
//
//	each · Σ_g weight_g · log π(x_g | s_g) − entropy · Σ_g H(π(·|s_g))
//
// and returns Σ_g H. The G games are in U different states: row says in which, [G], −1 where a game is over and counts for
// nothing. asked is the query that each drew, [G], weight what adversary.Baseline made of their losses, [G], and probs is π of
// the states, [U,|X|]. The entropy's gradient is
// the direct one only (reading 1). It is taken in here and is not a [Penalty] beside it: apart its sums would
// round otherwise, and every recorded weight would change. Queries that cannot be asked have probability
// 0 and gradient 0, whatever their logit.
func PsiGrad(logits, probs []float32, row, asked []int32, weight []float64, each, entropy float64, scratch *RowScratch) float64 {
	if len(row) == 0 || slices.Max(row) < 0 {
		return 0
	}
	states := int(slices.Max(row)) + 1
	d := len(probs) / states
	scratch.weight, scratch.games = sim.Zeros(scratch.weight, states), sim.Zeros(scratch.games, states)
	for g, u := range row {
		if u >= 0 {
			scratch.weight[u] += each * weight[g]
			scratch.games[u]++
		}
	}
	scratch.best, scratch.most, scratch.next = sim.Zeros(scratch.best, states), sim.Zeros(scratch.most, states), sim.Zeros(scratch.next, states)
	num.Largest(scratch.best, scratch.most, scratch.next, probs, states, d)
	var total float64
	for u, games := range scratch.games {
		h := scoreRow(logits[u*d:(u+1)*d], probs[u*d:(u+1)*d], scratch.best[u], scratch.weight[u], entropy*games)
		total += games * h
	}
	for g, x := range asked {
		if row[g] >= 0 {
			logits[int(row[g])*d+int(x)] += float32(each * weight[g])
		}
	}
	return total
}

// scoreRow replaces a state's logits by −weight·p + entropy·p·(log p + H), and
// returns H. As log p = logit − c, c = log Σ exp logit, a row takes one logarithm, that of its largest, best.
func scoreRow(logits, probs []float32, best int, weight, entropy float64) float64 {
	probs = probs[:len(logits)]
	c := float64(logits[best]) - math.Log(float64(probs[best]))
	h := c
	for i, p := range probs {
		if p > 0 {
			h -= float64(p) * float64(logits[i])
		}
	}
	add := entropy*(h-c) - weight
	for i, p := range probs {
		if p > 0 {
			logits[i] = float32(float64(p) * (entropy*float64(logits[i]) + add))
		} else {
			logits[i] = 0
		}
	}
	return h
}
