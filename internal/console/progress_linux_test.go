package console

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mapo/internal/check"
)

// TestStatusNarrower draws a terminal's last line, makes the terminal narrower, which breaks that line into several, and
// draws again: all of them are erased, and the new line fits.
func TestStatusNarrower(t *testing.T) {
	ours, theirs := check.Terminal(t)
	s := &Progress{live: theirs}
	said := func() string {
		b := make([]byte, 1000)
		n, err := ours.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	resize := func(columns uint16) {
		if err := unix.IoctlSetWinsize(int(theirs.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}); err != nil {
			t.Fatal(err)
		}
	}
	text := strings.Repeat("0123456789", 10)
	for _, c := range []struct {
		columns uint16
		want    string
	}{
		{80, "\r\x1b[J" + text[:79]},
		{80, "\r\x1b[J" + text[:79]},
		{30, "\r\x1b[2A\x1b[J" + text[:29]}, // 79 columns are three lines of 30
		{10, "\r\x1b[2A\x1b[J" + text[:9]},
		{9, "\r\x1b[J" + text[:8]}, // 9 columns are one line of 9
		{80, "\r\x1b[J" + text[:79]},
	} {
		resize(c.columns)
		s.draw(text)
		if got := said(); got != c.want {
			t.Errorf("at %d columns %q, want %q", c.columns, got, c.want)
		}
	}
	resize(40)
	s.erase()
	if got := said(); got != "\r\x1b[1A\x1b[J" {
		t.Errorf("erased by %q", got)
	}
}
