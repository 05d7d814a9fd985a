package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	usualWidth = 80 // of a terminal that does not say
	leastWidth = 20
)

// terminalOf returns the terminal that w writes to, nil where it writes elsewhere.
func terminalOf(w io.Writer) *os.File {
	switch w := w.(type) {
	case plain:
		return terminalOf(w.w)
	case *output:
		return terminalOf(w.w)
	case *wrapped:
		return w.file
	case *os.File:
		if term.IsTerminal(int(w.Fd())) {
			return w
		}
	}
	return nil
}

// widthOf returns how many columns a terminal has, and of anything else the usual.
func widthOf(file *os.File) int {
	if file != nil {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width >= leastWidth {
			return width
		}
	}
	return usualWidth
}

// wrapped writes to a terminal and breaks lines between words, which a terminal breaks anywhere.
// A word that is longer than a line stays whole.
type wrapped struct {
	file  *os.File // the terminal
	hang  string   // begins the rest of a line that was broken
	at    int      // the column
	space bool     // the last character was a blank
}

// wrap returns a writer that wraps lines where w is a terminal, else w.
func wrap(w io.Writer) io.Writer {
	if file := terminalOf(w); file != nil {
		return &wrapped{file: file, hang: "  "}
	}
	return w
}

// Write implements [io.Writer].
func (p *wrapped) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.file, p.broken(string(text), widthOf(p.file))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// broken returns text with lines of at most width columns.
func (p *wrapped) broken(text string, width int) string {
	var b strings.Builder
	for text != "" {
		if text[0] == '\n' || text[0] == '\r' {
			b.WriteByte(text[0])
			text, p.at, p.space = text[1:], 0, false
			continue
		}
		blanks := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		word := text[len(blanks):]
		if end := strings.IndexAny(word, " \t\n\r"); end >= 0 {
			word = word[:end]
		}
		text = text[len(blanks)+len(word):]
		if p.at > 0 && word != "" && (blanks != "" || p.space) && p.at+columns(blanks)+columns(word) > width {
			b.WriteString("\n" + p.hang)
			p.at, blanks = len(p.hang), ""
		}
		b.WriteString(blanks + word)
		p.at += columns(blanks) + columns(word)
		p.space = word == ""
	}
	return b.String()
}

// control finds what moves a terminal and takes no column.
var control = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// columns returns about how many columns text takes.
func columns(text string) int {
	return utf8.RuneCountInString(control.ReplaceAllString(text, ""))
}

// reflowed returns text with its paragraphs filled to width. Indented lines stay as they are.
func reflowed(text string, width int) string {
	var b strings.Builder
	filling := false
	for line := range strings.SplitSeq(text, "\n") {
		verbatim := line == "" || strings.HasPrefix(line, " ")
		switch {
		case filling && verbatim:
			b.WriteByte('\n')
		case filling:
			b.WriteByte(' ')
		}
		b.WriteString(line)
		if filling = !verbatim; verbatim {
			b.WriteByte('\n')
		}
	}
	var out strings.Builder
	for line := range strings.SplitSeq(b.String(), "\n") {
		var p wrapped
		out.WriteString(p.broken(line, width) + "\n")
	}
	return strings.TrimRight(out.String(), "\n")
}

// printCommand prints a command line as a shell takes it when it is pasted from w: where it is longer
// than a terminal's line it goes on behind backslashes, as a line that is broken otherwise would be two
// commands. lead is what stands before it in its first line.
func printCommand(w io.Writer, lead, line string) error {
	file := terminalOf(w)
	if file == nil {
		_, err := fmt.Fprintln(w, lead+line)
		return err
	}
	_, err := fmt.Fprintln(plain{file}, continued(lead, line, widthOf(file))) // not to be wrapped once more, inside quotes
	return err
}

// continued returns lead and line with backslashes where they are longer than width.
func continued(lead, line string, width int) string {
	const more, indent = ` \`, "    "
	var b strings.Builder
	b.WriteString(lead)
	at, words := columns(lead), shellWords(line)
	for i, word := range words {
		tail := 0
		if i < len(words)-1 {
			tail = len(more)
		}
		switch n := columns(word); {
		case i == 0:
		case at+1+n+tail > width:
			b.WriteString(more + "\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += columns(word)
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
