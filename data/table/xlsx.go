package table

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// xlsx is a workbook in Office Open XML (ECMA-376): an archive of XML files, of which only those that a table needs are
// read, and each as a stream.
type xlsx struct {
	parts map[string]*zip.File // by their names in lower case
	left  int64                // bytes that may still be unpacked

	sheets   []xlsxSheet
	strings  []string // that cells name by number
	dated    []bool   // by the style of a cell: whether its number is shown as a date
	from1904 bool     // days count from 1904
}

// xlsxSheet is a sheet of cells.
type xlsxSheet struct{ name, part string }

// errUnpacked stops the unpacking of more than may be held.
var errUnpacked = errors.New("too much is unpacked")

// Ends of the types of relationships between parts.
const (
	relWorkbook = "/officeDocument"
	relSheet    = "/worksheet"
	relStrings  = "/sharedStrings"
	relStyles   = "/styles"
)

// openXLSX reads what a workbook has besides its cells. At most so many bytes are unpacked, here and later.
func openXLSX(data []byte, most int64) (*xlsx, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	b := &xlsx{parts: map[string]*zip.File{}, left: most}
	for _, f := range archive.File {
		b.parts[strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))] = f
	}
	main := "xl/workbook.xml"
	if rels, err := b.relations(""); err == nil {
		for _, rel := range rels {
			if strings.HasSuffix(rel.kind, relWorkbook) {
				main = rel.part
			}
		}
	}
	if b.parts[strings.ToLower(main)] == nil {
		return nil, errors.New("the archive is not a workbook")
	}
	rels, err := b.relations(main)
	if err != nil {
		return nil, err
	}
	if err := b.workbook(main, rels); err != nil {
		return nil, err
	}
	for _, rel := range rels {
		switch {
		case strings.HasSuffix(rel.kind, relStrings):
			err = b.readStrings(rel.part)
		case strings.HasSuffix(rel.kind, relStyles):
			err = b.readStyles(rel.part)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// each calls do with every start and end of an element of a part, until do returns io.EOF or the part ends.
func (b *xlsx) each(part string, do func(d *xml.Decoder, t xml.Token) error) error {
	f := b.parts[strings.ToLower(part)]
	if f == nil {
		return fmt.Errorf("%s is missing", part)
	}
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	defer func() { _ = in.Close() }() // it is read
	d := xml.NewDecoder(&bounded{in, b})
	for {
		t, err := d.RawToken()
		if err == nil {
			err = do(d, t)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errUnpacked):
			return err
		case err != nil:
			return fmt.Errorf("%s: %w", part, err)
		}
	}
}

// bounded reads a part, and counts what is unpacked.
type bounded struct {
	io.Reader
	b *xlsx
}

func (r *bounded) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.b.left -= int64(n); r.b.left < 0 {
		return 0, errUnpacked
	}
	return n, err
}

// relation is what a part says of another.
type relation struct{ id, kind, part string }

// relations returns what is said of the parts that one has, "" for the whole workbook.
func (b *xlsx) relations(part string) (list []relation, err error) {
	folder, name := path.Split(part)
	err = b.each(folder+"_rels/"+name+".rels", func(_ *xml.Decoder, t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "Relationship" {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(folder, target)
			}
			list = append(list, relation{attribute(e, "Id"), attribute(e, "Type"), strings.TrimPrefix(target, "/")})
		}
		return nil
	})
	return list, err
}

// attribute returns an attribute of an element, "" where it has none. It is the first of that name, as of "id" and "r:id".
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// workbook reads the names of the sheets of cells.
func (b *xlsx) workbook(part string, rels []relation) error {
	return b.each(part, func(_ *xml.Decoder, t xml.Token) error {
		e, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "workbookPr":
			on := attribute(e, "date1904")
			b.from1904 = on == "1" || on == "true"
		case e.Name.Local == "sheet":
			for _, rel := range rels {
				if rel.id == attribute(e, "id") && strings.HasSuffix(rel.kind, relSheet) {
					b.sheets = append(b.sheets, xlsxSheet{attribute(e, "name"), rel.part})
				}
			}
		}
		return nil
	})
}

// readStrings reads the strings that cells share.
func (b *xlsx) readStrings(part string) error {
	return b.each(part, func(d *xml.Decoder, t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "si" {
			text, err := textOf(d, "si")
			b.strings = append(b.strings, text)
			return err
		}
		return nil
	})
}

// textOf returns the text of an element whose start was read: all of its parts but how Japanese is pronounced.
func textOf(d *xml.Decoder, element string) (string, error) {
	var text strings.Builder
	inside, spoken := false, false
	for {
		t, err := d.RawToken()
		if err != nil {
			return "", cutShort(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			inside, spoken = t.Name.Local == "t", spoken || t.Name.Local == "rPh"
		case xml.CharData:
			if inside && !spoken {
				text.Write(t)
			}
		case xml.EndElement:
			switch inside = false; t.Name.Local {
			case "rPh":
				spoken = false
			case element:
				return unescape(text.String()), nil
			}
		}
	}
}

// cutShort makes the end of a file within an element an error.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescape returns a text with the characters that XML does not have, such as _x000D_.
func unescape(text string) string {
	return escaped.ReplaceAllStringFunc(text, func(code string) string {
		c, _ := strconv.ParseUint(code[2:6], 16, 16) // the pattern has digits alone
		return string(rune(c))
	})
}

// readStyles reads which styles show numbers as dates.
func (b *xlsx) readStyles(part string) error {
	dates := map[string]bool{} // the formats that the workbook adds
	cells := false
	return b.each(part, func(_ *xml.Decoder, t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "numFmt":
				dates[attribute(t, "numFmtId")] = isDateFormat(attribute(t, "formatCode"))
			case "cellXfs":
				cells = true
			case "xf":
				if id := attribute(t, "numFmtId"); cells {
					dated, own := dates[id]
					b.dated = append(b.dated, own && dated || !own && isDateNumber(id))
				}
			}
		case xml.EndElement:
			cells = cells && t.Name.Local != "cellXfs"
		}
		return nil
	})
}

// isDateNumber reports whether a format that every program knows by its number shows a date or a time.
func isDateNumber(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58)
}

// xlsxCell is a cell of a sheet that is written there; blank ones between are not.
type xlsxCell struct {
	row, col int    // from 0
	kind     string // what its value is: "" or n a number, s the number of a string, b a truth value, else text
	style    int
	value    string
	stored   bool   // it has a value, perhaps an empty one
	formula  string // "": there is none
}

// The last row and column that a sheet can have.
const (
	lastRow    = 1 << 20
	lastColumn = 1 << 14
)

// cells calls do with every cell that a sheet writes, in order, until do returns io.EOF.
func (b *xlsx) cells(s xlsxSheet, do func(c *xlsxCell) error) error {
	row, col := -1, -1
	return b.each(s.part, func(d *xml.Decoder, t xml.Token) error {
		if e, ok := t.(xml.EndElement); ok && e.Name.Local == "sheetData" {
			return io.EOF
		}
		e, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "row":
			next := row + 1
			if at := attribute(e, "r"); at != "" {
				n, err := strconv.Atoi(at)
				if err != nil || n-1 <= row || n > lastRow {
					return fmt.Errorf("row %s follows row %d", Quote(at), row+1)
				}
				next = n - 1
			}
			row, col = next, -1
		case e.Name.Local == "c":
			next := col + 1
			if at := attribute(e, "r"); at != "" {
				next = columnOf(at)
			}
			if next < 0 || next <= col || next >= lastColumn || row < 0 {
				return fmt.Errorf("cell %s of row %d stands where no cell can", Quote(attribute(e, "r")), row+1)
			}
			col = next
			c := &xlsxCell{row: row, col: col, kind: attribute(e, "t")}
			c.style, _ = strconv.Atoi(attribute(e, "s"))
			if err := c.read(d); err != nil {
				return err
			}
			if c.kind == "s" && c.stored {
				k, err := strconv.Atoi(strings.TrimSpace(c.value))
				if err != nil || k < 0 || k >= len(b.strings) {
					return fmt.Errorf("column %d of row %d names string %s of %d", col+1, row+1, Quote(c.value), len(b.strings))
				}
				c.value = b.strings[k]
			}
			return do(c)
		}
		return nil
	})
}

// columnOf returns the column of a cell such as AB12, from 0; −1 where there are no letters.
func columnOf(at string) int {
	col := 0
	for _, c := range strings.ToUpper(at) {
		if c < 'A' || c > 'Z' || col > lastColumn {
			break
		}
		col = 26*col + int(c-'A') + 1
	}
	return col - 1
}

// read reads the rest of a cell.
func (c *xlsxCell) read(d *xml.Decoder) error {
	inside := ""
	for {
		t, err := d.RawToken()
		if err != nil {
			return cutShort(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch inside = t.Name.Local; inside {
			case "v":
				c.stored = true
			case "f":
				c.formula = "="
			case "is":
				c.stored = true
				if c.value, err = textOf(d, "is"); err != nil {
					return err
				}
			}
		case xml.CharData:
			switch inside {
			case "v":
				c.value += string(t)
			case "f":
				c.formula += string(t)
			}
		case xml.EndElement:
			if inside = ""; t.Name.Local == "c" {
				return nil
			}
		}
	}
}
