package main

import (
	"bytes"
	"io"
	"unicode"
)

// plain writes without the characters by which text from a file could steer a terminal.
type plain struct{ w io.Writer }

func (p plain) Write(text []byte) (int, error) {
	_, err := p.w.Write(bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text))
	if err != nil {
		return 0, err
	}
	return len(text), nil
}
