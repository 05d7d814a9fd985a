package main

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mapo/run/job"
)

// TestStatusNarrower draws a terminal's last line, makes the terminal narrower, which breaks that line into several, and
// draws again: all of them are erased, and the new line fits.
func TestStatusNarrower(t *testing.T) {
	ours, theirs := terminal(t)
	s := &progress{live: theirs}
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

// TestLinesErase: what is said stands above the last line, which is gone in the end.
func TestLinesErase(t *testing.T) {
	ours, theirs := terminal(t)
	var all bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = all.ReadFrom(ours) // ends with an error when the terminal is closed
	}()
	l := newDisplay(theirs, func(job.Event) error { return nil }, nil)
	for _, e := range []job.Event{{Kind: job.Started, Step: "train", For: "pi-1"}, {Kind: job.Finished, Step: "train", For: "pi-1", Seconds: 3}} {
		l.event(e)
	}
	_ = l.close()
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	<-read
	said := all.String()
	end := said[strings.LastIndex(said, "\r\x1b[J"):]
	if !strings.Contains(said, "\r\x1b[Jtrain pi-1: 3.0 s\r\n") || end != "\r\x1b[J" {
		t.Errorf("it says %q", said)
	}
}
