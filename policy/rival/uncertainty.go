package rival

import (
	"math"
	"sync"

	"mapo/game"
)

// Uncertainty returns uncertainty sampling in the very small budget setting (App. G).
// It finds the hypotheses that fit the answers so far best, ⟨z, θ̂⟩ within
// [game.Tie] of the maximum (reading 4), with all the runners-up that tie where
// the best is unique. It asks a query they disagree on, uniformly. θ̂ is of the
// answers so far, not of all T, and where no such query may be asked any other
// that may is (reading 9). O(|Z|·(asked queries + |X|/64)) a state.
//
// Where p has [game.Shares] or labels, hypotheses are scored as [game.LeastSquares] does, and query i is asked with probability
// ∝ |z_i − z′_i| of the best and the runner-up. That is the same where all z are 0 or 1. With several runners-up it is the
// mean over them, and with several best ones the mean of |z_i − their mean|.
func Uncertainty(p *game.Problem) game.Policy {
	if familyOf(p).graded {
		return newGraded(p)
	}
	u := &uncertainty{d: p.Queries(), n: p.Hypotheses(), words: (p.Queries() + 63) / 64}
	u.row = make([]uint64, u.n*u.words)
	u.ones = make([][]int32, u.d)
	for k := range u.n {
		for i, z := range p.Says(k) {
			if z > 0.5 {
				u.row[k*u.words+i/64] |= 1 << (i % 64)
				u.ones[i] = append(u.ones[i], int32(k))
			}
		}
	}
	u.pool.New = func() any {
		return &uncertaintyScratch{
			score: make([]float32, u.n),
			some:  make([]uint64, u.words),
			all:   make([]uint64, u.words),
			pick:  make([]bool, u.d),
		}
	}
	return u
}

// uncertainty keeps 𝒵 twice: as rows of bits for the symmetric difference and as
// columns of indices for the scores.
type uncertainty struct {
	d, n, words int
	row         []uint64  // the hypotheses as bit sets of queries, [|Z|, words]
	ones        [][]int32 // per query the hypotheses with z_i = 1
	pool        sync.Pool
}

type uncertaintyScratch struct {
	score []float32 // ⟨z, θ̂⟩, [|Z|]
	some  []uint64  // queries where some z of the set is 1, [words]
	all   []uint64  // queries where all are, [words]
	pick  []bool    // [|X|]
}

// String returns the name in specs and results.
func (*uncertainty) String() string { return "uncertainty" }

// Probs writes to dst, [B, |X|], the uniform distribution over SymDiff(Ẑ_t) as far as the mask allows.
func (u *uncertainty) Probs(dst []float32, s game.States) {
	sc := u.pool.Get().(*uncertaintyScratch)
	defer u.pool.Put(sc)
	rows(dst, s, u.d, func(row, n, sum []float32, mask []bool) {
		u.scores(sc.score, n, sum)
		u.symDiff(sc)
		game.UniformOver(row, sc.pick, mask)
	})
}

// scores writes [game.Problem.Scores] to dst by lists of ones: the same additions in the same order, so both
// agree on ties to the bit.
func (u *uncertainty) scores(dst, n, s []float32) {
	clear(dst)
	for i, sum := range s {
		if n[i] == 0 || sum == 0 {
			continue
		}
		mean := sum / n[i]
		for _, k := range u.ones[i] {
			dst[k] += mean
		}
	}
}

// symDiff picks SymDiff(Ẑ_t): the queries on which the best hypotheses disagree,
// or the best and its runners-up.
func (u *uncertainty) symDiff(sc *uncertaintyScratch) {
	best := float32(math.Inf(-1))
	for _, v := range sc.score {
		best = max(best, v)
	}
	from, count := best-game.Tie, 0
	second := float32(math.Inf(-1))
	for _, v := range sc.score {
		if v >= from {
			count++
		} else {
			second = max(second, v)
		}
	}
	if count == 1 {
		from = second - game.Tie
	}
	clear(sc.some)
	for j := range sc.all {
		sc.all[j] = ^uint64(0)
	}
	for k, v := range sc.score {
		if v < from {
			continue
		}
		for j, w := range u.row[k*u.words:][:u.words] {
			sc.some[j] |= w
			sc.all[j] &= w
		}
	}
	for i := range sc.pick {
		sc.pick[i] = (sc.some[i/64]&^sc.all[i/64])>>(i%64)&1 == 1
	}
}
