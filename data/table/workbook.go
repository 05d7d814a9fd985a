package table

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// What a workbook may hold: its sheet is held as a tree, 100 bytes and more a cell.
const (
	mostSheet      = 128 << 20 // bytes, unpacked
	mostSheetCells = 1 << 21   // up to the last cell with a value in each row
	mostSheetRows  = 1 << 17
)

// workbook reads the one sheet of an .xlsx file that is not empty, or the one asked for.
func (r *reader) workbook(data []byte, most int64) (g *grid, err error) {
	defer func() { // the package is not ours, and a file is anybody's
		if p := recover(); p != nil {
			g, err = nil, r.fault(1, "the workbook cannot be read (%v). Save it as .csv.", p)
		}
	}()
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{RawCellValue: true, UnzipSizeLimit: most, UnzipXMLSizeLimit: most})
	if err != nil && strings.Contains(err.Error(), "exceeds") {
		return nil, r.fault(1, "the workbook holds more than %s, unpacked; save the sheet as .csv, which may be larger", Size(most))
	}
	if err != nil {
		return nil, r.fault(1, "the workbook cannot be read (%s). Save it as .xlsx or .csv.", oneLine(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	name, rows, err := r.sheet(f)
	if err != nil {
		return nil, err
	}
	g = &grid{}
	props, err := f.GetWorkbookProps()
	if err != nil {
		return nil, r.fault(1, "the workbook cannot be read (%s). Save it as .csv.", oneLine(err))
	}
	w := sheetReader{reader: r, file: f, sheet: name, dates: map[int]bool{}, from1904: props.Date1904 != nil && *props.Date1904}
	for i, row := range rows {
		blank := true
		for j := range row {
			if row[j], err = w.cell(row[j], i, j); err != nil {
				return nil, err
			}
			blank = blank && row[j] == ""
		}
		if !blank {
			g.rows, g.lines = append(g.rows, row), append(g.lines, i+1)
		}
	}
	// The header is as wide as the widest row: what is beyond has no name and is reported by its column.
	for _, row := range g.rows {
		if short := len(row) - len(g.rows[0]); short > 0 {
			g.rows[0] = append(g.rows[0], make([]string, short)...)
		}
	}
	return g, nil
}

// sheet chooses the sheet and reads its raw cells.
func (r *reader) sheet(f *excelize.File) (name string, rows [][]string, err error) {
	var full, all []string
	for _, s := range f.GetSheetList() {
		some, err := r.sheetRows(f, s, true)
		if err != nil && strings.Contains(err.Error(), "not a worksheet") {
			continue // a chart
		}
		if err != nil {
			return "", nil, err
		}
		if all = append(all, s); len(some) > 0 {
			full = append(full, s)
		}
	}
	list := make([]string, len(full))
	for i, s := range full {
		list[i] = Quote(s)
	}
	switch {
	case r.Sheet != "" && !slices.Contains(all, r.Sheet):
		return "", nil, r.fault(1, "--sheet is %s, and no sheet has that name; those with cells are %s.", Quote(r.Sheet), strings.Join(list, ", "))
	case r.Sheet != "":
		name = r.Sheet
	case len(full) > 1:
		var ways []way
		for _, sheet := range full {
			ways = append(ways, way{"it is sheet " + Quote(sheet), func(o *Options) { o.Sheet = sheet }})
		}
		return "", nil, r.refuse(1, fmt.Sprintf("the workbook has %d sheets with cells, %s; a table is one of them.", len(full), strings.Join(list, ", ")), ways...)
	case len(full) == 0:
		return "", nil, r.fault(1, "the workbook has no cell with a value; its first line names the columns.")
	default:
		name = full[0]
		r.assume("the table is sheet %s of a workbook", Quote(name))
	}
	rows, err = r.sheetRows(f, name, false)
	return name, rows, err
}

// sheetRows reads the raw cells of a sheet, each row to its last cell; first says that the first row with a value is
// enough.
func (r *reader) sheetRows(f *excelize.File, name string, first bool) (out [][]string, err error) {
	rows, err := f.Rows(name)
	if err != nil {
		return nil, r.fault(1, "sheet %s cannot be read (%s). Save it as .csv.", Quote(name), oneLine(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	cells := 0
	for rows.Next() {
		row, err := rows.Columns()
		if err != nil {
			return nil, r.fault(len(out)+1, "sheet %s cannot be read (%s). Save it as .csv.", Quote(name), oneLine(err))
		}
		if first && filled(row) > 0 {
			return [][]string{row}, nil
		}
		if first {
			continue
		}
		out = append(out, row)
		if cells += len(row); cells > mostSheetCells || len(out) > mostSheetRows {
			return nil, r.fault(len(out), "sheet %s has more than %d cells or %d rows; save it as .csv, which may be larger", Quote(name), mostSheetCells, mostSheetRows)
		}
	}
	if rows.Error() != nil {
		return nil, r.fault(len(out)+1, "sheet %s cannot be read (%s). Save it as .csv.", Quote(name), oneLine(rows.Error()))
	}
	return out, nil
}

// sheetReader reads the cells of one sheet.
type sheetReader struct {
	*reader
	file  *excelize.File
	sheet string
	dates map[int]bool // by style: whether numbers are shown as dates

	from1904 bool // days count from 1904
}

// cell returns a cell's text: a date as its day, a number as it is stored. A formula has the value stored with it.
func (w *sheetReader) cell(raw string, row, col int) (string, error) {
	if raw != "" && !isPlain(raw) {
		return clean(raw), nil
	}
	at, err := excelize.CoordinatesToCellName(col+1, row+1)
	if err != nil {
		return "", w.fault(row+1, "%v", err)
	}
	if raw == "" {
		if f, err := w.file.GetCellFormula(w.sheet, at); err == nil && f != "" {
			return "", w.fault(row+1, "column %d is the formula %s without a stored value; only stored values are read. Open the file in a spreadsheet and save it.", col+1, Quote("="+f))
		}
		return "", nil
	}
	v, dated := w.days(raw, at)
	if !dated {
		return raw, nil
	}
	day, err := excelize.ExcelDateToTime(v, w.from1904)
	if err != nil {
		return "", w.fault(row+1, "column %d is the date number %s, which is not a day. Correct it.", col+1, raw)
	}
	if v < 1 {
		return day.Format(time.TimeOnly), nil
	}
	return day.Format(time.DateOnly), nil
}

// days returns the number of a cell that is shown as a date, and false for other cells.
func (w *sheetReader) days(raw, at string) (float64, bool) {
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return 0, false
	}
	style, err := w.file.GetCellStyle(w.sheet, at)
	if err != nil {
		return 0, false
	}
	dated, ok := w.dates[style]
	if !ok {
		dated = w.isDated(style)
		w.dates[style] = dated
	}
	return v, dated
}

// isDated reports whether a style shows numbers as dates or times.
func (w *sheetReader) isDated(style int) bool {
	s, err := w.file.GetStyle(style)
	if err != nil {
		return false
	}
	if s.CustomNumFmt != nil {
		return isDateFormat(*s.CustomNumFmt)
	}
	n := s.NumFmt
	return n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58
}

// isDateFormat reports whether a number format shows a day or a time: it has one of their letters outside
// quotes, brackets and escapes.
func isDateFormat(format string) bool {
	quoted, bracket, escaped := false, false, false
	for _, c := range strings.ToLower(format) {
		switch {
		case escaped:
			escaped = false
		case quoted:
			quoted = c != '"'
		case bracket:
			bracket = c != ']'
		case c == '"':
			quoted = true
		case c == '[':
			bracket = true
		case c == '\\' || c == '_' || c == '*':
			escaped = true
		case strings.ContainsRune("dmyhs", c):
			return true
		}
	}
	return false
}

// oneLine returns an error's text in one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
