package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mapo/internal/disk"
)

// source is a file's bytes as they come, bounded.
type source struct {
	name string
	file *disk.Unpacked
	most int64        // bytes
	free func() int64 // bytes of memory to be had; 0 where that is not known
}

// mostBlank is how many blank lines a file may have.
const mostBlank = 1 << 20

// nameCells is what an object takes besides its shares, in shares: its name, three times.
const nameCells = 16

// fault returns an error at a line.
func (s *source) fault(line int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", s.name, line, fmt.Sprintf(format, a...))
}

// room refuses to go on where memory would not do.
func (s *source) room(line int, need int64) error {
	if free := s.free(); free > 0 && need > free {
		return s.fault(line, "the table needs more than %s of memory and %s can be had: remove questions or rows, or use a larger machine", Size(need), Size(free))
	}
	return nil
}

// bytes reads the whole file, and stops at the first line that no table has.
func (s *source) bytes() ([]byte, error) {
	const chunk = 64 << 10
	var data []byte
	lines, begin, blank := 1, 0, 0 // the line under way, where it begins, how many in a row were blank
	for {
		if len(data)+chunk > cap(data) && len(data) > 1<<20 {
			if err := s.room(lines, 4*int64(len(data))); err != nil {
				return nil, err
			}
		}
		data = slices.Grow(data, chunk)
		at := len(data)
		n, err := s.file.Read(data[at : at+chunk])
		data = data[:at+n]
		for ; ; lines++ {
			end := bytes.IndexByte(data[at:], '\n')
			if end < 0 {
				break
			}
			if blank++; len(bytes.TrimSpace(data[begin:at+end])) > 0 {
				blank = 0
			}
			at += end + 1
			begin = at
		}
		switch {
		case int64(len(data)) > s.most:
			return nil, s.fault(lines, "the file holds more than %s, too much for a table: select fewer questions and rows", Size(s.most))
		case len(data)-begin > MaxLine && !isBinary(data):
			return nil, s.fault(lines, "the line is longer than %s: is this a table, one object a line?", Size(MaxLine))
		case blank > mostBlank:
			return nil, s.fault(lines, "more than %d lines are blank: is this a table, one object a line?", mostBlank)
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, s.fault(lines, "%s", s.file.Fault(err, int64(len(data))))
		}
	}
}

// What workbooks begin with.
var (
	zipHead  = []byte("PK\x03\x04")
	ole2Head = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
)

// formats are what files begin with that hold no table in text, texts in lower case, and what they are.
var formats = []struct{ head, what string }{
	{string(ole2Head), "an old .xls workbook or a locked one: save it as .xlsx or .csv"},
	{"\x1f\x8b", "compressed with gzip: let its name end in .gz"},
	{"%PDF-", "a PDF: copy its table into a spreadsheet and save that as .csv"},
	{"PAR1", "a Parquet file: save the table as .csv"},
	{"SQLite format 3", "an SQLite database: export the table as .csv"},
	{"<!doctype html", "a web page: open it in a spreadsheet and save the table as .csv"},
	{"<html", "a web page: open it in a spreadsheet and save the table as .csv"},
	{"<?xml", "XML: open it in a spreadsheet and save the table as .csv"},
}

// isBinary reports whether data is a file format that has no lines.
func isBinary(data []byte) bool {
	return bytes.HasPrefix(data, zipHead) || bytes.HasPrefix(data, ole2Head)
}

// foreign says what a file is that holds no table in text; "" for text.
func foreign(data []byte) string {
	if disk.IsPointer(data) {
		return disk.Pointer
	}
	start := bytes.TrimPrefix(bytes.TrimSpace(data[:min(len(data), 256)]), markUTF8)
	for _, f := range formats {
		if head := start[:min(len(f.head), len(start))]; string(head) == f.head || strings.ToLower(string(head)) == f.head {
			return f.what
		}
	}
	return ""
}
