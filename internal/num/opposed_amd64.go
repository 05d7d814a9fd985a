package num

import (
	"math"
	"math/bits"
)

// Of many rows few decide what the others are opposed by: once some of the best have been looked at, only those
// above the least that a column has got can still change it.

const (
	fewOfRows = 256 // from how many rows on it pays to look for these few
	firstFew  = 64  // how many are looked at first, at most
)

// few is a list of rows to look at: their values, and their bits side by side.
type few struct {
	marks, bits []uint16
	v, more     []float32
}

func (s *simd) runOpposed(dst, v []float32, best []uint16, t *Table) {
	if t.rows < fewOfRows {
		s.opposed(&dst[0], &v[0], &t.bits[0], &best[0], t.rows, t.words)
		return
	}
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	l, inf := &m.few, float32(math.Inf(1))
	from := s.leastTop(&v[0], t.rows/s.lanes)
	whole := s.gather(l, v, t, from, inf, firstFew)
	if len(l.v) > 0 {
		s.opposed(&dst[0], &l.v[0], &l.bits[0], &best[0], len(l.v), t.words)
		least := inf
		for i, x := range dst[:t.cols] {
			if x < least && t.varied[i/16]>>(i%16)&1 != 0 {
				least = x
			}
		}
		below := from // which rows have been looked at
		if !whole {
			below = inf
		}
		if least >= below || s.gather(l, v, t, math.Nextafter32(least, inf), below, t.rows/2) && len(l.v) == 0 {
			return
		}
		if len(l.v) < t.rows/2 {
			l.more = grown(l.more, len(dst))
			s.opposed(&l.more[0], &l.v[0], &l.bits[0], &best[0], len(l.v), t.words)
			for i, x := range l.more {
				dst[i] = max(dst[i], x)
			}
			return
		}
	}
	s.opposed(&dst[0], &v[0], &t.bits[0], &best[0], t.rows, t.words)
}

// gather lists the rows with from ≤ v < below, at most so many, and reports whether these are all.
func (s *simd) gather(l *few, v []float32, t *Table, from, below float32, most int) bool {
	vectors := t.rows / s.lanes
	if cap(l.marks) < vectors+1 {
		l.marks = make([]uint16, vectors+1)
	}
	l.marks = l.marks[:vectors+1]
	l.v, l.bits = l.v[:0], l.bits[:0]
	s.atLeast(&l.marks[0], &v[0], vectors, from)
	l.marks[vectors] = 0
	for i, x := range v[vectors*s.lanes:] {
		if x >= from {
			l.marks[vectors] |= 1 << i
		}
	}
	for w, marks := range l.marks {
		for ; marks != 0; marks &= marks - 1 {
			k := w*s.lanes + bits.TrailingZeros16(marks)
			if v[k] >= below {
				continue
			}
			if len(l.v) == most {
				return false
			}
			l.v = append(l.v, v[k])
			l.bits = append(l.bits, t.bits[k*t.words:(k+1)*t.words]...)
		}
	}
	return true
}
