package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a workbook may hold.
const (
	mostSheet      = 128 << 20 // bytes, unpacked
	mostSheetCells = 1 << 21   // of the rectangle that holds the values of a sheet, without blank rows
)

// workbook reads the one sheet of an .xlsx file that has values, or the one asked for. It costs what the cells cost that the
// file writes, wherever they stand.
func (r *reader) workbook(data []byte, most int64) (*grid, error) {
	b, err := openXLSX(data, most)
	if err != nil {
		return nil, r.unreadable("the workbook", most, err)
	}
	s, err := r.sheet(b, most)
	if err != nil {
		return nil, err
	}
	g := &grid{}
	width, widest := 0, 0 // the columns, and the line that has the last
	err = b.cells(s, func(c *xlsxCell) error {
		text, err := r.sheetCell(b, c)
		if err != nil || text == "" {
			return err
		}
		last := len(g.rows) - 1
		if last < 0 || g.lines[last] != c.row+1 {
			g.rows, g.lines, last = append(g.rows, nil), append(g.lines, c.row+1), last+1
		}
		if c.col >= width {
			width, widest = c.col+1, c.row+1
		}
		if len(g.rows)*width > mostSheetCells {
			return &refused{r.fault(c.row+1, "sheet %s has %d rows with values, and line %d reaches to column %d: more than %d cells. Remove what stands there, or save the sheet as .csv, which may be larger.",
				Quote(s.name), len(g.rows), widest, width, mostSheetCells)}
		}
		row := g.rows[last]
		g.rows[last] = append(append(row, make([]string, c.col-len(row))...), text)
		return nil
	})
	if err != nil {
		return nil, r.unreadable("sheet "+Quote(s.name), most, err)
	}
	if len(g.rows) > 0 { // the header is as wide as the widest row: what is beyond has no name and is reported by its column
		g.rows[0] = append(g.rows[0], make([]string, width-len(g.rows[0]))...)
	}
	return g, nil
}

// refused is an error that is told as it is.
type refused struct{ error }

// unreadable returns the error of a workbook, or a sheet, that cannot be read.
func (r *reader) unreadable(what string, most int64, err error) error {
	var told *refused
	switch {
	case errors.As(err, &told):
		return told.error
	case errors.Is(err, errUnpacked):
		return r.fault(1, "the workbook holds more than %s, unpacked; save the sheet as .csv, which may be larger", Size(most))
	}
	return r.fault(1, "%s cannot be read (%s). Save it as .xlsx or .csv.", what, oneLine(err))
}

// sheet chooses the sheet.
func (r *reader) sheet(b *xlsx, most int64) (xlsxSheet, error) {
	var full, all []string
	for _, s := range b.sheets {
		some := false
		err := b.cells(s, func(c *xlsxCell) error {
			if some = strings.TrimSpace(c.text) != ""; some {
				return io.EOF
			}
			return nil
		})
		if err != nil {
			return xlsxSheet{}, r.unreadable("sheet "+Quote(s.name), most, err)
		}
		if all = append(all, s.name); some {
			full = append(full, s.name)
		}
	}
	list := make([]string, len(full))
	for i, s := range full {
		list[i] = Quote(s)
	}
	var name string
	switch {
	case r.Sheet != "" && !slices.Contains(all, r.Sheet):
		return xlsxSheet{}, r.fault(1, "--sheet is %s, and no sheet has that name; those with cells are %s.", Quote(r.Sheet), strings.Join(list, ", "))
	case r.Sheet != "":
		name = r.Sheet
	case len(full) > 1:
		var ways []way
		for _, sheet := range full {
			ways = append(ways, way{"it is sheet " + Quote(sheet), func(o *Options) { o.Sheet = sheet }})
		}
		return xlsxSheet{}, r.refuse(1, fmt.Sprintf("the workbook has %d sheets with cells, %s; a table is one of them.", len(full), strings.Join(list, ", ")), ways...)
	case len(full) == 0:
		return xlsxSheet{}, r.fault(1, "the workbook has no cell with a value; its first line names the columns.")
	default:
		name = full[0]
		r.assume("the table is sheet %s of a workbook", Quote(name))
	}
	return b.sheets[slices.Index(all, name)], nil
}

// sheetCell returns the text of a cell: a date as its day, a number as it is stored. A formula has the value stored with it.
func (r *reader) sheetCell(b *xlsx, c *xlsxCell) (string, error) {
	if c.Formula != nil && !c.stored() {
		what := "a formula"
		if *c.Formula != "" {
			what = "the formula " + Quote("="+*c.Formula)
		}
		return "", &refused{r.fault(c.row+1, "column %d is %s without a stored value; only stored values are read. Open the file in a spreadsheet and save it.", c.col+1, what)}
	}
	v, err := strconv.ParseFloat(c.text, 64)
	if err != nil || c.Kind != "" && c.Kind != "n" || c.Style < 0 || c.Style >= len(b.dated) || !b.dated[c.Style] {
		return Clean(c.text), nil //nolint:nilerr // a cell of a date's style that is not a number is text
	}
	day, ok := dayOf(v, b.from1904)
	switch {
	case !ok:
		return "", &refused{r.fault(c.row+1, "column %d is the date number %s, which is not a day. Correct it.", c.col+1, c.text)}
	case v < 1:
		return day.Format(time.TimeOnly), nil
	}
	return day.Format(time.DateOnly), nil
}

// lastDay is the number of 31 December 9999, the last day that spreadsheets have.
const lastDay = 2958465

// dayOf returns the moment that a number of days stands for, to the second. They count from 1900, with a 29 February
// that there was not, or from 1904.
func dayOf(v float64, from1904 bool) (time.Time, bool) {
	if !(v >= 0 && v < lastDay+1) {
		return time.Time{}, false
	}
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case v < 60:
		first = first.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(v)
	return first.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86400)) * time.Second), true
}

// shown matches what a number format shows as it stands, or does not show: quotes, brackets and escapes.
var shown = regexp.MustCompile(`"[^"]*"?|\[[^\]]*\]?|[\\_*].?`)

// isDateFormat reports whether a number format shows a day or a time: it has one of their letters.
func isDateFormat(format string) bool {
	return strings.ContainsAny(shown.ReplaceAllString(strings.ToLower(format), ""), "dmyhs")
}

// oneLine returns an error's text in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
