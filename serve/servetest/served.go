package servetest

import (
	"mapo/game/play"
)

// Name returns a text's, "" of none.
func Name(of *play.Text) string {
	if of == nil {
		return ""
	}
	return of.Text
}
