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
	if near, ok := Nearest(word, known); ok {
		return fmt.Sprintf("unknown %s %s; did you mean %q?", what, table.Quote(word), near)
	}
	return fmt.Sprintf("unknown %s %s; known are %s", what, table.Quote(word), strings.Join(known, ", "))
}

// Nearest returns the known word at the least edit distance, where that is at most a
// third of its letters (at least 2 may differ in a word of 4 or more).
func Nearest(word string, known []string) (string, bool) {
	if len(word) > 100 {
		return "", false
	}
	best, at := -1, 0
	for i, k := range known {
		most := max(len(k)/3, 1)
		if len(k) >= 4 {
			most = max(most, 2)
		}
		d := names.Distance(fold(word), fold(k), most)
		if d <= most && (best < 0 || d < best) {
			best, at = d, i
		}
	}
	if best < 0 {
		return "", false
	}
	return known[at], true
}

// fold makes lambda_Pol-reg and lambda_pol_reg the same word.
func fold(s string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(s), "_", "-"))
}
