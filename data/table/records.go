package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// isRecords reports whether a text is JSON: it begins with an object, or with a list of objects or lists.
func isRecords(text []byte) bool {
	text = bytes.TrimSpace(text)
	if rest, list := bytes.CutPrefix(text, []byte("[")); list {
		text = bytes.TrimSpace(rest)
		return bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("[")) || bytes.HasPrefix(text, []byte("]"))
	}
	return bytes.HasPrefix(text, []byte("{"))
}

// records reads records of JSON: a list of flat objects, or one object after the other. A record is a row, its names the
// columns, in the order in which they are first met.
func (r *reader) records(text []byte, src *source) (*grid, error) {
	switch {
	case r.NoHeader:
		return nil, r.fault(1, "--no-header is given, and records of JSON name their columns. Leave it out.")
	case r.Separator != "":
		return nil, r.fault(1, "--separator is %s, and the file is JSON. Leave it out.", Quote(r.Separator))
	}
	p := &recordReader{reader: r, src: src, text: text, d: json.NewDecoder(bytes.NewReader(text)), column: map[string]int{}, g: &grid{rows: [][]string{nil}, lines: []int{1}}}
	p.d.UseNumber()
	if err := p.all(); err != nil {
		return nil, err
	}
	g := p.g
	for i, row := range g.rows {
		g.rows[i] = append(row, make([]string, len(g.rows[0])-len(row))...)
	}
	r.assume("the file has records of JSON, each a row")
	return g, nil
}

// recordReader reads records of JSON.
type recordReader struct {
	*reader
	src    *source
	text   []byte
	d      *json.Decoder
	column map[string]int
	g      *grid
	line   int // of the token last read
	at     int // bytes up to there
}

// token returns the next token.
func (p *recordReader) token() (json.Token, error) {
	t, err := p.d.Token()
	end := int(p.d.InputOffset())
	p.line, p.at = p.line+bytes.Count(p.text[p.at:end], []byte("\n")), end
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, p.broken(lineOf(p.text, min(int(syntax.Offset), len(p.text))), err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, io.EOF
	case err != nil:
		return nil, p.broken(p.line, err)
	}
	return t, nil
}

// broken returns the error of a text that is not JSON.
func (p *recordReader) broken(line int, err error) error {
	return p.fault(line, "the file is not JSON (%s). Correct it, or save the table as .csv.", oneLine(err))
}

// all reads every record.
func (p *recordReader) all() error {
	p.line = 1
	list := bytes.HasPrefix(bytes.TrimSpace(p.text), []byte("["))
	if list {
		if _, err := p.token(); err != nil {
			return err
		}
	}
	for {
		t, err := p.token()
		switch {
		case errors.Is(err, io.EOF) && list:
			return p.fault(p.line, "the list of records is not closed: the file is cut short. Save it again.")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case t == json.Delim(']') && list:
			if _, err := p.token(); !errors.Is(err, io.EOF) {
				return p.fault(p.line, "text follows the list of records; a table is one list. Remove it.")
			}
			return nil
		case t != json.Delim('{'):
			return p.fault(p.line, `the file is JSON, and not a list of records; a table is a list of objects such as {"name": "dog", "flies": false}. Save it as records, or as .csv.`)
		}
		if err := p.record(); err != nil {
			return err
		}
	}
}

// record reads the rest of a record.
func (p *recordReader) record() error {
	begin := p.line
	row := make([]string, len(p.g.rows[0]))
	seen := map[string]bool{}
	for {
		t, err := p.token()
		if err != nil {
			return p.cut(err)
		}
		if t == json.Delim('}') {
			break
		}
		name := Clean(t.(string)) // the decoder refuses other keys
		if seen[name] {
			return p.fault(p.line, "the record has %s twice. Remove one.", Quote(name))
		}
		seen[name] = true
		cell, err := p.cell(name)
		if err != nil {
			return err
		}
		col, known := p.column[name]
		if !known {
			col = len(p.g.rows[0])
			p.column[name], p.g.rows[0] = col, append(p.g.rows[0], name)
			row = append(row, "")
		}
		row[col] = cell
	}
	if filled(row) == 0 {
		return nil
	}
	p.g.rows, p.g.lines = append(p.g.rows, row), append(p.g.lines, begin)
	cells := len(p.g.rows) * (len(p.g.rows[0]) + nameCells)
	if cells-nameCells > MaxCells {
		return p.fault(begin, "the table has more than %d cells (an object's name counts as %d), too many to hold. Remove questions or rows.", MaxCells, nameCells)
	}
	return p.src.room(begin, cellBytes*int64(cells))
}

// cell reads a value: a list of values is their text in brackets.
func (p *recordReader) cell(name string) (string, error) {
	t, err := p.token()
	if err != nil {
		return "", p.cut(err)
	}
	if t != json.Delim('[') {
		return p.plain(name, t)
	}
	var list []string
	for {
		t, err := p.token()
		if err != nil {
			return "", p.cut(err)
		}
		if t == json.Delim(']') {
			return "[" + strings.Join(list, ", ") + "]", nil
		}
		value, err := p.plain(name, t)
		if err != nil {
			return "", err
		}
		if _, is := t.(string); is {
			value = "'" + value + "'"
		}
		list = append(list, value)
	}
}

// cut returns the error of a record that ends within a value.
func (p *recordReader) cut(err error) error {
	if errors.Is(err, io.EOF) {
		return p.fault(p.line, "a record is not closed: the file is cut short. Save it again.")
	}
	return err
}

// plain returns the cell of a value that has no parts.
func (p *recordReader) plain(name string, t json.Token) (string, error) {
	switch v := t.(type) {
	case string:
		return Clean(v), nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	case nil:
		return "", nil
	}
	return "", p.fault(p.line, "%s has parts of its own; a cell is one value, or a list of values. Flatten the records, or save the table as .csv.", Quote(name))
}
