package spec

import (
	"fmt"
	"strings"
)

// unknown says that a word is not known, with the nearest one that is, or with
// all of them where none is near.
func unknown(what, word string, known []string) string {
	shown := word
	if runes := []rune(word); len(runes) > 40 {
		shown = string(runes[:39]) + "…"
	}
	if near, ok := nearest(word, known); ok {
		return fmt.Sprintf("unknown %s %q; did you mean %q?", what, shown, near)
	}
	return fmt.Sprintf("unknown %s %q; known are %s", what, shown, strings.Join(known, ", "))
}

// nearest is the known word at the least edit distance, where that is at most a
// third of its letters (at least 2 may differ in a word of 4 or more).
func nearest(word string, known []string) (string, bool) {
	if len(word) > 100 {
		return "", false
	}
	best, at := -1, 0
	for i, k := range known {
		d := distance(fold(word), fold(k))
		most := max(len(k)/3, 1)
		if len(k) >= 4 {
			most = max(most, 2)
		}
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

// distance is Levenshtein's: letters added, dropped or changed.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	// One row of the table at a time; corner is the cell up and to the left.
	for i, x := range a {
		corner := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := corner
			if x != y {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
