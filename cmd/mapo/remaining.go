package main

import (
	"fmt"
	"io"
	"time"
)

// remaining shows how far the games of one part after another are, where a part takes long.
type remaining struct {
	w            io.Writer
	now          func() time.Time
	what         string    // the part under way
	began, shown time.Time // when it was first told of; when a line was last due
	from         int       // games behind it when it was first told of
}

// patience is how long a part is played before its first line.
const patience = 5 * time.Second

// show prints a line now and then: how many of about how many games of a part lie behind, and how long the rest takes.
func (r *remaining) show(what string, games, of int) {
	now := r.now()
	if what != r.what {
		r.what, r.began, r.shown, r.from = what, now, now.Add(patience-shownEvery), games
	}
	if now.Sub(r.shown) < shownEvery || games == r.from {
		return
	}
	r.shown = now
	fmt.Fprintf(r.w, "%s: %d of about %d games, about %v left\n", what, games, max(games, of), timeLeft(now.Sub(r.began), games-r.from, max(0, of-games)))
}

// timeLeft returns how long what is left takes at the pace of what was done in the time spent, to the second.
func timeLeft(spent time.Duration, done, left int) time.Duration {
	return time.Duration(float64(spent) * float64(left) / float64(done)).Round(time.Second)
}
