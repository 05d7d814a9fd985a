package difficulty

import (
	"math/bits"
	"slices"

	"mapo/game"
)

// cellRho returns [Cells] of ρ̃.
func cellRho(p *game.Problem) []float64 {
	if c := classOf(p); c.cells != nil {
		return c.cells(p)
	}
	return easyRho(p, game.RhoTilde(p))
}

// easyRho returns the difficulty of the easiest instance of each hypothesis, [|Z|].
func easyRho(p *game.Problem, c game.Difficulty) []float64 {
	if classOf(p).find == nil {
		return vertexRho(p, c)
	}
	return anchorRho(p, c)
}

// bitRho returns [Cells] of ρ̃ for 𝒵 of 0 and 1: that of (1−ε)(2z − 1) is Σ_i 1/min{|D(z,z′)| : z′_i ≠ z_i} / (1−ε)²,
// D the differing queries. Costs O(|Z|²|X|) on bits, 64 at once.
func bitRho(p *game.Problem) []float64 {
	rows := pack(p)
	near, order, open := make([]int, p.Queries()), make([]int, len(rows)), make([]uint64, len(rows[0]))
	rho := make([]float64, len(rows))
	for k, z := range rows {
		nearest(near, order, open, rows, z)
		for _, n := range near {
			if n > 0 {
				rho[k] += 1 / float64(n)
			}
		}
		rho[k] /= (1 - game.Edge) * (1 - game.Edge)
	}
	return rho
}

// anchorRho returns the difficulty of the anchors of a problem with shares or vectors, [|Z|].
func anchorRho(p *game.Problem, c game.Difficulty) []float64 {
	anchors := p.Easy()
	if anchors == nil {
		anchors = Anchors(p)
	}
	return rhoOf(p, c, p.Hypotheses(), anchors)
}

// rhoOf returns the difficulty of n anchors, [n, |X|].
func rhoOf(p *game.Problem, c game.Difficulty, n int, anchors []float32) []float64 {
	d := p.Queries()
	rho, theta := make([]float64, n), make([]float64, d)
	for k := range rho {
		for i, v := range anchors[k*d : (k+1)*d] {
			theta[i] = float64(v)
		}
		p.Admit(theta) // float32 rounds ε
		rho[k] = c.Of(theta)
	}
	return rho
}

// nearest writes to dst, [|X|], the least |D(z,z′)| of a hypothesis z′ in rows
// with z′_i ≠ z_i, 0 where there is none. order, [|Z|], and open, a bit a query as
// in rows, are its scratch.
func nearest(dst, order []int, open []uint64, rows [][]uint64, z []uint64) {
	dist := func(k int) (n int) {
		for w, word := range rows[k] {
			n += bits.OnesCount64(word ^ z[w])
		}
		return n
	}
	// By distance, so that the first hypothesis to differ at a query settles it:
	// sorted as distance · |Z| + index.
	for k := range rows {
		order[k] = dist(k)*len(rows) + k
	}
	slices.Sort(order)
	clear(dst)
	for w := range open {
		open[w] = ^uint64(0)
	}
	left := len(dst)
	for _, at := range order {
		for w, word := range rows[at%len(rows)] {
			differ := (word ^ z[w]) & open[w]
			open[w] &^= differ
			for ; differ != 0; differ &= differ - 1 {
				dst[64*w+bits.TrailingZeros64(differ)] = at / len(rows)
				left--
			}
		}
		if left == 0 {
			return
		}
	}
}

// pack returns 𝒵 with one bit an entry, [|Z|] rows of words.
func pack(p *game.Problem) [][]uint64 {
	words := (p.Queries() + 63) / 64
	rows := make([][]uint64, p.Hypotheses())
	for k := range rows {
		rows[k] = make([]uint64, words)
		for i, z := range p.Row(k) {
			if z != 0 {
				rows[k][i/64] |= 1 << (i % 64)
			}
		}
	}
	return rows
}
