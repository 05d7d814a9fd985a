package table

import (
	"golang.org/x/text/unicode/norm"
)

// What a file may hold. A table larger than memory, or a gzip file that unpacks without end, is
// refused before it fills the machine.
const (
	MaxBytes = 1 << 30 // of a file, unpacked
	MaxLine  = 16 << 20
	MaxCells = 1 << 25 // shares; they take 8 bytes each, a problem made of them 4 more
)

// Table is a table of shares. Objects and questions have names that differ after [Fold], every object
// has a known cell, and at least two objects differ.
type Table struct {
	Name    string   // the file, for messages
	Objects []string // [rows]
	Queries []string // [columns]
	// P is the share of "yes" in each cell, in [0, 1], [rows, columns]. In an unknown cell it is the
	// smoothed mean of the column, (Σp + 1)/(n + 2) over its n known cells; in a counted cell (k + ½)/(n + 1).
	P       []float64
	Unknown []bool    // the cells that the file leaves open, [rows, columns]; nil: none
	Counts  []Count   // the cells that are counts, [rows, columns]; nil: none
	Weights []float64 // prior weights above 0, not normalised, [rows]; nil: all equal
	Lines   []int     // the line of the file that each object stands on, [rows]

	Notes    []string // what the reader assumed, for the user to read
	Warnings []string // what is probably not as the user meant it
}

// Count is k answers of "yes" among n. The zero value stands for a cell that is not counted.
type Count struct{ K, N int }

// Share returns the smoothed share of a counted cell.
func (c Count) Share() float64 { return (float64(c.K) + 0.5) / (float64(c.N) + 1) }

// IsUnknown reports whether the file leaves a cell open.
func (t *Table) IsUnknown(row, col int) bool {
	return t.Unknown != nil && t.Unknown[row*len(t.Queries)+col]
}

// Count returns a cell's count, and whether it has one.
func (t *Table) Count(row, col int) (Count, bool) {
	if t.Counts == nil {
		return Count{}, false
	}
	c := t.Counts[row*len(t.Queries)+col]
	return c, c.N > 0
}

// Weight returns an object's prior weight; 1 where the table has none.
func (t *Table) Weight(row int) float64 {
	if t.Weights == nil {
		return 1
	}
	return t.Weights[row]
}

// Row returns the shares of one object, [columns]. It aliases P.
func (t *Table) Row(row int) []float64 {
	n := len(t.Queries)
	return t.P[row*n : (row+1)*n : (row+1)*n]
}

// Columns returns the table with these columns alone, in that order.
func (t *Table) Columns(cols []int) *Table {
	next := &Table{Name: t.Name, Objects: t.Objects, Weights: t.Weights, Lines: t.Lines, Notes: t.Notes, Warnings: t.Warnings}
	for _, col := range cols {
		next.Queries = append(next.Queries, t.Queries[col])
	}
	for row := range t.Objects {
		for _, col := range cols {
			at := row*len(t.Queries) + col
			next.P = append(next.P, t.P[at])
			if t.Unknown != nil {
				next.Unknown = append(next.Unknown, t.Unknown[at])
			}
			if t.Counts != nil {
				next.Counts = append(next.Counts, t.Counts[at])
			}
		}
	}
	return next
}

// Fold returns the form in which names are compared: Unicode's NFC. Two spellings of one text are then
// the same bytes.
func Fold(name string) string { return norm.NFC.String(name) }
