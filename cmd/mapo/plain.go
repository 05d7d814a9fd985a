package main

import (
	"bytes"
	"io"
	"unicode"

	"mapo/serve"
)

// plain writes without the characters by which text from a file could steer a terminal or reorder
// what it shows.
type plain struct{ w io.Writer }

func (p plain) Write(text []byte) (int, error) {
	_, err := p.w.Write(bytes.Map(shownRune, text))
	if err != nil {
		return 0, err
	}
	return len(text), nil
}

// shownRune returns r where it is harmless, else the character that stands for one that cannot be shown.
func shownRune(r rune) rune {
	if serve.Showable(r) || r == '\n' || r == '\t' {
		return r
	}
	return unicode.ReplacementChar
}
