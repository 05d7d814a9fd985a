package policies

import (
	"strconv"

	"golang.org/x/text/unicode/norm"
)

// Bounds is what a request's body may have at most. They follow from the policies
// served: a whole game fits, however its texts are escaped and its JSON indented.
type Bounds struct {
	Body   int64 // bytes
	Values int   // in lists and objects, at any depth
	Text   int   // of a text or key, in bytes
}

const (
	leastText  = 1 << 10 // above what titles, annotators and ids may have
	spareBytes = 16 << 10
	spareKeys  = 256 // of a request besides a game, or of a decision with 200 names
	entryBytes = 160 // {"query": …, "answer": null} without its text, indented
)

// bounds of p: a history answers T times and says "don't know" to each query once,
// and a mask names each query.
func (p *Policy) bounds() Bounds {
	d := p.Game.Questions()
	entries := p.problem.T + d
	var all, longest, text int
	for _, x := range p.Questions() {
		x = norm.NFD.String(x) // the longest spelling that [Policy.Query] takes for x
		n := escaped(x)
		all, longest, text = all+n, max(longest, n), max(text, len(x))
	}
	class := 0
	for _, name := range p.form.Classes() {
		name = norm.NFD.String(name)
		class, text = max(class, escaped(name)), max(text, len(name))
	}
	game := all + p.problem.T*(longest+class) + entries*entryBytes
	mask := d * (len(strconv.Itoa(d)) + 16)
	return Bounds{Body: int64(game + mask + spareBytes), Values: 3*entries + d + spareKeys, Text: max(leastText, text)}
}

// escaped returns how many bytes text has in JSON at most: \uXXXX for each unit of UTF-16.
func escaped(text string) int {
	n := len(`""`)
	for _, r := range text {
		n += len(`\uXXXX`)
		if r > 0xffff {
			n += len(`\uXXXX`)
		}
	}
	return n
}

// boundsOf returns the most that any of the policies needs.
func boundsOf(policies ...[]*Policy) Bounds {
	var b Bounds
	for _, list := range policies {
		for _, p := range list {
			one := p.bounds()
			b = Bounds{max(b.Body, one.Body), max(b.Values, one.Values), max(b.Text, one.Text)}
		}
	}
	return b
}
