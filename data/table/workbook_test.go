package table

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// book makes a workbook of sheets, each a list of rows; edit may change it before it is written.
func book(t testing.TB, sheets map[string][][]any, edit func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	for _, name := range []string{"Answers", "Notes", "Sheet1"} {
		rows, ok := sheets[name]
		if !ok {
			continue
		}
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			at, err := excelize.CoordinatesToCellName(1, i+1)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.SetSheetRow(name, at, &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if edit != nil {
		edit(f)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// changed is a workbook with text replaced in its first sheet's file, as a program that stores values with formulas
// writes it.
func changed(t testing.TB, data []byte, file, old, with string) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	found := false
	for _, f := range in.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == file && strings.Contains(string(text), old) {
			found = true
			text = []byte(strings.ReplaceAll(string(text), old, with))
		}
		w, err := out.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil || !found {
		t.Fatal(err, found)
	}
	return b.Bytes()
}

var answers = [][]any{{"animal", "Does it fly?", "Is it big?"}, {"owl", 0.9, 0.1}, {"cow", 0, 0.95}}

const answersTable = "object,Does it fly?,Is it big?\nowl,0.9,0.1\ncow,0,0.95\n"

func TestWorkbook(t *testing.T) {
	style := func(f *excelize.File, cell string, s *excelize.Style) {
		id, err := f.NewStyle(s)
		if err == nil {
			err = f.SetCellStyle("Answers", cell, cell, id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	set := func(f *excelize.File, cell string, v any) {
		if err := f.SetCellValue("Answers", cell, v); err != nil {
			t.Fatal(err)
		}
	}
	one := map[string][][]any{"Answers": answers}
	two := map[string][][]any{"Answers": answers, "Notes": {{"made in May"}}}
	month := `d"."\ mmm`
	for _, c := range []struct {
		why  string
		data []byte
		o    Options
		want string // the table, or the error
	}{
		{"one sheet, another empty", book(t, one, nil), Options{}, answersTable},
		{"two sheets", book(t, two, nil), Options{}, `t.xlsx:1: the workbook has 2 sheets with cells, "Answers", "Notes"; a table is one of them. Run: mapo data import t.xlsx --sheet Answers -o t-table.csv if it is sheet "Answers"`},
		{"two sheets, one named", book(t, two, nil), Options{Sheet: "Answers"}, answersTable},
		{"no such sheet", book(t, two, nil), Options{Sheet: "answers 2"}, `t.xlsx:1: --sheet is "answers 2", and no sheet has that name; those with cells are "Answers", "Notes".`},
		{"no cells", book(t, nil, nil), Options{}, `t.xlsx:1: the workbook has no cell with a value; its first line names the columns.`},
		{"percent format", book(t, one, func(f *excelize.File) { style(f, "B2", &excelize.Style{NumFmt: 9}) }), Options{}, answersTable},
		{"a date", book(t, one, func(f *excelize.File) { set(f, "B2", time.Date(2025, 1, 20, 0, 0, 0, 0, time.UTC)) }), Options{},
			`t.xlsx:2: column 2 ("Does it fly?") is 2025-01-20; that is a date, and a cell is a share from 0 to 1 or a count k/n. Spreadsheets turn 1/20 into a date: `},
		{"a date in its own format", book(t, one, func(f *excelize.File) {
			set(f, "C3", 45677)
			style(f, "C3", &excelize.Style{CustomNumFmt: &month})
		}), Options{}, `t.xlsx:3: column 3 ("Is it big?") is 2025-01-20; that is a date`},
		{"a time", book(t, one, func(f *excelize.File) { set(f, "B2", 80*time.Minute) }), Options{}, `t.xlsx:2: column 2 ("Does it fly?") is "01:20:00"; that is a date`},
		{"truth values", book(t, map[string][][]any{"Answers": {{"animal", "a", "b"}, {"owl", true, false}, {"cow", false, true}}}, nil), Options{}, "object,a,b\nowl,1,0\ncow,0,1\n"},
		{"rows that end early", book(t, map[string][][]any{"Answers": {{"animal", "a", "b", "c"}, {"owl", 1, 0}, nil, {"cow", 0, 1, 0.5}}}, nil), Options{}, "object,a,b,c\nowl,1,0,\ncow,0,1,0.5\n"},
		{"further right and down", book(t, map[string][][]any{"Answers": {nil, {nil, "animal", "a", "b"}, {nil, "owl", 1, 0}, {nil, "cow", 0, 1}}}, nil), Options{}, "object,a,b\nowl,1,0\ncow,0,1\n"},
		{"a column without a name", book(t, map[string][][]any{"Answers": {{"animal", "a", "b"}, {"owl", 1, 0, 5}, {"cow", 0, 1}}}, nil), Options{}, `t.xlsx:1: column 4 has values and no name; `},
		{"counts as text", book(t, map[string][][]any{"Answers": {{"animal", "a"}, {"owl", "18/20"}, {"cow", "2/20"}}}, nil), Options{}, "object,a\nowl,18/20\ncow,2/20\n"},
		{"an error of a formula", book(t, map[string][][]any{"Answers": {{"animal", "a"}, {"owl", "#DIV/0!"}, {"cow", 1}}}, nil), Options{}, `t.xlsx:2: column 2 ("a") is "#DIV/0!"; a spreadsheet shows that where a formula fails.`},
		{"a formula without its value", book(t, map[string][][]any{"Answers": {{"animal", "a", "b"}, {"owl", 1, 0}, {"cow", nil, 1}}}, func(f *excelize.File) {
			if err := f.SetCellFormula("Answers", "B3", "1-B2"); err != nil {
				t.Fatal(err)
			}
		}), Options{}, `t.xlsx:3: column 2 is the formula "=1-B2" without a stored value; only stored values are read. Open the file in a spreadsheet and save it.`},
		{"a formula with its value", changed(t, book(t, one, nil), "xl/worksheets/sheet2.xml", "<v>0.95</v>", "<f>1-0.05</f><v>0.95</v>"), Options{}, answersTable},
		{"cut short", book(t, one, nil)[:900], Options{}, "t.xlsx:1: the workbook cannot be read ("},
		{"another archive", func() []byte {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			_, _ = z.Create("readme.txt")
			_ = z.Close()
			return b.Bytes()
		}(), Options{}, "t.xlsx:1: the workbook "},
	} {
		table, err := Parse(bytes.NewReader(c.data), "t.xlsx", c.o)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			var b bytes.Buffer
			if err := table.Write(&b); err != nil {
				t.Fatal(err)
			}
			got = b.String()
			again(t, c.why, table)
		}
		if strings.HasPrefix(c.want, "object") && got != c.want || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// TestWorkbookBomb: a workbook that unpacks to more than the bound is refused.
func TestWorkbookBomb(t *testing.T) {
	plain := book(t, map[string][][]any{"Answers": answers}, nil)
	grown := func(rows string) []byte {
		data := changed(t, plain, "xl/worksheets/sheet2.xml", "</sheetData>", rows+"</sheetData>")
		if len(data) > 64<<10 {
			t.Fatalf("the bomb takes %d bytes", len(data))
		}
		return data
	}
	for _, c := range []struct {
		why  string
		rows string
		most int64
		want string
	}{
		{"long", strings.Repeat(`<row><c t="inlineStr"><is><t>x</t></is></c></row>`, 1<<15), 1 << 20, "t.xlsx:1: the workbook holds more than 1 MiB, unpacked; save the sheet as .csv, which may be larger"},
		{"wide", strings.Repeat(`<row><c r="XFD9"><v>1</v></c></row>`, 200), mostSheet, `t.xlsx:129: sheet "Answers" has 129 rows with values, and line 4 reaches to column 16384: more than 2097152 cells. Remove what stands there, or save the sheet as .csv, which may be larger.`},
		{"past the last column", `<row><c r="XFE9"><v>1</v></c></row>`, mostSheet, `t.xlsx:1: sheet "Answers" cannot be read (xl/worksheets/sheet2.xml: cell "XFE9" of row 4 stands where no cell can). Save it as .xlsx or .csv.`},
		{"past all columns", `<row><c r="ZZZZZZZZZZZZZZZZZZZZ9"><v>1</v></c></row>`, mostSheet, `t.xlsx:1: sheet "Answers" cannot be read (xl/worksheets/sheet2.xml: cell "ZZZZZZZZZZZZZZZZZZZZ9" of row 4 stands where no cell can). Save it as .xlsx or .csv.`},
		{"past the last row", `<row r="1048577"><c><v>1</v></c></row>`, mostSheet, `t.xlsx:1: sheet "Answers" cannot be read (xl/worksheets/sheet2.xml: row "1048577" follows row 3). Save it as .xlsx or .csv.`},
		{"a row twice", `<row r="3"><c><v>1</v></c></row>`, mostSheet, `t.xlsx:1: sheet "Answers" cannot be read (xl/worksheets/sheet2.xml: row "3" follows row 3). Save it as .xlsx or .csv.`},
		{"a string that is not there", `<row><c t="s"><v>99</v></c></row>`, mostSheet, `t.xlsx:1: sheet "Answers" cannot be read (xl/worksheets/sheet2.xml: column 1 of row 4 names string "99" of 5). Save it as .xlsx or .csv.`},
	} {
		r := &reader{name: "t.xlsx"}
		if _, err := r.workbook(grown(c.rows), c.most); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// TestSparseWorkbook: a workbook costs what its cells cost, wherever they stand and whatever size it claims. What is counted
// are the cells that are read and those that are held.
func TestSparseWorkbook(t *testing.T) {
	plain := book(t, map[string][][]any{"Answers": answers}, nil)
	const sheet = "xl/worksheets/sheet2.xml"
	far := `<row r="1048575"><c r="A1048575" t="inlineStr"><is><t>hen</t></is></c><c r="B1048575"><v>1</v></c><c r="C1048575"><v>0</v></c><c r="XFD1048575" s="0"/></row>`
	data := changed(t, plain, sheet, "</sheetData>", far+"</sheetData>")
	data = changed(t, data, sheet, "<sheetData>", `<dimension ref="A1:XFD1048576"/><cols><col min="1" max="1000000" width="9"/></cols><sheetData>`)
	if len(data) > 8<<10 {
		t.Errorf("the workbook has %d bytes", len(data))
	}
	b, err := openXLSX(data, mostSheet)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	if err := b.cells(b.sheets[1], func(*xlsxCell) error { read++; return nil }); err != nil || read != 13 {
		t.Errorf("%d cells are read, want 13 (%v)", read, err)
	}
	g, err := (&reader{name: "t.xlsx", Options: Options{Sheet: "Answers"}}).workbook(data, mostSheet)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, row := range g.rows {
		held += cap(row)
	}
	if len(g.rows) != 4 || g.lines[3] != 1048575 || held > 50 {
		t.Errorf("%d rows hold %d cells, the last of line %d", len(g.rows), held, g.lines[3])
	}
	table, err := Parse(bytes.NewReader(data), "t.xlsx", Options{})
	if got := outcome(table, err); !strings.HasSuffix(got, answersTable+"hen,1,0\n") {
		t.Errorf("read as %s", got)
	}
	// A value far to the right is a column without a name.
	data = changed(t, plain, sheet, `<c r="C2"`, `<c r="C2"><v>0.1</v></c><c r="XFD2"`)
	if _, err := Parse(bytes.NewReader(data), "t.xlsx", Options{}); err == nil || !strings.HasPrefix(err.Error(), "t.xlsx:1: column 16384 has values and no name; ") {
		t.Error(err)
	}
	// All sheets together unpack to no more than one may.
	many := &xlsx{parts: b.parts, left: 100, strings: b.strings}
	if err := many.cells(b.sheets[1], func(*xlsxCell) error { return nil }); !errors.Is(err, errUnpacked) {
		t.Errorf("%v", err)
	}
}

// TestStoredBlank: a formula whose stored value is the empty text is a blank cell.
func TestStoredBlank(t *testing.T) {
	plain := book(t, map[string][][]any{"Answers": answers}, nil)
	data := changed(t, plain, "xl/worksheets/sheet2.xml", "<v>0.95</v>", `<f>IF(A1="","",1)</f><v></v>`)
	table, err := Parse(bytes.NewReader(data), "t.xlsx", Options{})
	if got := outcome(table, err); !strings.HasSuffix(got, "object,Does it fly?,Is it big?\nowl,0.9,0.1\ncow,0,\n") {
		t.Error(got)
	}
}

// TestDays: numbers are the days that spreadsheets show, by an independent table of them.
func TestDays(t *testing.T) {
	for _, c := range []struct {
		v        float64
		from1904 bool
		want     string
	}{
		{1, false, "1900-01-01 00:00:00"}, {59, false, "1900-02-28 00:00:00"}, {61, false, "1900-03-01 00:00:00"}, {45677, false, "2025-01-20 00:00:00"},
		{45677.5, false, "2025-01-20 12:00:00"}, {45677.999999, false, "2025-01-21 00:00:00"}, {2958465, false, "9999-12-31 00:00:00"}, {0, true, "1904-01-01 00:00:00"}, {44215, true, "2025-01-20 00:00:00"},
	} {
		if got, ok := dayOf(c.v, c.from1904); !ok || got.Format(time.DateTime) != c.want {
			t.Errorf("%v is %v, want %s", c.v, got, c.want)
		}
	}
	for _, v := range []float64{-1, 2958466, math.Inf(1), math.NaN()} {
		if got, ok := dayOf(v, false); ok {
			t.Errorf("%v is %v", v, got)
		}
	}
}

// FuzzWorkbook: whatever is in the archive, there is a table or one line.
func FuzzWorkbook(f *testing.F) {
	f.Add(book(f, map[string][][]any{"Answers": answers}, nil))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Parse(bytes.NewReader(append([]byte("PK\x03\x04"), bytes.TrimPrefix(data, zipHead)...)), "t.xlsx", Options{})
		switch {
		case err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "t.xlsx:")):
			t.Errorf("the error is not one line with its place: %q", err)
		case err == nil:
			again(t, "t", table)
		}
	})
}

func TestDateFormats(t *testing.T) {
	for format, want := range map[string]bool{
		"General": false, "0.00": false, "0%": false, `0" days"`: false, "yyyy-mm-dd": true, "d. mmm": true, "hh:mm": true, "[$-407]0.0": false,
		`[Red]0`: false, `\d0`: false, "# ?/?": false, `_-* #,##0.00\ "€"_-`: false,
	} {
		if got := isDateFormat(format); got != want {
			t.Errorf("%s is a date's: %v", format, got)
		}
	}
}
