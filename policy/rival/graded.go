package rival

import (
	"math"
	"sync"

	"mapo/game"
)

// graded is uncertainty sampling over hypotheses with real scores.
type graded struct {
	p      *game.Problem
	scorer *game.Scorer
	pool   sync.Pool // of *gradedScratch
}

// sameMean is how far z may be from the mean of the same z, by rounding.
const sameMean = 1e-9

type gradedScratch struct {
	score  []float32 // [|Z|]
	set    []int     // hypotheses that tie
	mean   []float64 // of z over the set, [|X|]
	weight []float64 // [|X|]
}

func newGraded(p *game.Problem) *graded {
	d, n := p.Queries(), p.Hypotheses()
	g := &graded{p: p, scorer: game.NewScorer(p)}
	g.pool.New = func() any {
		return &gradedScratch{score: make([]float32, n), set: make([]int, 0, n), mean: make([]float64, d), weight: make([]float64, d)}
	}
	return g
}

// String returns the name in specs and results.
func (*graded) String() string { return "uncertainty" }

func (*graded) revision() string { return " by shares" }

// Probs writes π(· | s).
func (g *graded) Probs(dst []float32, s game.States) {
	sc := g.pool.Get().(*gradedScratch)
	defer g.pool.Put(sc)
	rows(dst, s, g.p.Queries(), func(row, n, sum []float32, mask []bool) {
		g.scorer.Score(sc.score, n, sum)
		sc.set = game.Recommend(sc.set[:0], sc.score)
		clear(sc.mean)
		if len(sc.set) == 1 { // against the runners-up
			best := sc.set[0]
			g.addMean(sc.mean, []int{best})
			sc.score[best] = float32(math.Inf(-1))
			sc.set = game.Recommend(sc.set[:0], sc.score)
		} else {
			g.addMean(sc.mean, sc.set)
		}
		clear(sc.weight)
		for _, k := range sc.set {
			for i, z := range g.p.Row(k) {
				if far := math.Abs(float64(z) - sc.mean[i]); far > sameMean {
					sc.weight[i] += far
				}
			}
		}
		proportional(row, sc.weight, mask)
	})
}

// addMean adds the mean of z over the hypotheses of set to mean.
func (g *graded) addMean(mean []float64, set []int) {
	for _, k := range set {
		for i, z := range g.p.Row(k) {
			mean[i] += float64(z) / float64(len(set))
		}
	}
}
