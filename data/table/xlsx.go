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
			if strings.HasSuffix(rel.Type, relWorkbook) {
				main = rel.Target
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
		case strings.HasSuffix(rel.Type, relStrings):
			err = b.readStrings(rel.Target)
		case strings.HasSuffix(rel.Type, relStyles):
			err = b.readStyles(rel.Target)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// read calls do with the decoder of a part. io.EOF of do is the end of the part, and not an error.
func (b *xlsx) read(part string, do func(d *xml.Decoder) error) error {
	f := b.parts[strings.ToLower(part)]
	if f == nil {
		return fmt.Errorf("%s is missing", part)
	}
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	defer func() { _ = in.Close() }() // it is read
	switch err := do(xml.NewDecoder(&bounded{in, b})); {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, errUnpacked):
		return err
	default:
		return fmt.Errorf("%s: %w", part, err)
	}
}

// each calls do with every start of an element of a part, until do returns io.EOF or the part ends.
func (b *xlsx) each(part string, do func(d *xml.Decoder, e xml.StartElement) error) error {
	return b.read(part, func(d *xml.Decoder) error {
		for {
			t, err := d.Token()
			if e, ok := t.(xml.StartElement); ok && err == nil {
				err = do(d, e)
			}
			if err != nil {
				return err
			}
		}
	})
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
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:",attr"`
	Target string `xml:",attr"`
}

// relations returns what is said of the parts that one has, "" for the whole workbook.
func (b *xlsx) relations(part string) ([]relation, error) {
	var all struct{ Relationship []relation }
	folder, name := path.Split(part)
	err := b.read(folder+"_rels/"+name+".rels", func(d *xml.Decoder) error { return d.Decode(&all) })
	for i, rel := range all.Relationship {
		if !strings.HasPrefix(rel.Target, "/") {
			rel.Target = path.Join(folder, rel.Target)
		}
		all.Relationship[i].Target = strings.TrimPrefix(rel.Target, "/")
	}
	return all.Relationship, err
}

// workbook reads the names of the sheets of cells.
func (b *xlsx) workbook(part string, rels []relation) error {
	var w struct {
		Properties struct {
			From1904 bool `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	err := b.read(part, func(d *xml.Decoder) error { return d.Decode(&w) })
	b.from1904 = w.Properties.From1904
	for _, sheet := range w.Sheets {
		for _, rel := range rels {
			if rel.ID == sheet.ID && strings.HasSuffix(rel.Type, relSheet) {
				b.sheets = append(b.sheets, xlsxSheet{sheet.Name, rel.Target})
			}
		}
	}
	return err
}

// readStrings reads the strings that cells share.
func (b *xlsx) readStrings(part string) error {
	return b.each(part, func(d *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		var text xlsxText
		err := d.DecodeElement(&text, &e)
		b.strings = append(b.strings, text.String())
		return err
	})
}

// xlsxText is a text in pieces. How Japanese is pronounced is not read.
type xlsxText struct {
	Text string `xml:"t"`
	Runs []struct {
		Text string `xml:"t"`
	} `xml:"r"`
}

var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// String returns the text with the characters that XML does not have, such as _x000D_.
func (t *xlsxText) String() string {
	text := t.Text
	for _, run := range t.Runs {
		text += run.Text
	}
	return escaped.ReplaceAllStringFunc(text, func(code string) string {
		c, _ := strconv.ParseUint(code[2:6], 16, 16) // the pattern has digits alone
		return string(rune(c))
	})
}

// readStyles reads which styles show numbers as dates.
func (b *xlsx) readStyles(part string) error {
	var s struct {
		Formats []struct {
			ID   string `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format string `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	err := b.read(part, func(d *xml.Decoder) error { return d.Decode(&s) })
	dates := map[string]bool{} // the formats that the workbook adds
	for _, format := range s.Formats {
		dates[format.ID] = isDateFormat(format.Code)
	}
	for _, cell := range s.Cells {
		dated, own := dates[cell.Format]
		b.dated = append(b.dated, own && dated || !own && isDateNumber(cell.Format))
	}
	return err
}

// isDateNumber reports whether a format that every program knows by its number shows a date or a time.
func isDateNumber(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58)
}

// xlsxCell is a cell of a sheet that is written there; blank ones between are not.
type xlsxCell struct {
	At      string    `xml:"r,attr"`
	Kind    string    `xml:"t,attr"` // what its value is: "" or n a number, s the number of a string, b a truth value, else text
	Style   int       `xml:"s,attr"`
	Formula *string   `xml:"f"`
	Value   *string   `xml:"v"`
	Inline  *xlsxText `xml:"is"`

	row, col int    // from 0
	text     string // its value, or the string that it names
}

// stored reports whether the cell has a value, perhaps an empty one.
func (c *xlsxCell) stored() bool { return c.Value != nil || c.Inline != nil }

// The last row and column that a sheet can have.
const (
	lastRow    = 1 << 20
	lastColumn = 1 << 14
)

// cells calls do with every cell that a sheet writes, in order, until do returns io.EOF.
func (b *xlsx) cells(s xlsxSheet, do func(c *xlsxCell) error) error {
	row, col := -1, -1
	return b.each(s.part, func(d *xml.Decoder, e xml.StartElement) error {
		var c xlsxCell
		switch e.Name.Local {
		case "row":
			row, col = row+1, -1
			for _, a := range e.Attr {
				if a.Name.Local != "r" {
					continue
				}
				n, err := strconv.Atoi(a.Value)
				if err != nil || n <= row || n > lastRow {
					return fmt.Errorf("row %s follows row %d", Quote(a.Value), row)
				}
				row = n - 1
			}
			return nil
		case "c":
			if err := d.DecodeElement(&c, &e); err != nil {
				return err
			}
		default:
			return nil
		}
		next := col + 1
		if c.At != "" {
			next = columnOf(c.At)
		}
		if next < 0 || next <= col || next >= lastColumn || row < 0 {
			return fmt.Errorf("cell %s of row %d stands where no cell can", Quote(c.At), row+1)
		}
		col = next
		c.row, c.col = row, col
		switch {
		case c.Inline != nil:
			c.text = c.Inline.String()
		case c.Value != nil:
			c.text = *c.Value
		}
		if c.Kind == "s" && c.stored() {
			k, err := strconv.Atoi(strings.TrimSpace(c.text))
			if err != nil || k < 0 || k >= len(b.strings) {
				return fmt.Errorf("column %d of row %d names string %s of %d", col+1, row+1, Quote(c.text), len(b.strings))
			}
			c.text = b.strings[k]
		}
		return do(&c)
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
