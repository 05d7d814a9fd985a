package dataset

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table is a table as it was read: one object a row, one query a column, a cell
// P(yes).
type Table struct {
	Name    string    // the file, for messages
	Queries []string  // [columns]
	Objects []string  // [rows]
	P       []float64 // P(yes), in [0, 1], [rows, columns]
	lines   []int     // where each object stands, [rows]
	hint    string    // what the first line says of the cells' separator, "" where it is the comma
}

// ReadTable reads the table in a .csv or .csv.gz file: a header
// object,<query>,…, whose first cell may be any text, then one object a row. Blank lines, CRLF, a BOM and blanks
// around cells are tolerated, control characters read as blanks; everything else is an error with its line.
func ReadTable(path string) (*Table, error) {
	l, err := openLines(path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return readTable(l)
}

// ParseTable is ReadTable from r; name stands for the file in messages, and
// gzip is unpacked where it ends in .gz.
func ParseTable(r io.Reader, name string) (*Table, error) {
	l, err := newLines(r, name)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return readTable(l)
}

// readTable is both readers, once the file is open. A table with nothing to
// tell apart is refused here, one whose objects only look different by
// [Table.Problem].
func readTable(l *lines) (*Table, error) {
	t := &Table{Name: l.name}
	if err := t.header(l); err != nil {
		return nil, err
	}
	first := make(map[string]int)
	for {
		cells, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := t.row(l, cells, first); err != nil {
			return nil, err
		}
	}
	switch len(t.Objects) {
	case 0:
		return nil, l.fault("the table has a header and no rows: write one object a line below it")
	case 1:
		return nil, l.fault("the table has one object, %s: a game needs at least 2 that differ", quote(t.Objects[0]))
	}
	return t, nil
}

// header reads the names of the queries. Two queries of one name would make a
// game nobody can answer, so they are refused, not merged. Where all names are numbers the table
// lacks its header, and its first object would be lost.
func (t *Table) header(l *lines) error {
	cells, err := l.next()
	if errors.Is(err, io.EOF) {
		return l.fault("the file is empty: the first line names the columns, object,<query>,…")
	}
	if err != nil {
		return err
	}
	t.hint = otherSeparator(l.text)
	if len(cells) < 2 {
		return l.fault("the table has no queries: the first line names them, object,<query>,…%s", t.hint)
	}
	t.Queries = cells[1:]
	if !slices.ContainsFunc(t.Queries, func(name string) bool { _, err := number(name); return err != nil }) {
		return l.fault("all queries are named by numbers (the first: %s), so the header seems to be missing: write a first line object,<query>,…, with names that are not numbers", quote(t.Queries[0]))
	}
	return names(l, t.Queries)
}

// otherSeparator returns a hint where a table's first line has more semicolons or tabs than commas.
func otherSeparator(text []byte) string {
	count := func(separator string) int { return bytes.Count(text, []byte(separator)) }
	for _, s := range []struct{ mark, name string }{{";", "semicolons"}, {"\t", "tabs"}} {
		if count(s.mark) > count(",") {
			return fmt.Sprintf(". The first line has %s where commas are expected: save the table with commas between cells and points in numbers", s.name)
		}
	}
	return ""
}

// names checks the names of the queries, which start in column 2.
func names(l *lines, queries []string) error {
	first := make(map[string]int, len(queries))
	for i, name := range queries {
		switch at, ok := first[name]; {
		case name == "":
			return l.fault("column %d has no name: name its query or remove the column", i+2)
		case ok:
			return l.fault("query %s names columns %d and %d: rename one or remove it", quote(name), at, i+2)
		}
		first[name] = i + 2
	}
	return nil
}

// row adds one object; first is the line each name was first seen at.
func (t *Table) row(l *lines, cells []string, first map[string]int) error {
	name := cells[0]
	switch at, ok := first[name]; {
	case len(cells) != len(t.Queries)+1:
		return l.fault("the row has %d cells, the header %d: each row is an object and one P(yes) for each query%s", len(cells), len(t.Queries)+1, t.hint)
	case name == "":
		return l.fault("the object has no name: write one in the first cell")
	case ok:
		return l.fault("object %s stands on line %d too: rename one or remove it", quote(name), at)
	case (len(t.Objects)+1)*(len(t.Queries)+nameCells) > MaxCells:
		return l.fault("the table has more than %d cells (an object's name counts as %d), too many to hold: remove queries or rows", MaxCells, nameCells)
	}
	if cells := len(t.P) + len(t.Queries); cells > cap(t.P) {
		if err := l.room(cells); err != nil {
			return err
		}
	}
	for i, cell := range cells[1:] {
		v, err := number(cell)
		switch {
		case err != nil:
			return l.fault("column %d (%s) is %s, not a number: write P(yes) from 0 to 1%s", i+2, quote(t.Queries[i]), quote(cell), t.hint)
		case !(v >= 0 && v <= 1):
			return l.fault("column %d (%s) is %v, outside [0, 1]: write P(yes) from 0 to 1", i+2, quote(t.Queries[i]), v)
		}
		t.P = append(t.P, v)
	}
	first[name] = l.line
	t.Objects, t.lines = append(t.Objects, name), append(t.lines, l.line)
	return nil
}

// number is a cell's value; NaN is no number.
func number(cell string) (float64, error) {
	v, err := strconv.ParseFloat(cell, 64)
	if err == nil && (math.IsNaN(v) || strings.ContainsAny(cell, "_xX")) { // Go's own ways of writing
		err = strconv.ErrSyntax
	}
	// 1e999 is a number, only too large: the caller's range check says so.
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return v, err
}

// isCorrupt reports a fault inside compressed data.
func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt)
}
