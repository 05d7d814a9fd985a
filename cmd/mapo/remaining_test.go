package main

import (
	"strings"
	"testing"
	"time"
)

// TestRemaining: a part that takes long has a line after five seconds, then one every twenty; a short one has none.
func TestRemaining(t *testing.T) {
	var b strings.Builder
	at := time.Unix(0, 0)
	r := remaining{w: &b, now: func() time.Time { return at }}
	for s := range 3 {
		at = time.Unix(int64(s), 0)
		r.show("uniform, averages", 100*(s+1), 300)
	}
	for s := range 41 {
		at = time.Unix(int64(10+s), 0)
		r.show("gain:1, averages", 100*(s+1), 3100)
	}
	want := "gain:1, averages: 600 of about 3100 games, about 25s left\n" +
		"gain:1, averages: 2600 of about 3100 games, about 5s left\n"
	if b.String() != want {
		t.Errorf("it prints\n%swant\n%s", b.String(), want)
	}
}
