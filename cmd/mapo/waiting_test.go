package main

import (
	"strings"
	"testing"
	"time"

	"mapo/game"
	"mapo/rng"
)

// TestWaiting: quick work says nothing, longer work is silent for at most 5 s at first, then for a minute, and a share gives
// the time left.
func TestWaiting(t *testing.T) {
	var b strings.Builder
	now := time.Unix(0, 0)
	l := newWaiting(&b, "reading t.csv", func() time.Time { return now })
	pass := func(span time.Duration) {
		for end := now.Add(span); now.Before(end); {
			now = now.Add(silence / 8)
			l.say()
		}
	}
	if pass(3 * time.Second); b.Len() > 0 {
		t.Errorf("after 3 s: %q", b.String())
	}
	if pass(2 * time.Second); b.String() != "reading t.csv: 4 s so far\n" {
		t.Errorf("after 5 s: %q", b.String())
	}
	l.tell("looking", 0.1)
	l.tell("looking", 0.05)
	b.Reset()
	if pass(5 * time.Second); !strings.HasPrefix(b.String(), "looking: 3 s so far, about 27 seconds left\n") && !strings.HasPrefix(b.String(), "looking: 4 s so far, about 32 seconds left\n") {
		t.Errorf("with a share: %q", b.String())
	}
	b.Reset()
	if pass(50 * time.Second); strings.Count(b.String(), "\n") < 10 {
		t.Errorf("in the first minute: %q", b.String())
	}
	pass(10 * time.Second)
	b.Reset()
	if pass(10 * time.Minute); strings.Count(b.String(), "\n") != 10 {
		t.Errorf("in ten minutes: %q", b.String())
	}
}

// graded has n rows of random shares over d queries.
func graded(n, d int) *game.Problem {
	r := rng.New(2).Rand()
	p := &game.Problem{Name: "graded", X: make([]string, d), Names: make([]string, n), T: 4, Shares: &game.Shares{Yes: make([]float64, n*d)}}
	for at := range p.Shares.Yes {
		p.Shares.Yes[at] = r.Float64()
	}
	return p.Grade()
}

// TestInspectLarge: what inspect says of the least ρ̃ of a large table is of a sample.
func TestInspectLarge(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want bool
	}{{2000, 101, true}, {8, 6, false}} {
		var b strings.Builder
		inspectProblem(&b, graded(c.n, c.d))
		if got := strings.Contains(b.String(), "at most ") && strings.Contains(b.String(), "a sample of 24 rows"); got != c.want {
			t.Errorf("of %d rows: %s", c.n, b.String())
		}
	}
}
