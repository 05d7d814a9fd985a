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
func (p *Problem) Questions() Questions { return Questions{len(p.X), p.AskOnce, p.Labels} }

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

// Texts returns the texts of what people are asked about: the items of a pool, of which a question has [Questions.Room], else
// the queries. They must not be changed.
func (p *Problem) Texts() []string {
	if p.Labels != nil {
		return p.Labels.Items
	}
	return p.X
}
