package main

import (
	"fmt"
	"os"

	"golang.org/x/term"
)

// status is the last line of a terminal, written anew in place.
type status struct {
	file  *os.File
	shown int // columns of the line that is there
}

// width returns how many columns a line may have.
func (s *status) width() int {
	if width, _, err := term.GetSize(int(s.file.Fd())); err == nil && width > 1 {
		return width - 1 // in the last one the cursor of some terminals is in the next line
	}
	return usualWidth - 1
}

// draw replaces the line by text, cut to the terminal's width.
func (s *status) draw(text string) {
	line := []rune(text)
	line = line[:min(len(line), s.width())]
	fmt.Fprint(s.file, s.erased()+string(line))
	s.shown = len(line)
}

// erase removes the line.
func (s *status) erase() {
	fmt.Fprint(s.file, s.erased())
	s.shown = 0
}

// erased returns what removes the line from a terminal. One that was made narrower has broken the line into several.
func (s *status) erased() string {
	up := max(0, s.shown-1) / (s.width() + 1)
	if up == 0 {
		return "\r\x1b[J"
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
}
