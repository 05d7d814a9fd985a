package rival

import (
	"fmt"

	"mapo/game"
)

// Uniform asks each query that may be asked with the same probability. Of a pool it draws an item that is open.
func Uniform(p *game.Problem) game.Policy { return uniform{p.Questions()} }

type uniform struct{ asks game.Questions }

func (uniform) String() string { return "uniform" }

// Probs writes each column's share of the open items, 1/|allowed| to each allowed one where they are not items.
func (u uniform) Probs(dst []float32, s game.States) {
	rows(dst, s, u.asks.Width(), func(row, n, _ []float32, mask []bool) { drawItem(u.asks, row, nil, n, mask) })
}

// rows calls each for every state of s with its row of dst; mask is nil where s
// has none.
func rows(dst []float32, s game.States, d int, each func(row, n, sum []float32, mask []bool)) {
	states := s.Len(d)
	if len(dst) != states*d {
		panic(fmt.Sprintf("rival: probabilities for %d entries, want %d", len(dst), states*d))
	}
	for b := range states {
		lo, hi := b*d, (b+1)*d
		var mask []bool
		if s.Mask != nil {
			mask = s.Mask[lo:hi]
		}
		each(dst[lo:hi], s.N[lo:hi], s.S[lo:hi], mask)
	}
}
