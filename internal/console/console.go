package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	UsualWidth = 80 // of a terminal that does not say
	leastWidth = 20
)

// Terminal returns the terminal that w writes to, nil where it writes elsewhere.
func Terminal(w io.Writer) *os.File {
	switch w := w.(type) {
	case interface{ Unwrap() io.Writer }:
		return Terminal(w.Unwrap())
	case *os.File:
		if term.IsTerminal(int(w.Fd())) {
			return w
		}
	}
	return nil
}

// Width returns how many columns a terminal has, and of anything else the usual.
func Width(file *os.File) int {
	if file != nil {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width >= leastWidth {
			return width
		}
	}
	return UsualWidth
}

// Columns returns how many columns text takes.
func Columns(text string) int { return utf8.RuneCountInString(text) }

// Reflowed returns text with its paragraphs filled to width. Indented lines are not joined.
func Reflowed(text string, width int) string {
	var b strings.Builder
	at := -1 // the column; -1: a line begins
	for line := range strings.SplitSeq(text, "\n") {
		verbatim := line == "" || line[0] == ' '
		if verbatim && at >= 0 {
			b.WriteByte('\n')
			at = -1
		}
		for _, word := range strings.Split(line, " ") {
			n := Columns(word)
			switch {
			case at >= 0 && at+1+n > width:
				b.WriteByte('\n')
				at = 0
			case at >= 0:
				b.WriteByte(' ')
				at++
			default:
				at = 0
			}
			b.WriteString(word)
			at += n
		}
		if verbatim {
			b.WriteByte('\n')
			at = -1
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// PrintCommand prints a command line as a shell takes it when it is pasted from w: where it is longer
// than a terminal's line it goes on behind backslashes, as a line that is broken otherwise would be two
// commands. lead is what stands before it in its first line.
func PrintCommand(w io.Writer, lead, line string) error {
	if file := Terminal(w); file != nil {
		w, lead, line = Plain(file), "", continued(lead, line, Width(file))
	}
	_, err := fmt.Fprintln(w, lead+line)
	return err
}

// continued returns lead and line with backslashes where they are longer than width.
func continued(lead, line string, width int) string {
	const more, indent = ` \`, "    "
	var b strings.Builder
	b.WriteString(lead)
	at, words := Columns(lead), shellWords(line)
	for i, word := range words {
		tail := 0
		if i < len(words)-1 {
			tail = len(more)
		}
		switch n := Columns(word); {
		case i == 0:
		case at+1+n+tail > width:
			b.WriteString(more + "\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += Columns(word)
	}
	return b.String()
}

// shellWords splits a line that [table.Shell] has quoted where it is not inside quotes.
func shellWords(line string) (words []string) {
	quoted, escaped, begin := false, false, 0
	for i, c := range line {
		switch {
		case escaped:
			escaped = false
		case c == '\\' && !quoted:
			escaped = true
		case c == '\'':
			quoted = !quoted
		case c == ' ' && !quoted:
			words, begin = append(words, line[begin:i]), i+1
		}
	}
	return append(words, line[begin:])
}
