package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// packed is text as a gzip file.
func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

const small = "object,flies,\"barks, loudly\"\nowl,1,0\ndog,0.1,.9\n"

func TestReadTable(t *testing.T) {
	for why, text := range map[string][]byte{
		"plain":             []byte(small),
		"BOM":               []byte("\ufeff" + small),
		"CRLF":              []byte(strings.ReplaceAll(small, "\n", "\r\n")),
		"no end of line":    []byte(strings.TrimSpace(small)),
		"blank lines":       []byte("\n" + strings.ReplaceAll(small, "\n", "\n \n\n")),
		"blanks round cell": []byte(strings.ReplaceAll(strings.ReplaceAll(small, "owl", " owl\t"), "0.1", " 0.1 ")),
		"Object":            []byte(strings.Replace(small, "object", "Object", 1)),
		"another header":    []byte(strings.Replace(small, "object", "Animal; or bird", 1)),
		"no first header":   []byte(strings.Replace(small, "object", "", 1)),
		"semicolons":        []byte(strings.Replace(small, "object", "a; b; c; d", 1)),
		"control character": []byte(strings.Replace(small, "flies", "\u0085flies", 1)),
	} {
		for _, name := range []string{"t.csv", "t.csv.gz"} {
			if name == "t.csv.gz" {
				text = packed(string(text))
			}
			table, err := ParseTable(bytes.NewReader(text), name)
			if err != nil {
				t.Errorf("%s in %s: %v", why, name, err)
				continue
			}
			got := fmt.Sprintf("%q %q %v", table.Queries, table.Objects, table.P)
			if want := `["flies" "barks, loudly"] ["owl" "dog"] [1 0 0.1 0.9]`; got != want {
				t.Errorf("%s in %s: %s, want %s", why, name, got, want)
			}
		}
	}
}

func TestTableFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `t.csv:1: the file is empty: the first line names the columns, object,<query>,…`},
		{"\n\n", `t.csv:2: the file is empty: the first line names the columns, object,<query>,…`},
		{"dog,1,0\ncat,0,1\n", `t.csv:1: all queries are named by numbers (the first: "1"), so the header seems to be missing: write a first line object,<query>,…, with names that are not numbers`},
		{"0,1,2\ncat,0,1\n", `t.csv:1: all queries are named by numbers (the first: "1"), so the header seems to be missing: write a first line object,<query>,…, with names that are not numbers`},
		{"object;a;b\ndog;1;0\n", `t.csv:1: the table has no queries: the first line names them, object,<query>,…. The first line has semicolons where commas are expected: save the table with commas between cells and points in numbers`},
		{"object\ta\tb\ndog\t1\t0\n", `t.csv:1: the table has no queries: the first line names them, object,<query>,…. The first line has tabs where commas are expected: save the table with commas between cells and points in numbers`},
		{"object;a, or so;b\ndog;1;0\n", `t.csv:2: the row has 1 cells, the header 2: each row is an object and one P(yes) for each query. The first line has semicolons where commas are expected: save the table with commas between cells and points in numbers`},
		{"object;a, or so;b\ndog;0,1;0\n", `t.csv:2: column 2 ("or so;b") is "1;0", not a number: write P(yes) from 0 to 1. The first line has semicolons where commas are expected: save the table with commas between cells and points in numbers`},
		{"object\ndog\n", `t.csv:1: the table has no queries: the first line names them, object,<query>,…`},
		{"object,a,,c\n", `t.csv:1: column 3 has no name: name its query or remove the column`},
		{"object,a,b,a\n", `t.csv:1: query "a" names columns 2 and 4: rename one or remove it`},
		{"object,a,b\n", `t.csv:1: the table has a header and no rows: write one object a line below it`},
		{"object,a,b\ndog,1,0\n", `t.csv:2: the table has one object, "dog": a game needs at least 2 that differ`},
		{"object,a,b\ndog,1,0\ncat,1\n", `t.csv:3: the row has 2 cells, the header 3: each row is an object and one P(yes) for each query`},
		{"object,a,b\ndog,1,0\ncat,1,0,0\n", `t.csv:3: the row has 4 cells, the header 3: each row is an object and one P(yes) for each query`},
		{"object,a,b\ndog,1,0\n,1,0\n", `t.csv:3: the object has no name: write one in the first cell`},
		{"object,a,b\ndog,1,0\n\ndog,0,1\n", `t.csv:4: object "dog" stands on line 2 too: rename one or remove it`},
		{"object,a,b\ndog,1,yes\n", `t.csv:2: column 3 ("b") is "yes", not a number: write P(yes) from 0 to 1`},
		{"object,a,b\ndog,,1\n", `t.csv:2: column 2 ("a") is "", not a number: write P(yes) from 0 to 1`},
		{"object,a,b\ndog,NaN,1\n", `t.csv:2: column 2 ("a") is "NaN", not a number: write P(yes) from 0 to 1`},
		{"object,a,b\ndog,1,1.2\n", `t.csv:2: column 3 ("b") is 1.2, outside [0, 1]: write P(yes) from 0 to 1`},
		{"object,a,b\ndog,1,-1e999\n", `t.csv:2: column 3 ("b") is -Inf, outside [0, 1]: write P(yes) from 0 to 1`},
		{"object,a\n\"dog,1\n", `t.csv:2: a quote is not closed or stands inside a cell: write cells with quotes as "say ""yes""", each on one line`},
		{"object,a\nd\xffog,1\n", `t.csv:2: byte 2 (0xff) is not UTF-8 text: save the file as UTF-8`},
		{"object,a\rdog,1\rcat,0\r", `t.csv:1: lines end in CR alone: save the file with LF or CRLF`},
		{"\xff\xfeo\x00b\x00", `t.csv:1: the file begins FF FE, so it is UTF-16, Excel's "Unicode text": save it as "CSV UTF-8"`},
		{"\xfe\xff\x00o\x00b", `t.csv:1: the file begins FE FF, so it is UTF-16, Excel's "Unicode text": save it as "CSV UTF-8"`},
	} {
		_, err := ParseTable(strings.NewReader(c.text), "t.csv")
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestGzipFaults(t *testing.T) {
	whole := packed("object,a,b\n" + strings.Repeat("x", 1000) + ",1,0\ndog,0.123,0.456\n")
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 1
	for _, c := range []struct {
		why  string
		text []byte
		want string
	}{
		{"not gzip", []byte(small), "t.csv.gz:1: not a gzip file: unpack it or drop the .gz from its name"},
		{"empty", nil, "t.csv.gz:1: not a gzip file: unpack it or drop the .gz from its name"},
		{"header cut", whole[:5], "t.csv.gz:1: not a gzip file: unpack it or drop the .gz from its name"},
		{"cut short", whole[:len(whole)-9], "the gzip file is cut short after"},
		{"no checksum", whole[:len(whole)-8], "the gzip file is cut short after"},
		{"zeros behind it", append(slices.Clone(whole), make([]byte, 20)...), "something else follows the gzip data: fetch the file again"},
		{"damaged", damaged, "the gzip file is damaged (gzip: invalid checksum): fetch it again"},
	} {
		_, err := ParseTable(bytes.NewReader(c.text), "t.csv.gz")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "t.csv.gz:") {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
}

// endless is a table, or one line, that never stops.
type endless struct {
	head, body string
	at         int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		if e.at < len(e.head) {
			p[i] = e.head[e.at]
		} else {
			p[i] = e.body[(e.at-len(e.head))%len(e.body)]
		}
		e.at++
	}
	return len(p), nil
}

func TestEndlessInputIsRefused(t *testing.T) {
	for _, c := range []struct {
		why  string
		in   io.Reader
		most int64
		want string
	}{
		{"one line", &endless{"object,a\n", "x", 0}, MaxBytes, "t.csv:2: the line is longer than 16 MiB: is this a table, one object a line?"},
		{"an open quote", &endless{"object,a\n\"", "x", 0}, MaxBytes, "t.csv:2: the line is longer than 16 MiB: is this a table, one object a line?"},
		{"blank lines", &endless{"object,a\n", "\n", 0}, MaxBytes, "t.csv:1048578: more than 1048576 lines are blank: is this a table, one object a line?"},
		{"long lines", &endless{"object,a\nx,1\n", strings.Repeat(" ", 1<<16) + "\n", 0}, 4 << 20, "the file holds more than 4 MiB: it is no table of this size, or select fewer queries and rows"},
	} {
		l, err := newLines(c.in, "t.csv")
		if err != nil {
			t.Fatal(err)
		}
		l.most = c.most
		if _, err = readTable(l); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
}

func TestGzipBombIsRefused(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.Copy(z, io.LimitReader(&endless{"object,a\n", " \n", 0}, 8<<20))
	_ = z.Close()
	if b.Len() > 32<<10 {
		t.Fatalf("the bomb takes %d bytes", b.Len())
	}
	l, err := newLines(&b, "bomb.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	l.most = 2 << 20
	if _, err := readTable(l); err == nil || !strings.Contains(err.Error(), "the file holds more than 2 MiB") {
		t.Errorf("a bomb: %v", err)
	}
}

// TestManyObjects: names take memory too, so that a table of one query is bounded
// by them.
func TestManyObjects(t *testing.T) {
	l, err := newLines(strings.NewReader(small), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{Queries: []string{"a"}, Objects: make([]string, MaxCells/(1+nameCells))}
	if err := table.row(l, []string{"x", "1"}, map[string]int{}); err == nil || !strings.Contains(err.Error(), "t.csv:1: the table has more than 33554432 cells") {
		t.Error(err)
	}
}

// TestNoMemory: a table larger than what is left is refused while it grows, one
// that fits is read, also where nobody knows what is left.
func TestNoMemory(t *testing.T) {
	var text strings.Builder
	text.WriteString("object")
	for i := range 100 {
		fmt.Fprintf(&text, ",q%d", i)
	}
	for k := range 1000 {
		fmt.Fprintf(&text, "\no%d%s", k, strings.Repeat(",1", 100))
	}
	for free, want := range map[int64]string{
		0: "", 1 << 30: "",
		1 << 20: "the table needs more than 1 MiB of memory and 1 MiB can be had: remove queries or rows, or use a larger machine",
	} {
		l, err := newLines(strings.NewReader(text.String()), "t.csv")
		if err != nil {
			t.Fatal(err)
		}
		l.free = func() int64 { return free }
		got := ""
		if _, err := readTable(l); err != nil {
			got = err.Error()
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%d bytes free: %q, want %q", free, got, want)
		}
	}
	if free := memory(); free < 0 || runtime.GOOS == "linux" && free == 0 {
		t.Errorf("%d bytes of memory can be had", free)
	}
}

func TestReadTableFromDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pets.csv.gz")
	if err := os.WriteFile(path, packed(small), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTable(path); err != nil {
		t.Error(err)
	}
	if _, err := ReadTable(filepath.Join(dir, "none.csv")); err == nil {
		t.Error("a missing file was read")
	}
	if _, err := ReadTable(dir); err == nil {
		t.Error("a folder was read")
	}
}

func FuzzParseTable(f *testing.F) {
	for _, seed := range []string{small, "", "\ufeff" + small, "object,a\nx,1\ny,0\n", "object,a\n\"x\ny\",1\n", "object,a,a\n", "object,\xff\n"} {
		f.Add([]byte(seed), false)
		f.Add(packed(seed), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, gz bool) {
		name := "t.csv"
		if gz {
			name = "t.csv.gz"
		}
		table, err := ParseTable(bytes.NewReader(text), name)
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+":") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is not one line with its place: %q", err)
			}
			return
		}
		p, prior, _, err := table.Problem(Options{T: 1, Select: Select{Queries: 3}})
		if err != nil {
			return
		}
		if err := p.Check(); err != nil {
			t.Errorf("a table was read into no game: %v", err)
		}
		if len(prior) != len(table.Objects) {
			t.Errorf("%d rows in the prior of %d objects", len(prior), len(table.Objects))
		}
	})
}
