package table

import (
	"strings"
	"testing"
)

// TestRecords: records of JSON are rows, in whatever way they are set out.
func TestRecords(t *testing.T) {
	const want = "object,flies,swims\ndog,0,1\nrobin,1,0\n"
	const dog, robin = `{"name":"dog","flies":false,"swims":true}`, `{"name":"robin","flies":true,"swims":false}`
	for _, c := range []struct{ why, text, want string }{
		{"a list", "[" + dog + "," + robin + "]", want},
		{"indented", "[\n  " + strings.ReplaceAll(dog, ",", ",\n    ") + ",\n  " + robin + "\n]\n", want},
		{"a line each, with a byte-order mark", "\ufeff" + dog + "\n" + robin + "\n", want},
		{"shares and what is missing", `[{"o": "x", "a": 0.25, "b": null}, {"o": "y", "b": 1}, {"o": "z", "a": 0, "b": "0.5", "c": 1}]`, "object,a,b,c\nx,0.25,,\ny,,1,\nz,0,0.5,1\n"},
		{"escapes", `[{"o": "d\u00f6g", "say \"a\", b": 1}, {"o": "c\nat", "say \"a\", b": 0}]`, "object,\"say \"\"a\"\", b\"\ndög,1\nc at,0\n"},
	} {
		table, err := Parse(strings.NewReader(c.text), "t.json", Options{})
		if got := outcome(table, err); got != "note: the file has records of JSON, each a row\n"+c.want {
			t.Errorf("%s: %s", c.why, got)
		}
	}
	for file, want := range map[string]string{"list.json": want, "list_pretty.json": "object,flies\ndog,0\nrobin,1\n"} {
		table, err := Read("testdata/records/"+file, Options{})
		if got := outcome(table, err); got != "note: the file has records of JSON, each a row\n"+want {
			t.Errorf("%s: %s", file, got)
		}
	}
	for _, c := range []struct {
		text, want string
		o          Options
	}{
		{"[" + dog + ",\n" + robin, "t.json:2: the list of records is not closed: the file is cut short.", Options{}},
		{dog + "\n{\"name\":", "t.json:2: a record is not closed: the file is cut short.", Options{}},
		{dog + "\n{\"name\": }", "t.json:2: the file is not JSON (", Options{}},
		{dog + "\n{\"name\":\"a\",\n\"name\":\"b\"}", `t.json:3: the record has "name" twice`, Options{}},
		{dog + "\n{\"name\":\"a\",\n\"flies\":{\"x\":1}}", `t.json:3: "flies" has parts of its own; a cell is one value, or a list of values.`, Options{}},
		{"[[1,2],[3,4]]", "t.json:1: the file is JSON, and not a list of records;", Options{}},
		{`{"data": [` + dog + "]}", `t.json:1: "data" has parts of its own`, Options{}},
		{"[" + dog + "]\nx", "t.json:2: text follows the list of records", Options{}},
		{"[]", "t.json:1: the file has a header and no rows", Options{}},
		{"[" + dog + "," + robin + "]", "t.json:1: --no-header is given, and records of JSON name their columns.", Options{NoHeader: true}},
		{"[" + dog + "," + robin + "]", "t.json:1: --separator is \"tab\", and the file is JSON.", Options{Separator: "tab"}},
		{"[" + dog + "," + robin + "]", "t.json:1: --sheet is \"x\", and the file is not a workbook.", Options{Sheet: "x"}},
	} {
		if _, err := Parse(strings.NewReader(c.text), "t.json", c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}
