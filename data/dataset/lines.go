package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mapo/data/table"
	"mapo/internal/disk"
)

// What a file may hold, so that a table larger than memory, or a gzip file that
// unpacks without end, is refused and not read until the machine gives up.
const (
	MaxBytes = table.MaxBytes // of a file, unpacked
	MaxLine  = table.MaxLine
	MaxCells = table.MaxCells // numbers; they take 8 bytes each, a problem made of them 4 more

	mostBlank = 1 << 20 // blank lines
)

// lines reads a CSV file one line at a time, gzip unpacked where the name ends
// in .gz. A cell never spans lines: that bounds what one record can take.
type lines struct {
	name  string // for messages
	line  int    // of the record last read, from 1
	file  *disk.Unpacked
	r     *bufio.Reader
	again bool  // a regular file, which can be read once more
	bytes int64 // unpacked so far
	most  int64
	comma byte   // between cells; 0: a comma
	blank int    // lines passed over
	text  []byte // the line
}

// openLines opens the file at path to be read by lines; Close closes it.
func openLines(path string) (*lines, error) {
	f, err := disk.Unpack(path)
	if err != nil {
		return nil, err
	}
	return linesOf(f, path), nil
}

// read returns what of returns of the lines of the file at path.
func read[T any](path string, of func(l *lines) (T, error)) (out T, err error) {
	l, err := openLines(path)
	if err != nil {
		return out, err
	}
	defer l.Close()
	return of(l)
}

// newLines reads from r, which stays the caller's to close.
func newLines(r io.Reader, name string) (*lines, error) {
	f, err := disk.UnpackFrom(r, name)
	if err != nil {
		return nil, err
	}
	return linesOf(f, name), nil
}

// linesOf reads the lines of f.
func linesOf(f *disk.Unpacked, name string) *lines {
	l := &lines{name: name, file: f, again: f.Regular, most: MaxBytes, r: bufio.NewReaderSize(f, 64<<10)}
	// Spreadsheets mark UTF-8 with a BOM; it is not a part of the first cell.
	if mark, err := l.r.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = l.r.Discard(3)
	}
	return l
}

// Close ends reading.
func (l *lines) Close() { l.file.Close() }

// fault returns an error at the line last read.
func (l *lines) fault(format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", l.name, max(l.line, 1), fmt.Sprintf(format, a...))
}

// next returns the cells of the next line that is not blank, trimmed; io.EOF at the
// end of the file.
func (l *lines) next() ([]string, error) {
	if err := l.skip(); err != nil {
		return nil, err
	}
	return l.cells()
}

// split returns the cells of the header that was just read, and takes what stands between columns of these names for what stands
// between all cells of the file: a comma, or else a semicolon, a tab or a bar.
func (l *lines) split(names ...string) ([]string, error) {
	for _, l.comma = range []byte(",;\t|") {
		if cells, err := l.cells(); err == nil && hasAll(cells, names) {
			return cells, nil
		}
	}
	l.comma = ','
	return l.cells()
}

// decimal returns a number with a point: between semicolons, spreadsheets write a comma.
func (l *lines) decimal(cell string) string {
	if l.comma == ';' {
		return strings.Replace(cell, ",", ".", 1)
	}
	return cell
}

// tabs returns the cells of the next line as next does, but splits it at tabs and
// knows no quotes.
func (l *lines) tabs() ([]string, error) {
	if err := l.skip(); err != nil {
		return nil, err
	}
	if err := l.utf8(); err != nil {
		return nil, err
	}
	cells := strings.Split(string(l.text), "\t")
	for i, cell := range cells {
		cells[i] = table.Clean(cell)
	}
	return cells, nil
}

// rows returns what reads the next line: tabs where the file's name says so, else next.
func (l *lines) rows() func() ([]string, error) {
	if IsTSV(l.name) {
		return l.tabs
	}
	return l.next
}

// columns returns where columns of these names stand in a header; the last of them may be missing, −1.
func (l *lines) columns(head []string, names ...string) (at []int, err error) {
	last := len(names) - 1
	for i, name := range names {
		k := column(head, name)
		if k < 0 && i < last {
			return nil, l.fault("no column is called %s: the first line names the columns, %s[,%s]", name, strings.Join(names[:last], ","), names[last])
		}
		if again := column(head[k+1:], name); k >= 0 && again >= 0 {
			return nil, l.fault("columns %d and %d are both called %s: rename one or remove it", k+1, k+again+2, name)
		}
		at = append(at, k)
	}
	return at, nil
}

// eachLine calls do with the cells of every line, as read returns them.
func eachLine(read func() ([]string, error), do func(cells []string) error) error {
	for {
		cells, err := read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(cells)
		}
		if err != nil {
			return err
		}
	}
}

// skip reads the next line that is not blank.
func (l *lines) skip() error {
	for {
		if err := l.fill(); err != nil {
			return err
		}
		if len(bytes.TrimSpace(l.text)) > 0 {
			return nil
		}
		if l.blank++; l.blank > mostBlank {
			return l.fault("more than %d lines are blank: is this a table, one object a line?", mostBlank)
		}
	}
}

// fill reads one line into l.text, without its end (LF or CRLF).
func (l *lines) fill() error {
	l.text = l.text[:0]
	for first := true; ; first = false {
		part, err := l.r.ReadSlice('\n')
		if first && len(part) > 0 {
			l.line++
		}
		l.text = append(l.text, part...)
		l.bytes += int64(len(part))
		switch {
		case l.bytes > l.most:
			return l.fault("the file holds more than %s: it is not a table of this size, or select fewer queries and rows", table.Size(l.most))
		case len(l.text) > MaxLine:
			return l.fault("the line is longer than %s: is this a table, one object a line?", table.Size(MaxLine))
		case errors.Is(err, bufio.ErrBufferFull):
			continue // the line goes on
		case errors.Is(err, io.EOF) && len(l.text) == 0:
			return io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return l.fault("%s", l.file.Fault(err, l.bytes))
		}
		l.text = bytes.TrimRight(l.text, "\r\n")
		if l.line == 1 && disk.IsPointer(l.text) {
			return l.fault("the file is %s", disk.Pointer)
		}
		if err != nil && l.line == 1 && bytes.IndexByte(l.text, '\r') >= 0 {
			return l.fault("lines end in CR alone: save the file with LF or CRLF")
		}
		return nil
	}
}

// cells splits the line as [table.Split] does.
func (l *lines) cells() ([]string, error) {
	if err := l.utf8(); err != nil {
		return nil, err
	}
	cells, ok := table.Split(string(l.text), cmp.Or(l.comma, ','))
	if !ok {
		return nil, l.fault(`a quote is not closed or stands inside a cell: write cells with quotes as "say ""yes""", each on one line`)
	}
	return cells, nil
}

// utf8 returns an error where the line last read is not UTF-8 text.
func (l *lines) utf8() error {
	if l.line == 1 && (bytes.HasPrefix(l.text, []byte("\xff\xfe")) || bytes.HasPrefix(l.text, []byte("\xfe\xff"))) {
		return l.fault("the file begins % X, so it is UTF-16, Excel's \"Unicode text\": save it as \"CSV UTF-8\"", l.text[:2])
	}
	if at := table.Invalid(l.text); at >= 0 {
		return l.fault("byte %d (0x%02x) is not UTF-8 text: save the file as UTF-8", at+1, l.text[at])
	}
	return nil
}

// number returns a cell's value; NaN is an error.
func number(cell string) (float64, error) {
	v, err := strconv.ParseFloat(cell, 64)
	if err == nil && (math.IsNaN(v) || strings.ContainsAny(cell, "_xX")) { // Go's own ways of writing
		err = strconv.ErrSyntax
	}
	// 1e999 is a number, only too large: the caller's range check says so.
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return v, err
}
