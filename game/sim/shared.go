package sim

import (
	"math/bits"
	"slices"

	"mapo/game"
	"mapo/internal/num"
)

// shared are the different states of a block's games at one step. All games
// begin in one, and after one answer there are at most 2|X|: a policy, a pure
// function of the state, is asked once for each.
type shared struct {
	n, s []float32 // [U, |X|]
	mask []bool    // [U, |X|]
	left []float32 // [U]

	sum   []uint64 // of the words of a game's answers so far, [G]
	first []int32  // the first game in each state, [U]
	table []int32  // 1 + the state at a hash's place, 0 for none: open addressing, a power of 2
}

func (u *shared) reset(games, d int) {
	u.n, u.s, u.mask = num.Sized(u.n, games*d), num.Sized(u.s, games*d), num.Sized(u.mask, games*d)
	u.left = num.Sized(u.left, games)
	u.sum = zeroed(u.sum, games)
	u.first = num.Sized(u.first, games)
	u.table = num.Sized(u.table, 1<<bits.Len(uint(2*games)))
}

// word stands for an answer: sums of words, one an answer, tell states apart
// whatever the order of the answers, but for an accident that [Block.same] sees.
func word(answer int) uint64 {
	w := uint64(answer+1) * 0x9e3779b97f4a7c15
	w = (w ^ w>>32) * 0xd6e8feb86659fd93
	return w ^ w>>29
}

// gather finds the different states of the games, writes to row which one each
// game is in, [G], and returns them. Games that are over, [G] or nothing, have −1.
func (b *Block) gather(row []int32, left float32, over []bool) game.States {
	u, d := &b.states, b.P.Queries()
	clear(u.table)
	count := 0
	for g := range row {
		if len(over) > 0 && over[g] {
			row[g] = -1
			continue
		}
		at := b.find(g)
		if u.table[at] == 0 {
			u.first[count] = int32(g)
			count++
			u.table[at] = int32(count)
		}
		row[g] = u.table[at] - 1
	}
	s := game.States{N: u.n[:count*d], S: u.s[:count*d], Left: u.left[:count]}
	for i, g := range u.first[:count] {
		from, to := int(g)*d, int(g+1)*d
		copy(s.N[i*d:], b.N[from:to])
		copy(s.S[i*d:], b.S[from:to])
		s.Left[i] = left
	}
	s.Mask = b.asks.Mask(u.mask[:count*d], s.N)
	return s
}

// find returns the place in the table of game g's state, empty where it is a new one.
func (b *Block) find(g int) uint64 {
	u := &b.states
	last := uint64(len(u.table) - 1)
	for at := u.sum[g] & last; ; at = (at + 1) & last {
		if i := u.table[at]; i == 0 || b.same(g, int(u.first[i-1])) {
			return at
		}
	}
}

// same reports whether games g and o are in the same state.
func (b *Block) same(g, o int) bool {
	d := b.P.Queries()
	return b.states.sum[g] == b.states.sum[o] &&
		slices.Equal(b.N[g*d:(g+1)*d], b.N[o*d:(o+1)*d]) &&
		slices.Equal(b.S[g*d:(g+1)*d], b.S[o*d:(o+1)*d])
}

// Zeros returns s with n zeros, in its own memory where that suffices.
func Zeros[E any](s []E, n int) []E {
	s = num.Sized(s, n)
	clear(s)
	return s
}
