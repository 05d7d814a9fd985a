package game

import "math"

// Questions are what can be asked. States count each by columns lo … hi−1 of N and S: a question of C classes has one for each
// class that may come and that hypotheses tell apart, at most C. All of a question's columns are asked together: an answer adds
// 1 to the sum of the column of its class, and takes 1 from the others. Yes and no are two classes with one column, of yes; so
// are the two classes of a pool, with that of the second. A number has one column, to which it is added.
type Questions struct {
	d     int
	once  bool
	cells *Labels // of a pool
}

// Questions returns what can be asked in games of p.
func (p *Problem) Questions() Questions { return Questions{len(p.X), p.AskOnce, p.pool()} }

// Width returns how many columns a state has, |X|.
func (q Questions) Width() int { return q.d }

// Len returns how many there are.
func (q Questions) Len() int {
	if q.cells == nil {
		return q.d
	}
	return q.cells.Cells()
}

// Columns returns those of question c, lo … hi−1.
func (q Questions) Columns(c int) (lo, hi int) {
	if q.cells == nil {
		return c, c + 1
	}
	return q.cells.Queries(c)
}

// Of returns the question that column i belongs to.
func (q Questions) Of(i int) int {
	if q.cells == nil {
		return i
	}
	return q.cells.CellOf(i)
}

// Item returns the question that text i of [Problem.Texts] belongs to.
func (q Questions) Item(i int) int {
	if q.cells == nil {
		return i
	}
	return q.cells.CellOfItem(i)
}

// Classes returns how many classes answers to question c may have, C: 2 of yes and no, and of numbers, which are above 0 or not.
func (q Questions) Classes(int) int {
	if q.cells == nil {
		return 2
	}
	return len(q.cells.Classes)
}

// Class returns the class of column i.
func (q Questions) Class(i int) int {
	if q.cells == nil || q.cells.Of == nil {
		return 1
	}
	return int(q.cells.Of[i])
}

// Tells returns by how much an answer tells a hypothesis that expects it from another one in Σ_i z_i S_i: 1, or 2 where it
// counts in two columns.
func (q Questions) Tells() float64 {
	if q.Len() < q.d {
		return 2
	}
	return 1
}

// All reports whether question c has a column for each class: their probabilities then sum to 1.
func (q Questions) All(c int) bool {
	lo, hi := q.Columns(c)
	return hi-lo == q.Classes(c)
}

// Room returns how often question c may be asked.
func (q Questions) Room(c int) int {
	switch {
	case q.cells != nil:
		return q.cells.Room(c)
	case q.once:
		return 1
	}
	return math.MaxInt
}

// Mask writes to mask, [B,|X|], which columns may not be asked after n answers each, [B,|X|], and returns it; nil where all may be
// asked as often as one likes.
func (q Questions) Mask(mask []bool, n []float32) []bool {
	switch {
	case q.cells != nil:
		for from := 0; from < len(n); from += q.d {
			for c := range q.cells.Cells() {
				lo, hi := q.cells.Queries(c)
				closed := int(n[from+lo]) >= q.cells.Room(c)
				for i := lo; i < hi; i++ {
					mask[from+i] = closed
				}
			}
		}
	case q.once:
		for at, times := range n {
			mask[at] = times > 0
		}
	default:
		return nil
	}
	return mask
}

// Open writes to dst, [|X|], the open items of each column's question, after n answers each, [|X|], shared among its columns: what a
// policy's probabilities are to be proportional to that draws an item at random. It is 1 where questions are not items.
func (q Questions) Open(dst, n []float32) {
	for c := range q.Len() {
		lo, hi := q.Columns(c)
		open := float32(1)
		if q.cells != nil {
			open = max(0, float32(q.cells.Room(c))-n[lo]) / float32(hi-lo)
		}
		for i := lo; i < hi; i++ {
			dst[i] = open
		}
	}
}

// ByItems multiplies a distribution over columns, [|X|], by what [Questions.Open] writes. Where questions are not items it stays.
func (q Questions) ByItems(row, n []float32) {
	if q.cells == nil {
		return
	}
	var sum float32
	for c := range q.Len() {
		lo, hi := q.Columns(c)
		open := max(0, float32(q.cells.Room(c))-n[lo]) / float32(hi-lo)
		for i := lo; i < hi; i++ {
			row[i] *= open
			sum += row[i]
		}
	}
	for i := range row {
		row[i] /= sum
	}
}

// AddItems adds the logarithm of what [Questions.Open] writes to logits, [B,|X|], n answers each. A network that tells no column from
// another then draws an item at random, and one that tells items alike treats a pool alike however its items are laid out.
func (q Questions) AddItems(logits, n []float32) {
	if q.cells == nil {
		return
	}
	for at := 0; at < len(logits); at += q.d {
		for c := range q.Len() {
			lo, hi := q.Columns(c)
			open := float64(q.cells.Room(c)) - float64(n[at+lo])
			mass := float32(math.Log(max(1, open) / float64(hi-lo))) // the mask forbids those without an open item
			for i := lo; i < hi; i++ {
				logits[at+i] += mass
			}
		}
	}
}

// Left returns the means of question c's columns among the items that have no answer yet, after n answers that sum to s, [|X|].
// theta, [|X|], is of whole items ([Problem.IsItems]). They are written to dst, [columns], unless a question has no items: it is
// answered by theta again and again.
func (q Questions) Left(dst, theta []float64, n, s []float32, c int) []float64 {
	lo, hi := q.Columns(c)
	if q.cells == nil {
		return theta[lo:hi]
	}
	room := float64(q.cells.Room(c))
	for i := lo; i < hi; i++ {
		left := math.Round((1+theta[i])/2*room) - float64(n[i]+s[i])/2
		dst[i-lo] = 2*left/(room-float64(n[i])) - 1
	}
	return dst[:hi-lo]
}

// Texts returns the texts of what people are asked about: the items of a pool, of which a question has [Questions.Room], else
// the queries. They must not be changed.
func (p *Problem) Texts() []string {
	if p.pool() != nil {
		return p.pool().Items
	}
	return p.X
}
