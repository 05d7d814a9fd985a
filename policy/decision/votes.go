package decision

import (
	"math"
	"slices"

	"mapo/game"
)

// itemVote is how much of a label an item without one counts for, its class being as the other classifiers vote.
const itemVote = 0.15

// votes recommends the classifier of a pool with the most agreements with the labels, and with the other classifiers' votes on the
// items that have none, at itemVote of a label each.
type votes struct {
	p     *game.Problem
	agree []float64 // the share of the others that predict what a classifier does, [|Z|, cells]
}

func newVotes(p *game.Problem) *votes {
	n, asks := p.Hypotheses(), p.Questions()
	cells := asks.Len()
	v := &votes{p: p, agree: make([]float64, n*cells)}
	for k := range n {
		for o := range n {
			for c := range cells {
				lo, hi := asks.Columns(c)
				if o != k && slices.Equal(p.Says(k)[lo:hi], p.Says(o)[lo:hi]) {
					v.agree[k*cells+c] += 1 / float64(n-1)
				}
			}
		}
	}
	return v
}

// score writes what each classifier has to dst, [|Z|], up to what all share.
func (v *votes) score(dst []float64, count, sum []float32) {
	asks := v.p.Questions()
	half := 1 / asks.Tells() // in one column an agreement is ½ more than what all share, and a disagreement ½ less
	for k := range dst {
		dst[k] = 0
		for i, bit := range v.p.Says(k) {
			dst[k] += half * float64(bit) * float64(sum[i])
		}
		for c, agree := range v.agree[k*asks.Len() : (k+1)*asks.Len()] {
			lo, _ := asks.Columns(c)
			dst[k] += itemVote * agree * (float64(asks.Room(c)) - float64(count[lo]))
		}
	}
}

// Decide writes the distributions over ties.
func (v *votes) Decide(dst []float32, s game.States) {
	d, n := v.p.Queries(), v.p.Hypotheses()
	score := make([]float64, n)
	for b := range s.Len(d) {
		v.score(score, s.N[b*d:(b+1)*d], s.S[b*d:(b+1)*d])
		var out []bool
		if s.Out != nil && slices.Contains(s.Out[b*n:(b+1)*n], false) { // where none is left all count
			out = s.Out[b*n : (b+1)*n]
		}
		most := math.Inf(-1)
		for k, x := range score {
			if out == nil || !out[k] {
				most = max(most, x)
			}
		}
		var tie float32
		row := dst[b*n : (b+1)*n]
		for k, x := range score {
			if row[k] = 0; x >= most-Rounding && (out == nil || !out[k]) {
				row[k] = 1
				tie++
			}
		}
		for k := range row {
			row[k] /= tie
		}
	}
}
