package dataset

import (
	"bytes"
	"fmt"
	"io"

	"mapo/data/table"
)

// Describe says what was assumed, what looks wrong, and what the table is.
func Describe(w io.Writer, t *table.Table) error {
	var b bytes.Buffer
	for _, text := range t.Notes {
		fmt.Fprintf(&b, "assumed: %s\n", text)
	}
	for _, text := range t.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", text)
	}
	unknown, counted := 0, 0
	for _, open := range t.Unknown {
		if open {
			unknown++
		}
	}
	for _, k := range t.Counts {
		if k.N > 0 {
			counted++
		}
	}
	fmt.Fprintf(&b, "a table of %d objects and %d questions", len(t.Objects), len(t.Queries))
	if counted > 0 {
		fmt.Fprintf(&b, ", %d cells are counts", counted)
	}
	if unknown > 0 {
		fmt.Fprintf(&b, ", %d cells are unknown", unknown)
	}
	if t.Weights != nil {
		fmt.Fprintf(&b, ", with prior weights")
	}
	fmt.Fprintln(&b)
	if len(Alike(t)) < 2 {
		fmt.Fprintln(&b, "all objects have the same shares: a game needs at least 2 that differ")
	}
	_, err := w.Write(b.Bytes())
	return err
}
