package console

import (
	"bytes"
	"io"
	"unicode"
)

// Plain returns a writer to w without the characters by which text from a file could steer a terminal or reorder what it shows.
func Plain(w io.Writer) io.Writer { return plain{w} }

type plain struct{ W io.Writer }

func (p plain) Write(text []byte) (int, error) {
	_, err := p.W.Write(bytes.Map(showable, text))
	if err != nil {
		return 0, err
	}
	return len(text), nil
}

// Unwrap returns the writer below.
func (p plain) Unwrap() io.Writer { return p.W }

// Showable reports whether a character of a text may be shown as it is. Control characters and those that change the direction of
// the text around them may not; a joiner inside Persian words and emoji may.
func Showable(r rune) bool {
	return unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Bidi_Control, r)
}

// showable returns r where it is harmless, else the character that stands for one that cannot be shown.
func showable(r rune) rune {
	if Showable(r) || r == '\n' || r == '\t' {
		return r
	}
	return unicode.ReplacementChar
}
