package serve

import (
	"strings"

	"mapo/internal/console"
)

// Showable reports whether a character of a text may be shown as it is ([console.Showable]).
func Showable(r rune) bool { return console.Showable(r) }

// plain returns text from a table without what a terminal would obey.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if Showable(r) {
			return r
		}
		return '\uFFFD'
	}, text)
}

// mostEcho is how many bytes of a text that may repeat a part of a request are told.
const mostEcho = 500

// shortened returns a text, cut after mostEcho bytes.
func shortened(text string) string {
	if len(text) <= mostEcho {
		return text
	}
	return strings.ToValidUTF8(text[:mostEcho], "") + "…"
}
