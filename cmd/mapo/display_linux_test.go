package main

import (
	"bytes"
	"strings"
	"testing"

	"mapo/internal/check"
	"mapo/run/job"
)

// TestLinesErase: what is said stands above the last line, which is gone in the end.
func TestLinesErase(t *testing.T) {
	ours, theirs := check.Terminal(t)
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
