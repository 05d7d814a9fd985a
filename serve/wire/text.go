package wire

import (
	"strings"

	"mapo/internal/console"
)

// Plain returns text from a table without what a terminal would obey.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if console.Showable(r) {
			return r
		}
		return '\uFFFD'
	}, text)
}

// mostEcho is how many bytes of a text that may repeat a part of a request are told.
const mostEcho = 500

// Shortened returns a text, cut after mostEcho bytes.
func Shortened(text string) string {
	if len(text) <= mostEcho {
		return text
	}
	return strings.ToValidUTF8(text[:mostEcho], "") + "…"
}
