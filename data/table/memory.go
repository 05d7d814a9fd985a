package table

import (
	"fmt"
	"math"
	"slices"
)

// New makes a table of shares that are in memory: shares[i][j] is how often object i answers question j with yes, or NaN
// where that is unknown. weights are prior weights, one for each object; nil: all equal. The table is checked as a file is.
// An error names row and column, counted from 1; name stands for the table.
func New(name string, objects, queries []string, shares [][]float64, weights []float64) (*Table, error) {
	m := inMemory{name, objects, queries, shares, weights}
	for _, check := range []func() error{m.sizes, m.names, m.cells} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	t := newTable(name, slices.Clone(objects), slices.Clone(queries))
	for i, row := range shares {
		for j, share := range row {
			t.put(i, j, reading{share: share, unknown: math.IsNaN(share)})
		}
	}
	if !t.differ() {
		return nil, m.fault("all %d rows are alike; a game needs at least 2 that differ. Add a question that separates some of them.", len(shares))
	}
	t.FillUnknown()
	t.Weights, t.Lines = slices.Clone(weights), make([]int, len(objects))
	for i := range t.Lines {
		t.Lines[i] = i + 1
	}
	r := &reader{name: name}
	r.totals(t)
	r.open(t)
	t.Warnings = r.warnings
	return t, nil
}

// inMemory is what [New] is given.
type inMemory struct {
	name             string
	objects, queries []string
	shares           [][]float64
	weights          []float64
}

func (m *inMemory) fault(format string, a ...any) error {
	return fmt.Errorf("%s: %s", m.name, fmt.Sprintf(format, a...))
}

// row returns the place of a row for a message.
func (m *inMemory) row(i int) string { return fmt.Sprintf("row %d (%s)", i+1, Quote(m.objects[i])) }

// sizes refuses lists that do not fit each other, and tables too small or too large.
func (m *inMemory) sizes() error {
	switch rows, columns := len(m.objects), len(m.queries); {
	case rows < 2:
		return m.fault("objects: %d; a game needs at least 2 that differ. Add another.", rows)
	case columns == 0:
		return m.fault("the table has no questions; every column is one. Add a column.")
	case rows > MaxCells/(columns+nameCells):
		return m.fault("the table has more than %d cells (an object's name counts as %d), too many to hold. Remove questions or rows.", MaxCells, nameCells)
	case len(m.shares) != rows:
		return m.fault("rows of shares: %d; objects: %d. Give each object one row.", len(m.shares), rows)
	case m.weights != nil && len(m.weights) != rows:
		return m.fault("weights: %d; objects: %d. Give each object one weight.", len(m.weights), rows)
	}
	for i, row := range m.shares {
		if len(row) != len(m.queries) {
			return m.fault("%s: cells: %d; questions: %d. Add or remove cells; NaN stands for an unknown one.", m.row(i), len(row), len(m.queries))
		}
	}
	return nil
}

// names checks the names of rows and columns.
func (m *inMemory) names() error {
	if err := m.named("row", "object", m.objects); err != nil {
		return err
	}
	return m.named("column", "question", m.queries)
}

// named refuses names that a file could not hold, or that are equal.
func (m *inMemory) named(place, what string, names []string) error {
	first := make(map[string]int, len(names))
	for i, name := range names {
		switch other, twice := first[key(name)]; {
		case Clean(name) == "":
			return m.fault("%s %d: the %s has no name. Write one.", place, i+1, what)
		case Clean(name) != name:
			return m.fault("%s %d: the name %s has control characters, or blanks around it. Use %s.", place, i+1, Quote(name), Quote(Clean(name)))
		case twice:
			return m.fault("%ss %d and %d have one name, %s; the names of %ss must differ. Rename one or remove it.", place, other, i+1, Quote(name), what)
		}
		first[key(name)] = i + 1
	}
	return nil
}

// cells refuses what is neither a share nor unknown, objects without a known cell, and weights that are not above 0.
func (m *inMemory) cells() error {
	for i, row := range m.shares {
		for j, share := range row {
			if share < 0 || share > 1 {
				return m.fault("%s, column %d (%s) is %v; a share is from 0 to 1, or NaN where it is unknown. Correct it.", m.row(i), j+1, Quote(m.queries[j]), share)
			}
		}
		if !slices.ContainsFunc(row, func(share float64) bool { return !math.IsNaN(share) }) {
			return m.fault("%s has no known cell; a row needs at least one. Fill it in, or remove the row.", m.row(i))
		}
		if m.weights != nil && !(m.weights[i] > 0 && m.weights[i] <= 1e300) {
			return m.fault("%s has the weight %v; a weight is a number above 0. Correct it, or remove the row.", m.row(i), m.weights[i])
		}
	}
	return nil
}
