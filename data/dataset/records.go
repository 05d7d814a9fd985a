package dataset

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"mapo/data/table"
)

// EachRecord reads a small CSV file, gzip unpacked where the name ends in .gz: a header with exactly these columns, in
// any order, and then a record a line. do is called with the number of the line and its cells in the order of columns.
// An error of do is told with the file and the line, as every other one is.
func EachRecord(path string, columns []string, do func(line int, cells []string) error) error {
	l, err := openLines(path)
	if err != nil {
		return err
	}
	defer l.Close()
	var head []string
	if err = l.skip(); err == nil {
		head, err = l.split(columns...)
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s:1: the file is empty; the first line must be %s", path, strings.Join(columns, ","))
	}
	if err != nil {
		return err
	}
	at := make([]int, len(columns))
	for i, name := range columns {
		if at[i] = column(head, name); at[i] < 0 || len(head) != len(columns) {
			return l.fault("the header is %s; the first line must be %s", table.Quote(strings.Join(head, ",")), strings.Join(columns, ","))
		}
	}
	record := make([]string, len(columns))
	return eachLine(l.next, func(cells []string) error {
		if len(cells) != len(head) {
			return l.fault("the line has %d cells and the header %d; put texts that have a comma in quotes", len(cells), len(head))
		}
		for i := range record {
			record[i] = cells[at[i]]
		}
		if err := do(l.line, record); err != nil {
			return l.fault("%v", err)
		}
		return nil
	})
}
