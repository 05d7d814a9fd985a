package dataset

import (
	"io"

	"mapo/data/table"
)

// Table is a table of shares as a source of problems: one object a row, one query a column.
type Table = table.Table

// ReadTable reads the table in a file that a command is given, as import does without a flag. weights is the column of prior
// weights; "": the one headed mapo:weight, if there is one.
func ReadTable(path, weights string) (*Table, error) {
	return table.Read(path, table.Options{Weights: weights})
}

// ParseTable reads a table from r as [ReadTable] does from a file; name stands for the file in messages.
func ParseTable(r io.Reader, name string) (*Table, error) {
	return table.Parse(r, name, table.Options{})
}
