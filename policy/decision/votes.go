package decision

import (
	"math"
	"slices"

	"mapo/game"
)

// votesCount is how many labels a classifier's agreement with the others counts for. On pools whose classifiers share some of their errors
// 20 to 150 serve alike.
const votesCount = 60

// votes recommends the classifier of a pool with the most agreements with the labels, with votesCount times its rate of agreement with the
// other classifiers besides.
type votes struct {
	p    *game.Problem
	head []float64 // what each begins with, [|Z|]
}

func newVotes(p *game.Problem) *votes {
	v := &votes{p: p, head: make([]float64, p.Hypotheses())}
	weights, total := p.Weights(), 0.
	for _, w := range weights {
		total += w
	}
	for k := range v.head {
		for o := range v.head {
			if o == k {
				continue
			}
			same := total
			for c, w := range weights {
				lo, hi := p.Labels.Queries(c)
				if !slices.Equal(p.Says(k)[lo:hi], p.Says(o)[lo:hi]) {
					same -= w
				}
			}
			v.head[k] += votesCount * same / total / float64(len(v.head)-1)
		}
	}
	return v
}

// Decide writes the distributions over ties.
func (v *votes) Decide(dst []float32, s game.States) {
	d, n := v.p.Queries(), len(v.head)
	half := 1. // of two classes, an agreement is ½ more than what all share, and a disagreement ½ less
	if v.p.IsClasses() {
		half = 0.5
	}
	score := make([]float64, n)
	for b := range s.Len(d) {
		most := math.Inf(-1)
		for k := range score {
			score[k] = v.head[k]
			for i, bit := range v.p.Says(k) {
				score[k] += half * float64(bit) * float64(s.S[b*d+i])
			}
			if s.Out == nil || !s.Out[b*n+k] {
				most = max(most, score[k])
			}
		}
		var tie float32
		row := dst[b*n : (b+1)*n]
		for k, x := range score {
			if row[k] = 0; x >= most-Rounding && (s.Out == nil || !s.Out[b*n+k]) {
				row[k] = 1
				tie++
			}
		}
		for k := range row {
			row[k] /= tie
		}
	}
}
