package dataset

import (
	"errors"
	"strconv"

	"mapo/data/table"
	"mapo/game"
)

// ReadInstances reads the instances in a CSV file (or .csv.gz), one a row, [M]
// rows of |X| numbers: the mean answer to query i, from −1 to 1, or within the bound of Gaussian answers, which it is
// divided by. A first row that is not all numbers is checked as the names of p's queries, in order. It
// is what --theta and a spec's instances: read. With [game.Vectors] a row is θ itself, a number for each entry of a vector.
func ReadInstances(path string, p *game.Problem) ([][]float64, error) {
	return read(path, func(l *lines) ([][]float64, error) { return readInstances(l, p) })
}

// readInstances returns both readers, once the file is open.
func readInstances(l *lines, p *game.Problem) ([][]float64, error) {
	var rows [][]float64
	first := true
	x, each := entries(p)
	err := eachLine(l.next, func(cells []string) error {
		head := first && !numbers(cells)
		if first = false; head && x == nil {
			return sameNames(l, cells, p)
		}
		if (len(rows)+1)*p.Queries() > MaxCells {
			return l.fault("the file has more than %d numbers, too many to hold: split it", MaxCells)
		}
		theta, err := instance(l, cells, p)
		if x != nil {
			theta, err = vectorInstance(l, cells, p, x, each)
		}
		rows = append(rows, theta)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, l.fault("the file has no instances: write one a line, %d numbers each", each)
	}
	return rows, nil
}

// entries returns the vectors of the queries where a row of instances is a θ to multiply them by, nil where it is the mean
// answers, and how many numbers a row has.
func entries(p *game.Problem) (x []float64, each int) {
	switch v := p.Goal().(type) {
	case *game.Vectors:
		return v.X, v.Dim
	default:
		return nil, p.Queries()
	}
}

// instance returns one row as a θ. ±1 is allowed, unlike in what an adversary moves
// (reading 2): given instances are never clipped.
func instance(l *lines, cells []string, p *game.Problem) ([]float64, error) {
	theta, bound := make([]float64, len(cells)), p.Answer().Unit()
	if len(cells) != p.Queries() {
		return nil, l.fault("the row has %d cells, the problem %d queries: write one number in [%g, %g] for each", len(cells), p.Queries(), -bound, bound)
	}
	for i, cell := range cells {
		v, err := number(cell)
		switch {
		case err != nil:
			return nil, l.fault("column %d (%s) is %s, not a number: write the mean answer from %g to %g", i+1, table.Quote(p.X[i]), table.Quote(cell), -bound, bound)
		case !(v >= -bound && v <= bound):
			return nil, l.fault("column %d (%s) is %v, outside [%g, %g]: write the mean answer from %g to %g", i+1, table.Quote(p.X[i]), v, -bound, bound, -bound, bound)
		}
		theta[i] = v / bound
	}
	return theta, shared(l, theta, p)
}

// printed is how far a probability may be off by θ printed to three decimals, as reports have it.
const printed = 3e-4

// shared reports the first cell of items in which the probabilities of classes, (1 + θ_i)/2, sum to
// more than 1, or to less where some classifier predicts each class.
func shared(l *lines, theta []float64, p *game.Problem) error {
	q, item := p.Questions(), 0
	for c := range q.Len() {
		lo, hi := q.Columns(c)
		var sum float64
		for _, v := range theta[lo:hi] {
			sum += (1 + v) / 2
		}
		if off, slack := sum-1, printed*float64(hi-lo); off > slack || off < -slack && q.All(c) {
			most := "at most 1"
			if q.All(c) {
				most = "1"
			}
			return l.fault("columns %d to %d, the classes of item %s, have probabilities (1 + θ)/2 that sum to %.4g; an item has one class: write θ such that they sum to %s",
				lo+1, hi, table.Quote(p.Texts()[item]), sum, most)
		}
		item += q.Room(c)
	}
	return nil
}

// numbers reports whether cells are all numbers, NaN among them: a row of NaN is
// a bad instance and no header.
func numbers(cells []string) bool {
	for _, cell := range cells {
		if _, err := strconv.ParseFloat(cell, 64); errors.Is(err, strconv.ErrSyntax) {
			return false
		}
	}
	return true
}

// sameNames checks a header against the problem: columns in another order would
// otherwise be read as other queries without a word.
func sameNames(l *lines, cells []string, p *game.Problem) error {
	for i, name := range cells {
		if i >= p.Queries() || table.Fold(name) != table.Fold(p.X[i]) {
			want := "nothing"
			if i < p.Queries() {
				want = table.Quote(p.X[i])
			}
			return l.fault("column %d is %s, want %s: a first row that is not all numbers must name the problem's %d queries in order", i+1, table.Quote(name), want, p.Queries())
		}
	}
	if len(cells) < p.Queries() {
		return l.fault("the row names %d queries, the problem has %d", len(cells), p.Queries())
	}
	return nil
}
