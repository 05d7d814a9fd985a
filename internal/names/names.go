package names

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Index finds names. It is read-only and may be used concurrently.
type Index struct {
	names  []string
	folded []string // by Fold
	order  []int    // of the names by what is folded
}

// New returns an index of names. Costs O(n log n).
func New(names []string) *Index {
	x := &Index{names: names, folded: make([]string, len(names)), order: make([]int, len(names))}
	for i, name := range names {
		x.folded[i], x.order[i] = Fold(name), i
	}
	slices.SortStableFunc(x.order, func(i, j int) int { return strings.Compare(x.folded[i], x.folded[j]) })
	return x
}

// Fold returns the form in which names are found: small letters without marks, and single spaces. The Pingüin is a
// pinguin.
func Fold(name string) string {
	var b strings.Builder
	space := false
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsSpace(r):
			space = b.Len() > 0
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	return b.String()
}

// Complete returns up to most names that text may be the beginning of: those that begin with it, then those with a word
// that does, then those that contain it, each in alphabetical order. An empty text gets the first names. Costs O(n).
func (x *Index) Complete(text string, most int) []string {
	text = Fold(text)
	var found [3][]string
	for _, i := range x.order {
		kind := kindOf(x.folded[i], text)
		if kind < len(found) && len(found[kind]) < most {
			if found[kind] = append(found[kind], x.names[i]); kind == 0 && len(found[0]) == most {
				break
			}
		}
	}
	all := slices.Concat(found[:]...)
	return all[:min(most, len(all))]
}

// kindOf returns where text is in a name: 0 at its beginning, 1 at that of a word, 2 elsewhere, 3 nowhere.
func kindOf(name, text string) int {
	at := strings.Index(name, text)
	switch {
	case at < 0:
		return 3
	case at == 0:
		return 0
	}
	for from := 0; at >= 0; {
		if from += at; !isLetter(name[:from]) {
			return 1
		}
		from++
		at = strings.Index(name[from:], text)
	}
	return 2
}

// isLetter reports whether a text ends with a letter or a digit.
func isLetter(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}

const (
	mostEdits = 4   // letters of a name that may be mistyped
	longest   = 100 // letters of a text that is compared
	leastPart = 3   // bytes of a text or a name that is looked for in the other
)

// Nearest returns up to most names that were perhaps meant by text, which is none of them. First come those with the fewest
// letters to change, at most a third of them, then those that are a part of text or have it as a part. Costs O(n).
func (x *Index) Nearest(text string, most int) []string {
	text = Fold(text)
	letters := []rune(text)
	if len(letters) == 0 || len(letters) > longest {
		return nil
	}
	type near struct{ name, edits int }
	var found []near
	bound := min(max(len(letters)/3, 1), mostEdits)
	for _, i := range x.order {
		name := x.folded[i]
		edits := Distance(letters, []rune(name), bound)
		if edits <= bound || part(name, text) || part(text, name) {
			found = append(found, near{i, edits})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.edits - b.edits })
	var all []string
	for _, n := range found[:min(most, len(found))] {
		all = append(all, x.names[n.name])
	}
	return all
}

// part reports whether text is in whole, from the beginning of a word.
func part(whole, text string) bool { return len(text) >= leastPart && kindOf(whole, text) < 2 }
