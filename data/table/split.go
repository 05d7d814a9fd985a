package table

import (
	"strings"
	"unicode"
)

// grid is a file's cells, trimmed, with the first row for names. Rows may differ in length until [reader.square].
type grid struct {
	rows  [][]string
	lines []int // of each row
	// place returns where a cell stands in the file: its line, and its column from 1. nil: row and column as they are.
	place func(row, col int) (line, column int)
}

// at returns where a cell stands in the file.
func (g *grid) at(row, col int) (line, column int) {
	if g.place != nil {
		return g.place(row, col)
	}
	return g.lines[row], col + 1
}

// splitter cuts text into records of cells.
type splitter struct {
	text  string
	sep   byte
	at    int
	line  int // of at, from 1
	start int // the line that the last record began on
}

// newSplitter splits text at sep. Lines end in LF, CRLF, or CR where there is no LF.
func newSplitter(text string, sep byte) *splitter { return &splitter{text: text, sep: sep, line: 1} }

// Split returns the cells of one line, cleaned; ok is false where a quote is not closed, or text follows a closed one.
func Split(line string, sep byte) (cells []string, ok bool) {
	s := newSplitter(line, sep)
	cells, _, open := s.next(nil)
	for i, cell := range cells {
		cells[i] = Clean(cell)
	}
	return cells, !open && s.at == len(line)
}

// next returns the cells of the next record, untrimmed, and false at the end. open reports a quote that is
// not closed, or text behind a closed one.
func (s *splitter) next(dst []string) (cells []string, ok, open bool) {
	if s.at >= len(s.text) {
		return nil, false, false
	}
	s.start = s.line
	for {
		cell, bad := s.cell()
		dst = append(dst, cell)
		if bad {
			return dst, true, true
		}
		if s.at >= len(s.text) {
			return dst, true, false
		}
		c := s.text[s.at]
		s.at++
		if c != s.sep {
			s.line++
			return dst, true, false
		}
	}
}

// cell reads up to a separator or the end of a line. A cell is quoted where a quote comes first.
func (s *splitter) cell() (cell string, bad bool) {
	from := s.at
	for s.at < len(s.text) && s.text[s.at] == ' ' && s.sep != ' ' {
		s.at++
	}
	if s.at < len(s.text) && s.text[s.at] == '"' {
		return s.quoted()
	}
	for s.at < len(s.text) && s.text[s.at] != s.sep && s.text[s.at] != '\n' {
		s.at++
	}
	return s.text[from:s.at], false
}

// quoted reads a cell in quotes; "" stands for one. Line breaks inside are part of it.
func (s *splitter) quoted() (cell string, bad bool) {
	s.at++
	from, doubled := s.at, false
	for {
		end := strings.IndexByte(s.text[s.at:], '"')
		if end < 0 || s.at+end-from > MaxLine {
			return "", true
		}
		s.line += strings.Count(s.text[s.at:s.at+end], "\n")
		s.at += end + 1
		if s.at >= len(s.text) || s.text[s.at] != '"' {
			break
		}
		s.at, doubled = s.at+1, true
	}
	cell = s.text[from : s.at-1]
	if doubled {
		cell = strings.ReplaceAll(cell, `""`, `"`)
	}
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\r') {
		s.at++
	}
	return cell, s.at < len(s.text) && s.text[s.at] != s.sep && s.text[s.at] != '\n'
}

// candidates are the separators that files have, the likelier first.
const candidates = ",;\t|"

// sampled is how many records the choice of a separator looks at.
const sampled = 100

// separatorOf returns the separator of text: that which cuts most records into the same number of cells,
// more than one; then that with more cells. Canonical tables begin with "object,".
func separatorOf(text string) byte {
	if strings.HasPrefix(text, objectHeader+",") {
		return ','
	}
	best, most, wide := byte(','), 0, 0
	for i := range len(candidates) {
		sep := candidates[i]
		if rows, width := agreement(text, sep); rows > most || rows == most && width > wide {
			best, most, wide = sep, rows, width
		}
	}
	return best
}

// agreement returns how many of the first records have the most frequent number of cells, and that number; one
// cell does not count.
func agreement(text string, sep byte) (rows, width int) {
	count := map[int]int{}
	s := newSplitter(text, sep)
	var cells []string
	for range sampled {
		var ok, open bool
		if cells, ok, open = s.next(cells[:0]); !ok || open || s.at > 1<<20 {
			break
		}
		if n := len(cells); n > 1 {
			if count[n]++; count[n] > rows || count[n] == rows && n > width {
				rows, width = count[n], n
			}
		}
	}
	return rows, width
}

// plain turns control characters into blanks: real tables have them in names, and a terminal must not get them.
func plain(c rune) rune {
	switch {
	case c == '\u200b' || c == '\ufeff': // no width: nothing to be seen
		return -1
	case unicode.IsControl(c), c == '\u2028', c == '\u2029':
		return ' '
	}
	return c
}

// Clean takes control characters, line breaks and blanks around a cell away.
func Clean(cell string) string {
	if strings.ContainsAny(cell, "\n") { // a line broken by hand in a narrow cell
		cell = strings.Join(strings.FieldsFunc(cell, func(c rune) bool { return c == '\n' || c == '\r' }), " ")
	}
	return strings.TrimSpace(strings.Map(plain, cell))
}
