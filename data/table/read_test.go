package table

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/internal/disk"
)

const small = "object,flies,\"barks, loudly\"\nowl,1,0\ndog,0.1,.9\n"

// packed is text as a gzip file.
func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// TestFaults: what makes no table is refused with one line that says where, what, the rule and the remedy, directly
// and by import.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `t.csv:1: the file is empty; its first line names the columns, first the objects, then one question each.`},
		{"\n\n", `t.csv:1: the file is empty; its first line names the columns, first the objects, then one question each.`},
		{"object\ndog\n", `t.csv:1: the first line has one cell, "object"; it names the columns, first the objects, then one question each. Cells between other characters? Use --separator.`},
		{"object,a,b\nx,yes,no\ny,maybe,yes\nz,no,no\n", `t.csv:3: column 2 ("a") is "maybe"; a cell is a share from 0 to 1, a count k/n, yes or no, or empty where it is unknown. Correct it. Between yes and no? Write a share, such as 0.5. Run: mapo data import t.csv --categories -o t-table.csv if columns hold values`},
		{"object,a,,c\nx,1,0,1\ny,1,1,1\n", `t.csv:1: column 3 has values and no name; the header names every question. Name it, or remove the column.`},
		{"object,a,b,a\nx,1,0,1\n", `t.csv:1: columns 2 and 4 have one name, "a"; the names of questions must differ. Rename one or remove it.`},
		{"object,a,b\n", `t.csv:1: the file has a header and no rows; each line below it is an object. Write them.`},
		{"object,a,b\ndog,1,0\n", `t.csv:2: the table has one object, "dog"; a game needs at least 2 that differ. Add another.`},
		{"object,a,b\ndog,1,0\ncat,1\n", `t.csv:3: the row has 2 cells and the header 3; each row is an object and one share for each question. Add or remove cells; a cell that holds the separator, such as 0,5, is written in quotes.`},
		{"object,a,b\ndog,1,0\n,1,0\n", `t.csv:3: the object has no name; every row begins with one. Write one in the first cell.`},
		{"object,a,b\ndog,1,1.2e999\ncat,0,0\n", `t.csv:2: column 3 ("b") is 1.2e999; a share is from 0 to 1. Correct it.`},
		{"object,cases,a,b\nflu,80,0.9,0.8\ncold,20,0.2,0.7\n", `t.csv:2: column 2 ("cases") is 80; a share is from 0 to 1. Correct a slip. Run: mapo data import t.csv --categories -o t-table.csv if the numbers are values or measurements`},
		{"object,cases,a,b\nflu,80,1,0.8\ncold,20,0,0.7\n", `t.csv:2: column 2 ("cases") is 80; a share is from 0 to 1. Correct a slip. Run: mapo data import t.csv --categories -o t-table.csv if the numbers are values or measurements`},
		{"object,cases,a,b\nflu,8,0.9,0.8\ncold,2,0.2,0.7\n", `t.csv:2: column 2 ("cases") is 8; a share is from 0 to 1. Correct a slip. Run: mapo data import t.csv --categories -o t-table.csv if the numbers are values or measurements`},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", `t.csv:1: the file is a Git LFS pointer, not the file itself: run git lfs pull`},
		{"object,question,answer\nflu,fever?,yes\nflu,fever?,maybe\n", `t.csv:1: the columns say that each line is one answer, and here a line is an object. Run: mapo data tabulate t.csv -o t-table.csv`},
		{"object;query;answer\na;q;yes\nb;q;no\n", `t.csv:1: the columns say that each line is one answer, and here a line is an object. Run: mapo data tabulate t.csv -o t-table.csv`},
		{"session,policy,step,query,text,outcome,answer\ns,p,1,0,fever?,answer,1\ns,p,2,1,cough?,answer,-1\n", `t.csv:1: the columns say that each line is one answer, and here a line is an object. Run: mapo data tabulate t.csv -o t-table.csv`},
		{"object,a,b\nflu,0.1,1\ncold,0.2,1.5\n", `t.csv:3: column 3 ("b") is 1.5; a share is from 0 to 1. Correct a slip. Run: mapo data import t.csv --categories -o t-table.csv if the numbers are values or measurements`},
		{"object,a,b\ndog,1,-1e999\ncat,0,0\n", `t.csv:2: column 3 ("b") is -1e999; a share is from 0 to 1. Correct it.`},
		{"object,a,b\ndog,1,0\ncat,1,0\n", `t.csv:3: all 2 rows are alike; a game needs at least 2 that differ. Add a question that tells some of them apart.`},
		{"object,a,b\ndog,1,0\ncat,NA,\n", `t.csv:3: object "cat" has no known cell; a row needs at least one. Fill it in, or remove the row.`},
		{"object,a,b\ndog,21/20,0\ncat,1,1\n", `t.csv:2: column 2 ("a") is "21/20"; a count k/n is k answers of yes among n, so k is at most n. Correct it.`},
		{"object,mapo:weight,b\ndog,1,0\ncat,-1,1\n", `t.csv:3: column 2 ("mapo:weight") is -1; a weight is a number above 0. Correct it, or remove the row.`},
		{"object,a\n\"dog,1\n", `t.csv:2: a quote is not closed, or text follows a closed one; a cell with quotes is written "say ""yes""". Correct the quotes.`},
		{"object,a\nd\x81og,1\n", `t.csv:2: byte 0x81 is neither UTF-8 nor Windows-1252 text. `},
		{"object,a,b\nx,1,0\nx,0,1\n", `t.csv:3: object "x" stands on line 2 too; the names of objects must differ. Rename one or remove it. Run: mapo data import t.csv --no-names -o t-table.csv if no column names the objects`},
		{"object,café,a\nx,1,0\ncafe\u0301,1,1\ncaf\u00e9,0,0\n", `t.csv:4: object "café" stands on line 3 too; `},
	} {
		_, err := Parse(strings.NewReader(c.text), "t.csv", Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// TestOptionFaults: options that contradict each other, or name what is not there.
func TestOptionFaults(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Percent: true, Categories: true}, "--percent and --categories are two readings of the same numbers: choose one"},
		{Options{Header: true, NoHeader: true}, "--header and --no-header are two readings of line 1: choose one"},
		{Options{Object: "a", NoNames: true}, "--no-names and --object are two readings of the first column: choose one"},
		{Options{NoNames: true, Group: "a"}, "--no-names and --group are two readings of a line: choose one"},
		{Options{Object: "legs"}, `t.csv:1: --object is "legs", and no column has that name or number; `},
		{Options{Percent: true, Group: "a"}, "--percent and --group are two readings of the same numbers: choose one"},
		{Options{CountsOf: -1}, "--counts-of is -1; it must be from 1 to 1099511627776"},
		{Options{Missing: "2"}, `--missing is "2"; it is a share from 0 to 1, or unknown`},
		{Options{Absent: "NaN"}, `--absent is "NaN"; it is a share from 0 to 1, or unknown`},
		{Options{Absent: "0"}, `t.csv:1: --absent is "0", and the table is not in long form; `},
		{Options{Separator: ",,"}, `--separator is ",,"; it is one character, or comma, semicolon, tab or bar`},
		{Options{Encoding: "klingon"}, `--encoding is "klingon", which is not known; `},
		{Options{Weights: "heft"}, `t.csv:1: --weights is "heft", and no column has that name or number; the columns are "object", "flies", "barks, loudly".`},
		{Options{Weights: "object"}, `t.csv:1: --weights is "object", which is the column of the objects' names. `},
		{Options{Group: "class"}, `t.csv:1: --group is "class", and no column has that name or number; `},
		{Options{Group: "object", Transpose: true}, "--group is for files with one case a line, and --transpose turns lines into questions: choose one"},
		{Options{Sheet: "data"}, `t.csv:1: --sheet is "data", and the file is not a workbook. Leave it out.`},
		{Options{Missing: "0.5", Group: "object"}, "--missing is 0.5, and with --group a case says yes or no: use 0, 1 or unknown"},
	} {
		if _, err := Parse(strings.NewReader(small), "t.csv", c.o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v:\n got %v\nwant %s", c.o, err, c.want)
		}
	}
}

// TestCommand: a command in a message is one that a shell takes.
func TestCommand(t *testing.T) {
	if got, want := command("my folder/it's.csv.gz", Options{Percent: true, Missing: "0", Weights: "how many"}), `mapo data import 'my folder/it'\''s.csv.gz' --percent --missing 0 --weights 'how many' -o 'it'\''s-table.csv'`; got != want {
		t.Errorf("%s, want %s", got, want)
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
		_, err := Parse(bytes.NewReader(c.text), "t.csv.gz", Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "t.csv.gz:") {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
	}
	if _, err := Parse(bytes.NewReader(whole), "t.csv", Options{}); err == nil || err.Error() != "t.csv:1: the file is compressed with gzip: let its name end in .gz" {
		t.Errorf("gzip by another name: %v", err)
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
		{"an open quote over lines", &endless{"object,a\n\"", "x\n", 0}, 40 << 20, "the file holds more than 40 MiB"},
		{"blank lines", &endless{"object,a\n", "\n", 0}, MaxBytes, "more than 1048576 lines are blank: is this a table, one object a line?"},
		{"long lines", &endless{"object,a\nx,1\n", strings.Repeat(" ", 1<<16) + "\n", 0}, 4 << 20, "the file holds more than 4 MiB"},
		{"a workbook", &endless{"PK\x03\x04", "x", 0}, 20 << 20, "the file holds more than 20 MiB"},
	} {
		src, err := newSource(c.in, "t.csv")
		if err != nil {
			t.Fatal(err)
		}
		src.most = c.most
		if _, err = read(src, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
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
	src, err := newSource(&b, "bomb.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	src.most = 2 << 20
	if _, err := read(src, Options{}); err == nil || !strings.Contains(err.Error(), "the file holds more than 2 MiB") {
		t.Errorf("a bomb: %v", err)
	}
}

// newSource reads from in.
func newSource(in io.Reader, name string) (*source, error) {
	f, err := disk.UnpackFrom(in, name)
	return &source{name: name, file: f, most: MaxBytes, free: free}, err
}

// TestTooManyCells: names take memory too, so a table of one question is bounded by them.
func TestTooManyCells(t *testing.T) {
	src, err := newSource(nil, "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{name: "t.csv"}
	text := "object,a\n" + strings.Repeat("x,1\n", MaxCells/(1+nameCells)+2)
	if _, err := r.gridOf(text, src); err == nil || !strings.Contains(err.Error(), "the table has more than 33554432 cells") {
		t.Error(err)
	}
}

// TestNoMemory: a table larger than what is left is refused while it is read, one that fits is not, also where it is
// not known what is left.
func TestNoMemory(t *testing.T) {
	var text strings.Builder
	text.WriteString("object")
	for i := range 100 {
		fmt.Fprintf(&text, ",q%d", i)
	}
	for k := range 1000 {
		fmt.Fprintf(&text, "\no%d%s,0", k, strings.Repeat(",1", 99))
	}
	for free, want := range map[int64]string{
		0: "", 1 << 30: "",
		1 << 20: "of memory and 1 MiB can be had: remove questions or rows, or use a larger machine",
	} {
		src, err := newSource(strings.NewReader(text.String()+"\nlast"+strings.Repeat(",0", 100)), "t.csv")
		if err != nil {
			t.Fatal(err)
		}
		src.free = func() int64 { return free }
		got := ""
		if _, err := read(src, Options{}); err != nil {
			got = err.Error()
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%d bytes free: %q, want %q", free, got, want)
		}
	}
	if free := free(); free < 0 {
		t.Errorf("%d bytes of memory can be had", free)
	}
}

func TestReadFromDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pets.csv.gz")
	if err := os.WriteFile(path, packed(small), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, Options{}); err != nil {
		t.Error(err)
	}
	if _, err := Read(filepath.Join(dir, "none.csv"), Options{}); err == nil {
		t.Error("a missing file was read")
	}
	if _, err := Read(dir, Options{}); err == nil {
		t.Error("a folder was read")
	}
}

// FuzzParse: whatever comes is a table that survives being written, or one line that says why not.
func FuzzParse(f *testing.F) {
	for _, folder := range []string{"cases", "cases2", "more", "real"} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.*"))
		if err != nil {
			f.Fatal(err)
		}
		for i, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, uint16(i))
			f.Add(data, uint16(0))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, how uint16) {
		o := Options{
			Header: how&515 == 1, NoNames: how&1536 == 1024, NoHeader: how&2 != 0, Transpose: how&4 != 0, Percent: how&24 == 8, Categories: how&24 == 16,
		}
		if how&32 != 0 {
			o.Missing = "0"
		}
		if how&64 != 0 {
			o.Weights = "weight"
		}
		if how&384 == 384 && !o.Percent && !o.Transpose {
			o.Group = "diagnosis"
		}
		table, err := Parse(bytes.NewReader(text), "t.csv", o)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "t.csv:") {
				t.Errorf("the error is not one line with its place: %q", err)
			}
			return
		}
		for _, p := range table.P {
			if !(p >= 0 && p <= 1) {
				t.Fatalf("a share is %v", p)
			}
		}
		again(t, "t", table)
	})
}

// TestRowIndex: numbers of rows, as pandas and R write them before a column of names, are not taken
// for the objects.
func TestRowIndex(t *testing.T) {
	const want = "object,flies,swims\nduck,0.9,0.9\ndog,0.1,0.3\n"
	for _, head := range []string{"", `""`, "Unnamed: 0"} {
		got, err := Parse(strings.NewReader(head+",animal,flies,swims\n0,duck,0.9,0.9\n1,dog,0.1,0.3\n"), "t.csv", Options{})
		if text := outcome(got, err); !strings.HasSuffix(text, want) || !strings.Contains(text, "column 1 identifies the rows and is left out") {
			t.Errorf("header %q: %s", head, text)
		}
	}
	got, err := Parse(strings.NewReader("Unnamed: 0.1,Unnamed: 0,animal,flies,swims\n0,7,duck,0.9,0.9\n1,9,dog,0.1,0.3\n"), "t.csv", Options{})
	if text := outcome(got, err); !strings.HasSuffix(text, want) || !strings.Contains(text, "columns 1 to 2 identify the rows") {
		t.Error(text)
	}
	got, err = Parse(strings.NewReader(",question,duck,dog\n0,flies,0.9,0.1\n1,swims,0.9,0.3\n"), "t.csv", Options{Transpose: true})
	if text := outcome(got, err); !strings.HasSuffix(text, want) {
		t.Error(text)
	}
	got, err = Parse(strings.NewReader("Unnamed: 0.1,Unnamed: 0,ill,fever\n0,5,flu,1\n1,6,flu,1\n2,8,cold,0\n"), "t.csv", Options{Group: "ill"})
	if text := outcome(got, err); !strings.HasSuffix(text, "object,mapo:weight,fever\nflu,2,2/2\ncold,1,0/1\n") {
		t.Error(text)
	}
}

// TestTotals: the margins of a cross-table are warned of, and nothing that is near them.
func TestTotals(t *testing.T) {
	const column, row = `question "All" is the sum of all others in each row: remove its column if that is a total`,
		`object "All" is the sum of all others in each column: remove its row if that is a total`
	for text, want := range map[string][]string{
		"object,a,b,All\nx,0.9,0.1,1\ny,0.2,0.4,0.6\nz,0.5,0.5,1\n":       {column},
		"object,a,b\nx,0.1,0.2\nAll,0.4,0.5\ny,0.3,0.3\n":                 {row},
		"object,a,b,All\nx,0.1,0.2,0.3\nAll,0.4,0.5,0.9\ny,0.3,0.3,0.6\n": {column, row},
		"object,a,b,c\nx,0.9,0.1,1\ny,0.2,0.4,0.6\nz,0.5,0.5,0.9\n":       nil,
		"object,a,b,All\nx,0.9,0.1,1\ny,0.2,0.4,\nz,0.5,0.5,1\n":          nil, // unknown
		"object,a,b\nx,0.9,0.9\ny,0.2,0.2\nz,0.5,0.5\n":                   nil, // a copy
		"object,a,b,c,d\nA,1,1,1,1\nB,1,0,1,0\nC,0,1,0,1\nD,0,0,0,0\n":    nil, // by chance
		"object,a,b,c\nx,0,0,0\ny,0,0,0\nz,0,0,0.5\n":                     nil,
	} {
		got, err := Parse(strings.NewReader(text), "t.csv", Options{})
		if err != nil || !slices.Equal(got.Warnings, want) {
			t.Errorf("%s: warnings %q, %v, want %q", text, got.Warnings, err, want)
		}
	}
}
