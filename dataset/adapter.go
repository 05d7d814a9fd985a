package dataset

import "mapo/table"

// Graded is t as a table of shares.
func (t *Table) Graded() *table.Table {
	return &table.Table{Name: t.Name, Objects: t.Objects, Queries: t.Queries, P: t.P, Lines: t.lines}
}

// majorities is t as its majorities are read.
func majorities(t *table.Table) *Table {
	return &Table{Name: t.Name, Objects: t.Objects, Queries: t.Queries, P: t.P, lines: t.Lines}
}
