package console

import (
	"strings"
	"testing"
	"time"
)

// TestWaiting: quick work says nothing, longer work is silent for at most 5 s at first, then for a minute, and a share gives
// the time left.
func TestWaiting(t *testing.T) {
	var b strings.Builder
	now := time.Unix(0, 0)
	l := wait(&b, "reading t.csv", false, func() time.Time { return now })
	l.Stop() // no clock of its own
	pass := func(span time.Duration) {
		for end := now.Add(span); now.Before(end); {
			now = now.Add(drawn)
			l.Tick()
		}
	}
	if pass(3 * time.Second); b.Len() > 0 {
		t.Errorf("after 3 s: %q", b.String())
	}
	if pass(2 * time.Second); b.String() != "reading t.csv: 4 s so far\n" {
		t.Errorf("after 5 s: %q", b.String())
	}
	l.Tell("looking", 0)
	l.Tell("looking", 0.1)
	l.Tell("looking", 0.05)
	b.Reset()
	if pass(5 * time.Second); b.String() != "looking: 3 s so far, about 30 s left\n" {
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
