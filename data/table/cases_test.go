package table

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/internal/check"
)

// outcome is what reading a file gives, as text.
func outcome(t *Table, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b bytes.Buffer
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	if err := t.Write(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// options are the ways in which each case is read.
var options = map[string][]struct {
	how string
	o   Options
}{
	"grades":       {{"--percent", Options{Percent: true}}, {"--counts-of 5", Options{CountsOf: 5}}, {"--counts-of 4", Options{CountsOf: 4}}, {"--categories", Options{Categories: true}}},
	"weights":      {{"--weights weight", Options{Weights: "weight"}}, {"--weights a", Options{Weights: "a"}}, {"--weights heft", Options{Weights: "heft"}}},
	"transposed":   {{"--transpose", Options{Transpose: true}}},
	"patients":     {{"--group diagnosis", Options{Group: "diagnosis"}}, {"--group fever", Options{Group: "fever"}}, {"--group class", Options{Group: "class"}}},
	"no_header":    {{"--no-header", Options{NoHeader: true}}},
	"long":         {{"--absent unknown", Options{Absent: "unknown"}}, {"--absent 0.1", Options{Absent: "0.1"}}},
	"empty":        {{"--missing 0", Options{Missing: "0"}}, {"--missing 0.5", Options{Missing: "0.5"}}, {"--absent 0", Options{Absent: "0"}}},
	"NA":           {{"--missing 0", Options{Missing: "0"}}},
	"marks":        {{"--missing unknown", Options{Missing: "unknown"}}},
	"latin1":       {{"--encoding iso-8859-2", Options{Encoding: "iso-8859-2"}}, {"--encoding utf-8", Options{Encoding: "utf-8"}}, {"--encoding klingon", Options{Encoding: "klingon"}}},
	"semicolon":    {{"--separator semicolon", Options{Separator: "semicolon"}}, {"--separator ,", Options{Separator: ","}}},
	"percent100":   {{"--percent", Options{Percent: true}}},
	"percent_sign": {{"--percent", Options{Percent: true}}},

	"id_name":                {{"--object 1", Options{Object: "1"}}, {"--object name", Options{Object: "name"}}, {"--object legs", Options{Object: "legs"}}},
	"states_dead_end":        {{"--categories", Options{Categories: true}}},
	"ranges_read_as_percent": {{"--categories", Options{Categories: true}}},
	"transpose_dup_msg":      {{"--transpose", Options{Transpose: true}}},
	"pairs":                  {{"--absent unknown", Options{Absent: "unknown"}}, {"--group disease", Options{Group: "disease"}}},
	"plus_minus_one":         {{"--categories", Options{Categories: true}}},
	"y_or_empty":             {{"--missing unknown", Options{Missing: "unknown"}}},
	"numeric_ids":            {{"--header", Options{Header: true}}, {"--no-header", Options{NoHeader: true}}},
}

// TestCases reads every file of testdata/cases as import does, with the options that it may take. The golden files hold the outcomes; [TestOutcomes] states what they must hold.
func TestCases(t *testing.T) {
	for _, folder := range []string{"cases", "cases2", "more", "real"} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		var got bytes.Buffer
		for _, file := range files {
			base := filepath.Base(file)
			read := func(how string, o Options) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				table, err := Parse(bytes.NewReader(data), base, o)
				fmt.Fprintf(&got, "== %s %s\n", base, how)
				got.WriteString(outcome(table, err))
				if err == nil {
					again(t, base, table)
				} else if strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: the error has several lines: %q", base, err)
				}
			}
			read("import", Options{})
			for _, way := range options[strings.TrimSuffix(base, ".csv")] {
				read(way.how, way.o)
			}
		}
		check.Golden(t, "testdata/"+folder+".golden", got.Bytes())
	}
}

// again reads what a table writes, which gives the same table and the same bytes.
func again(t *testing.T, name string, table *Table) {
	t.Helper()
	var first, second bytes.Buffer
	if err := table.Write(&first); err != nil {
		t.Fatal(err)
	}
	back, err := Parse(bytes.NewReader(first.Bytes()), name+"-table.csv", Options{})
	if err != nil {
		t.Errorf("%s: what it writes is not read: %v\n%s", name, err, first.String())
		return
	}
	if err := back.Write(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("%s: written twice\n%s\nand\n%s", name, first.String(), second.String())
	}
	if !slices.Equal(table.P, back.P) || !slices.Equal(table.Unknown, back.Unknown) || !slices.Equal(table.Counts, back.Counts) || !slices.Equal(table.Weights, back.Weights) {
		t.Errorf("%s: the table read back is another: %v, want %v", name, back, table)
	}
	if len(back.Notes) > 0 {
		t.Errorf("%s: what it writes needs assumptions: %q", name, back.Notes)
	}
}
