package nn

import (
	"math"
	"math/bits"

	"mapo"
)

// symDiff finds the queries on which the best hypotheses disagree, or the best and its runners-up where it
// is unique (App. G): those in some and not in all. It returns the best score less the second, 0 at a tie.
func (f *reader) symDiff(score []float32, sc *readerScratch) float32 {
	best, second := float32(math.Inf(-1)), float32(math.Inf(-1))
	for _, v := range score {
		if v > best {
			best, second = v, best
		} else if v > second {
			second = v
		}
	}
	from := best - mapo.Tie
	if second < from {
		from = second - mapo.Tie
	}
	clear(sc.some)
	for j := range sc.all {
		sc.all[j] = ^uint64(0)
	}
	for k, v := range score {
		if v < from {
			continue
		}
		for j, w := range f.row[k*f.words:][:f.words] {
			sc.some[j] |= w
			sc.all[j] &= w
		}
	}
	return best - second
}

// gaps writes max score over z_i = 1 less the same over z_i = 0 to dst, [|X|], 0 where all hypotheses are
// alike. One of the two is the best score; the other is the first, from the best down, of a hypothesis that
// differs from the best at i. Only as much is put in order as that takes: buckets of scores, then a heap of
// each bucket. O(|Z| + (hypotheses until each query has one)·(log|Z| + |X|/64)).
func (f *reader) gaps(dst, score []float32, sc *readerScratch) {
	clear(dst)
	if !f.bucket(score, sc) {
		return
	}
	copy(sc.open, f.varied)
	var best []uint64
	var top float32
	for j := range sc.starts[:len(sc.starts)-1] {
		h := sc.heap[sc.starts[j]:sc.starts[j+1]]
		for c := len(h)/2 - 1; c >= 0; c-- {
			sift(h, c)
		}
		for len(h) > 0 {
			k := int(uint32(h[0]))
			row := f.row[k*f.words:][:f.words]
			if best == nil {
				top, best = score[k], row
			} else if !settle(dst, sc.open, row, best, top-score[k]) {
				return
			}
			h[0] = h[len(h)-1]
			if h = h[:len(h)-1]; len(h) > 1 {
				sift(h, 0)
			}
		}
	}
}

// bucket writes keys that order as the scores do to sc.heap, bucket by bucket, the best first, and where
// each bucket starts to sc.starts. It reports false where all scores are the same.
func (f *reader) bucket(score []float32, sc *readerScratch) bool {
	lo, hi := score[0], score[0]
	for _, v := range score {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	if lo == hi {
		return false
	}
	last := len(sc.starts) - 2
	scale := float32(last) / (hi - lo)
	clear(sc.starts)
	for k, v := range score {
		j := min(max(int((hi-v)*scale), 0), last)
		sc.of[k] = uint8(j)
		sc.starts[j+1]++
	}
	for j := range last + 1 {
		sc.starts[j+1] += sc.starts[j]
	}
	copy(sc.next, sc.starts)
	for k, v := range score {
		u := math.Float32bits(v + 0) // −0 becomes 0
		at := &sc.next[sc.of[k]]
		sc.heap[*at] = uint64(u^(uint32(int32(u)>>31)|1<<31))<<32 | uint64(k)
		*at++
	}
	return true
}

// settle gives the open queries at which row and best differ their gap, and reports whether any stays open.
func settle(dst []float32, open, row, best []uint64, gap float32) bool {
	left := uint64(0)
	for j, w := range row {
		differ := (w ^ best[j]) & open[j]
		open[j] &^= differ
		left |= open[j]
		for ; differ != 0; differ &= differ - 1 {
			i := bits.TrailingZeros64(differ)
			dst[j*64+i] = gap
			if best[j]>>i&1 == 0 {
				dst[j*64+i] = -gap
			}
		}
	}
	return left != 0
}

// sift moves h[j] down to where no child is larger.
func sift(h []uint64, j int) {
	v := h[j]
	for {
		c := 2*j + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] > h[c] {
			c++
		}
		if h[c] <= v {
			break
		}
		h[j] = h[c]
		j = c
	}
	h[j] = v
}

// entropies are those of p_β for two β, as shares of log|𝒵|: of exponents raw, g below the best,
// log Σb^−g + log b·Σg·b^−g/Σb^−g.
func (f *reader) entropies(raw []float32, sc *readerScratch) (a, b float32) {
	top := float32(math.Inf(-1))
	for _, v := range raw {
		if v > top {
			top = v
		}
	}
	clear(sc.count)
	var sum, first [2]float64 // Σ w and Σ g·w
	deepest := 0
	for _, v := range raw {
		g := top - v
		if at := int(g); at < len(sc.count) && float32(at) == g { // always, in a game
			sc.count[at]++
			deepest = max(deepest, at)
			continue
		}
		for j, odds := range f.odds {
			w := math.Exp(-odds * float64(g))
			sum[j] += w
			first[j] += float64(g) * w
		}
	}
	for g, c := range sc.count[:deepest+1] {
		for j := range sum {
			w := c * f.power[j][g]
			sum[j] += w
			first[j] += float64(g) * w
		}
	}
	whole := math.Log(float64(f.n))
	share := func(j int) float32 { return float32((math.Log(sum[j]) + f.odds[j]*first[j]/sum[j]) / whole) }
	return share(0), share(1)
}
