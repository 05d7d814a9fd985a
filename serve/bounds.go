package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	mostDepth  = 8   // of lists and objects in each other; requests need 3
	mostNumber = 100 // characters of a number
	mostKeys   = 32  // of an object; no request has as many
)

// bounds is what a request's body may have at most. They follow from the policies
// served: a whole game fits, however its texts are escaped and its JSON indented.
type bounds struct {
	body   int64 // bytes
	values int   // in lists and objects, at any depth
	text   int   // of a text or key, in bytes
}

const (
	leastText  = 1 << 10 // above what titles, annotators and ids may have
	spareBytes = 16 << 10
	spareKeys  = 256 // of a request besides a game, or of a decision with 200 names
	entryBytes = 160 // {"query": …, "answer": null} without its text, indented
)

// bounds of p: a history answers T times and says "don't know" to each query once,
// and a mask names each query.
func (p *Policy) bounds() bounds {
	d := p.game.Questions()
	entries := p.problem.T + d
	var all, longest, text int
	for _, x := range p.questions() {
		x = norm.NFD.String(x) // the longest spelling that [Policy.Query] takes for x
		n := escaped(x)
		all, longest, text = all+n, max(longest, n), max(text, len(x))
	}
	class := 0
	if l := p.labels(); l != nil {
		for _, name := range l.Classes {
			name = norm.NFD.String(name)
			class, text = max(class, escaped(name)), max(text, len(name))
		}
	}
	game := all + p.problem.T*(longest+class) + entries*entryBytes
	mask := d * (len(strconv.Itoa(d)) + 16)
	return bounds{body: int64(game + mask + spareBytes), values: 3*entries + d + spareKeys, text: max(leastText, text)}
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
func boundsOf(policies ...[]*Policy) bounds {
	var b bounds
	for _, list := range policies {
		for _, p := range list {
			one := p.bounds()
			b = bounds{max(b.body, one.body), max(b.values, one.values), max(b.text, one.text)}
		}
	}
	return b
}

// check refuses a body of JSON that has more than b allows, or an object with a key twice, which encoding/json would read as
// something else. Whether the text is JSON at all is for the decoder to say.
func (b bounds) check(body []byte) error {
	if !utf8.Valid(body) {
		return fault(http.StatusBadRequest, "the body is not UTF-8")
	}
	if !json.Valid(body) {
		return nil
	}
	values, around := 0, [][]string{} // the keys of each object and list around
	for at := 0; at < len(body); {
		token := body[at : at+tokenLength(body[at:])]
		at += len(token)
		isKey := false
		switch token[0] {
		case ' ', '\t', '\r', '\n', ',', ':':
			continue
		case '}', ']':
			around = around[:len(around)-1]
			continue
		case '{', '[':
			if len(around) == mostDepth {
				return fault(http.StatusBadRequest, "the body's lists and objects are nested more than %d deep; requests need 3", mostDepth)
			}
			around = append(around, nil)
		case '"':
			text := string(token[1 : len(token)-1])
			if strings.Contains(text, `\`) {
				_ = json.Unmarshal(token, &text) // it is valid
			}
			if len(text) > b.text {
				return fault(http.StatusRequestEntityTooLarge, "the body has a text of more than %d bytes; no text of the policies served is longer", b.text)
			}
			if isKey = bytes.HasPrefix(bytes.TrimLeft(body[at:], " \t\r\n"), []byte(":")); isKey {
				keys := &around[len(around)-1]
				if err := checkKey(*keys, text); err != nil {
					return err
				}
				*keys = append(*keys, text)
			}
		default:
			if len(token) > mostNumber {
				return fault(http.StatusRequestEntityTooLarge, "the body has a number of more than %d characters", mostNumber)
			}
		}
		if isKey {
			continue
		}
		if values++; values > b.values {
			return fault(http.StatusRequestEntityTooLarge, "the body has more than %d values; a whole game of the policies served has no more", b.values)
		}
	}
	return nil
}

// checkKey refuses a key that an object has already, or that is one too many.
func checkKey(keys []string, key string) error {
	for _, other := range keys {
		if strings.EqualFold(other, key) { // as encoding/json matches them: ſ is an s
			return fault(http.StatusBadRequest, "the key %q stands twice", shortened(key))
		}
	}
	if len(keys) == mostKeys {
		return fault(http.StatusRequestEntityTooLarge, "the body has an object of more than %d keys; no request has as many", mostKeys)
	}
	return nil
}

// tokenLength returns how many bytes of valid JSON the first text, number or word has, or 1.
func tokenLength(body []byte) int {
	n := 1
	switch {
	case body[0] == '"':
		for ; body[n] != '"'; n++ {
			if body[n] == '\\' {
				n++
			}
		}
		return n + 1
	case strings.IndexByte("{}[],: \t\r\n", body[0]) < 0:
		for n < len(body) && strings.IndexByte("{}[],: \t\r\n", body[n]) < 0 {
			n++
		}
	}
	return n
}
