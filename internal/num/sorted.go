package num

import (
	"math"
	"math/bits"
	"slices"
)

// Of many rows whole numbers as scores sort fast. What few different scores have in common need be worked out once
// for each: softmaxes by the number of rows that have a score, their sums over rows by the sums of these rows.

const (
	manyRows     = 128 // from how many rows on a table takes this way
	countColumns = 128 // what a kernel of countOnes takes at a time
)

// MostScores is how many different scores [Sorted.Sort] takes.
const MostScores = 256

// Sorted are the rows of a [Table] by their scores, the best first. The zero value has none.
type Sorted struct {
	Gaps  []int   // how far each score is below the best, increasing; scores that no row has are left out
	Start []int32 // where the rows of each begin, and where the last one's end, [len(Gaps)+1]
	rows  []int32 // those of one score as they stand
	gap   []uint8 // of each row
}

// Many reports whether the table has the rows for which [Sorted] is meant.
func (t *Table) Many() bool { return t.rows >= manyRows }

// wide returns the columns rounded up to what countOnes takes.
func (t *Table) wide() int { return (t.cols + countColumns - 1) / countColumns * countColumns }

// longWords returns how many long words a row has.
func (t *Table) longWords() int { return (t.cols + 63) / 64 }

// Sort takes a score for each row, whole numbers all, and the largest of them. It reports false where they are so far
// apart or so many that nothing is gained.
//
// Cost: rows operations, twice.
func (s *Sorted) Sort(v []float32, top float32) bool {
	const parts = 4 // of the rows, counted apart: an addition does not wait for the one before
	n := len(v)
	part := n / parts
	s.Gaps, s.Start = s.Gaps[:0], s.Start[:0]
	s.gap, s.rows = Sized(s.gap, n), Sized(s.rows, n)
	var next [parts][MostScores]int32 // how many rows of a part have a gap, then where the next of them goes
	most := uint32(0)
	count := func(k, p int) {
		gap := uint32(int32(top - v[k]))
		most = max(most, gap)
		s.gap[k] = uint8(gap)
		next[p][uint8(gap)]++
	}
	for k := range part {
		for p := range parts {
			count(p*part+k, p)
		}
	}
	for k := parts * part; k < n; k++ {
		count(k, parts-1)
	}
	if most >= MostScores {
		return false
	}
	at := int32(0)
	for gap := range most + 1 {
		from := at
		for p := range next {
			next[p][gap], at = at, at+next[p][gap]
		}
		if at > from {
			s.Gaps, s.Start = append(s.Gaps, int(gap)), append(s.Start, from)
		}
	}
	s.Start = append(s.Start, at)
	put := func(k, p int) {
		to := &next[p][s.gap[k]]
		s.rows[*to] = int32(k)
		*to++
	}
	for k := range part {
		for p := range parts {
			put(p*part+k, p)
		}
	}
	for k := parts * part; k < n; k++ {
		put(k, parts-1)
	}
	return len(s.Gaps) <= n/8
}

// Room returns the length of dst that [Table.CountOnes] needs for so many scores.
func (t *Table) Room(scores int) int { return scores*t.cols + countColumns }

// CountOnes writes how many of the rows with each of the sorted scores have a 1 in each column to dst, [scores, cols],
// and uses up to [Table.Room] of it. All kernels give the same numbers.
//
// Cost: rows·cols additions of bytes.
func (t *Table) CountOnes(dst []float32, s *Sorted) {
	size("dst", len(dst), t.Room(len(s.Gaps)))
	size("scores", len(s.rows), t.rows)
	t.countOnes(active, dst, s)
}

func (t *Table) countOnes(by kernel, dst []float32, s *Sorted) {
	clear(dst)
	for g := range s.Gaps { // what a kernel adds beyond a row of dst are zeros
		by.countOnes(dst[g*t.cols:], s.rows[s.Start[g]:s.Start[g+1]], t)
	}
}

// Opposed computes [Opposed] for one row of sorted scores v, of which those that matter come first.
//
// Cost: cols operations, and words for each row before all columns are decided, usually a few dozen.
func (t *Table) Opposed(dst []float32 /* [t.Width()] */, v []float32 /* [rows] */, best int, s *Sorted) {
	size("dst", len(dst), t.Width())
	size("v", len(v), t.rows)
	size("scores", len(s.rows), t.rows)
	for i := range dst {
		dst[i] = float32(math.Inf(-1))
	}
	words := t.longWords()
	for w := range words {
		star := t.long[best*words+w]
		var open uint64 // columns that are not decided
		for i, word := range t.varied[4*w : min(4*w+4, t.words)] {
			open |= uint64(word) << (16 * i)
		}
		for _, k := range s.rows {
			if open == 0 {
				break
			}
			found := (t.long[int(k)*words+w] ^ star) & open
			for open ^= found; found != 0; found &= found - 1 {
				dst[64*w+bits.TrailingZeros64(found)] = v[k]
			}
		}
	}
}

// Sized returns s with n entries of any content, in its own memory where that suffices.
func Sized[E any](s []E, n int) []E { return slices.Grow(s[:0], n)[:n] }
