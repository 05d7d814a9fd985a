package spec

import (
	"fmt"
	"strings"

	"mapo/data/table"
	"mapo/internal/names"
)

// Unknown says that a word is not known, with the nearest one that is, or with
// all of them where none is near.
func Unknown(what, word string, known []string) string {
	if near, ok := names.Near(word, known); ok {
		return fmt.Sprintf("unknown %s %s; did you mean %q?", what, table.Quote(word), near)
	}
	return fmt.Sprintf("unknown %s %s; known are %s", what, table.Quote(word), strings.Join(known, ", "))
}
