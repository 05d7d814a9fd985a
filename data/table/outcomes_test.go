package table

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The small table that several files hold.
const pets = "object,Is it big?,Does it fly?,Is it wet?\ncat,0.1,0,0.2\nbird,0.1,0.9,0.3\nfish,0.2,0,1\nwhale,1,0,1\n"

// TestOutcomes states for each file of testdata/cases what it is read as, what is said of it, and whether it is read
// where a command names it directly.
func TestOutcomes(t *testing.T) {
	direct := Options{Direct: true}
	for _, c := range []struct {
		file   string
		o      Options
		want   string // the table as written; "error" for a refusal
		said   string // in the notes, the warnings or the error
		direct string // "" where it is read directly, else a part of the error
	}{
		{"header_item", Options{}, "object,a,b\nx,1,0\ny,0,1\n", "", ""},
		{"semicolon", Options{}, pets, "cells are separated by semicolons", ""},
		{"tab", Options{}, pets, "cells are separated by tabs", ""},
		{"utf16tab", Options{}, pets, "the text is UTF-16", ""},
		{"deccomma", Options{}, pets, "a comma is the decimal point", ""},
		{"deccomma_quoted", Options{}, "object,a,b\nx,0.9,0\ny,0,0.8\n", "a comma is the decimal point", ""},
		{"latin1", Options{}, strings.Replace(pets, "bird", "pájaro", 1), "the text is Windows-1252", "mapo data import latin1.csv -o latin1-table.csv"},
		{"percent100", Options{}, "object,a,b\nx,0.9,0.1\ny,0.05,0.8\n", "numbers are percent: the largest is 90", "mapo data import percent100.csv -o percent100-table.csv"},
		{"percent_sign", Options{}, "object,a,b\nx,0.9,0.1\ny,0.05,0.8\n", "", ""},
		{"grades", Options{}, "error", `grades.csv:2: column 3 ("crisp") is 5; a share is from 0 to 1. Correct a slip. Percentages, counts or grades? Use --percent, --counts-of N (such as 5) or --categories.`,
			"mapo data import grades.csv -o grades-table.csv with --percent, --counts-of N (such as 5) or --categories"},
		{"height", Options{}, "error", `height.csv:2: column 2 ("height cm") is 90; a share is from 0 to 1, and "edible" has 0 and 1 alone. Leave out a column that is not a question. Percentages or prior weights? Use --percent, --categories or --weights 'height cm'.`,
			"mapo data import height.csv -o height-table.csv with --percent, --categories or --weights 'height cm'"},
		{"counted", Options{}, "error", `counted.csv:3: column 3 ("weight") is 60; a share is from 0 to 1, and "edible" has 0 and 1 alone. Leave out a column that is not a question. Use --weights weight.`,
			"mapo data import counted.csv --weights weight -o counted-table.csv"},
		{"height", Options{Categories: true}, "object,height cm > 60?,height cm > 80?,edible,woody\noak,1,1,0,1\nnettle,0,0,1,0\nrose,1,0,1,1\n", "columns of numbers make questions with thresholds", "mapo data import height.csv"},
		{"height", Options{Percent: true}, "object,height cm,edible,woody\noak,0.9,0,0.01\nnettle,0.6,0.01,0\nrose,0.8,0.01,0.01\n", "", ""},
		{"approx", Options{}, "object,fever,cough,rash\nflu,0.8,0.65,0.025\nmeasles,0.95,0.5,0.95\ncold,0.15,0.75,0.005\n", "a range is its middle", "mapo data import approx.csv"},
		{"counts", Options{}, "object,a,b\nx,18/20,2/20\ny,1/20,16/20\n", "", ""},
		{"yesno", Options{}, "object,a,b\nx,1,0\ny,0,1\n", "", ""},
		{"truefalse", Options{}, "object,a,b\nx,1,0\ny,0,1\n", "", ""},
		{"janein", Options{}, "object,Flügel,Fell,Wasser\nFledermaus,1,1,0\nForelle,0,0,1\nMarienkäfer,1,0,0\n", `read as yes: "ja"`, "mapo data import janein.csv"},
		{"marks", Options{}, "object,winged,spotted,aquatic\nbat,1,0,0\nladybird,1,1,0\nnewt,0,1,1\ntrout,0,0,1\n", `"x" is 1, and an empty cell is 0`, "mapo data import marks.csv"},
		{"ident", Options{}, "object,leaf lobed,bark smooth,samaras level\nAcer A,1,0,0.5\nAcer B,0,1,1\nAcer C,0.5,1,0\nAcer D,0,0,1\n", "+ is 1, - is 0", "mapo data import ident.csv"},
		{"multi", Options{}, "object,habitat is land?,habitat is sea?,legs > 0?,legs > 4?\nfrog,1,1,1,0\nwhale,0,1,0,0\nant,1,0,1,1\nseal,1,1,0,0\n", "all of them are yes", "mapo data import multi.csv"},
		{"empty", Options{}, "object,a,b\nx,1,\ny,,1\n", "--missing 0", ""},
		{"empty", Options{Missing: "0"}, "object,a,b\nx,1,0\ny,0,1\n", "", ""},
		{"empty", Options{Missing: "0.5"}, "object,a,b\nx,1,0.5\ny,0.5,1\n", "", ""},
		{"NA", Options{}, "object,a,b\nx,1,\ny,,1\n", "", ""},
		{"trailing_comma", Options{}, pets, "column 5 has no name and no value: it is left out", ""},
		{"weights", Options{}, "object,weight,a,b\nx,0.9,1,0\ny,0.1,0,1\n", `column "weight" is read as a question`, "mapo data import weights.csv --weights weight -o weights-table.csv"},
		{"weights", Options{Weights: "weight"}, "object,mapo:weight,a,b\nx,0.9,1,0\ny,0.1,0,1\n", "prior weights", ""},
		{"duphead_nfc", Options{}, "error", `written "caf\u00e9?" and "cafe\u0301?"`, "Rename one"},
		{"transposed", Options{}, "object,flu,cold,allergy,migraine\nfever,0.85,0.2,0.02,0.05\nsneezing,0.3,0.8,0.9,0.02\nheadache,0.7,0.35,0.2,0.98\nitchy eyes,0.05,0.1,0.8,0.02\nlight hurts,0.1,0.02,0.05,0.75\n",
			"use --transpose where the columns are objects", "mapo data import transposed.csv --transpose -o transposed-table.csv"},
		{"transposed", Options{Transpose: true}, "object,fever,sneezing,headache,itchy eyes,light hurts\nflu,0.85,0.3,0.7,0.05,0.1\ncold,0.2,0.8,0.35,0.1,0.02\nallergy,0.02,0.9,0.2,0.8,0.05\nmigraine,0.05,0.02,0.98,0.02,0.75\n", "", ""},
		{"long", Options{}, "object,fever,headache,sneezing,itchy eyes,light hurts\nflu,0.85,0.7,0.02,0.02,0.02\ncold,0.2,0.02,0.8,0.02,0.02\nallergy,0.02,0.02,0.9,0.8,0.02\nmigraine,0.02,0.98,0.02,0.02,0.75\n",
			"12 of 20 cells do not occur and are 0.02", "mapo data import long.csv"},
		{"long", Options{Absent: "unknown"}, "object,fever,headache,sneezing,itchy eyes,light hurts\nflu,0.85,0.7,,,\ncold,0.2,,0.8,,\nallergy,,,0.9,0.8,\nmigraine,,0.98,,,0.75\n", "are unknown", "mapo data import long.csv --absent unknown -o"},
		{"categories", Options{}, "object,habitat is soil?,habitat is air?,habitat is sea?,habitat is land?,legs > 0?,legs > 4?,legs > 6?,tail\nant,1,0,0,0,1,1,0,0\nbee,0,1,0,0,1,1,0,0\ncrab,0,0,1,0,1,1,1,0\ndog,0,0,0,1,1,0,0,1\neel,0,0,1,0,0,0,0,1\n",
			`such as "legs > 4?"`, "mapo data import categories.csv"},
		{"patients", Options{}, "error", "Use --group diagnosis", "mapo data import patients.csv --group diagnosis -o patients-table.csv"},
		{"patients", Options{Group: "diagnosis"}, "object,mapo:weight,fever,cough,rash\nflu,2,2/2,1/2,0/2\ncold,2,0/2,2/2,0/2\nmeasles,2,2/2,1/2,2/2\n", "counts are their prior weights: flu 2, cold 2, measles 2", ""},
		{"raw", Options{}, "error", `raw.csv:3: object "oak" stands on line 2 too, as each line is one answer. Use mapo data tabulate.`, "Use mapo data tabulate."},
		{"no_header", Options{}, "error", "Use --no-header", "mapo data import no_header.csv --no-header -o no_header-table.csv"},
		{"no_header", Options{NoHeader: true}, "object,question 1,question 2,question 3\nRex,1,0,1\nTom,0,0,1\nNed,0,1,0\n", "questions are called question 1", ""},
		{"lowrates", Options{}, "object,a,b,c\nflu,0.4,0.3,0.05\ncold,0.1,0.35,0.2\ncovid,0.3,0.1,0.45\n", "", ""},
		{"rep3", Options{}, "object,a,b,c\nx,0.9,0.9,0.9\ny,0.1,0.1,0.1\n", "", ""},
	} {
		name := c.file + ".csv"
		data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
		if err != nil {
			t.Fatal(err)
		}
		table, err := Parse(bytes.NewReader(data), name, c.o)
		got, said := "error", ""
		if err == nil {
			var b bytes.Buffer
			if err := table.Write(&b); err != nil {
				t.Fatal(err)
			}
			got, said = b.String(), strings.Join(slices.Concat(table.Notes, table.Warnings), "\n")
		} else {
			said = err.Error()
		}
		if got != c.want || !strings.Contains(said, c.said) {
			t.Errorf("%s with %+v gives\n%s%s\nwant\n%s%s", name, c.o, got, said, c.want, c.said)
		}
		o := c.o
		o.Direct = direct.Direct
		switch _, err := Parse(bytes.NewReader(data), name, o); {
		case c.direct == "" && err != nil:
			t.Errorf("%s is not read directly: %v", name, err)
		case c.direct != "" && (err == nil || !strings.Contains(err.Error(), c.direct)):
			t.Errorf("%s directly: %v, want %s", name, err, c.direct)
		}
	}
}

// TestShares: what is behind counted and unknown cells, to the bit.
func TestShares(t *testing.T) {
	read := func(text string) *Table {
		t.Helper()
		table, err := Parse(strings.NewReader(text), "t.csv", Options{})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	counts := read("object,a,b\nx,18/20,2/20\ny,1/20,16/20\n")
	if want := []float64{18.5 / 21, 2.5 / 21, 1.5 / 21, 16.5 / 21}; !slices.Equal(counts.P, want) {
		t.Errorf("shares of counts are %v, want %v", counts.P, want)
	}
	if want := []Count{{18, 20}, {2, 20}, {1, 20}, {16, 20}}; !slices.Equal(counts.Counts, want) || counts.Unknown != nil || counts.Weights != nil {
		t.Errorf("counts are %v, want %v", counts.Counts, want)
	}
	open := read("object,a,b\nx,0.25,\ny,,1\nz,0.5,0.5\n")
	if want := []float64{0.25, 2.5 / 4, 1.75 / 4, 1, 0.5, 0.5}; !slices.Equal(open.P, want) {
		t.Errorf("shares with unknown cells are %v, want %v", open.P, want)
	}
	if want := []bool{false, true, true, false, false, false}; !slices.Equal(open.Unknown, want) || !open.IsUnknown(0, 1) || open.IsUnknown(0, 0) {
		t.Errorf("the mask is %v, want %v", open.Unknown, want)
	}
	if want := []int{2, 3, 4}; !slices.Equal(open.Lines, want) {
		t.Errorf("objects stand on lines %v, want %v", open.Lines, want)
	}
	if w := read("object,mapo:weight,a\nx,0.5,1\ny,2,0\n"); w.Weight(0) != 0.5 || w.Weight(1) != 2 || len(w.Queries) != 1 {
		t.Errorf("weights are %v of %d questions", w.Weights, len(w.Queries))
	}
	if p := read("object,a,b\nx,12.3 %,\"0,7 %\"\ny,100 %,55%\n").P; !slices.Equal(p, []float64{0.123, 0.007, 1, 0.55}) {
		t.Errorf("percentages are %v", p)
	}
}

// TestWide: thousands of questions are read, and a column of free text is warned of or left out.
func TestWide(t *testing.T) {
	const n = 3000
	var head, yes, no strings.Builder
	for i := range n {
		fmt.Fprintf(&head, ",q%d", i)
		yes.WriteString(",1")
		no.WriteString(",0")
	}
	table, err := Parse(strings.NewReader("object"+head.String()+"\nx"+yes.String()+"\ny"+no.String()+"\n"), "t.csv", Options{Direct: true})
	if err != nil || len(table.Queries) != n || len(table.P) != 2*n || table.P[0] != 1 || table.P[n] != 0 {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		each      int // rows that share a value
		questions int
		said      string
	}{
		{2, 61, `column "ticket" makes 60 questions, one for each value: remove it if it is free text`},
		{1, 1, `column "ticket" is left out: each of its values occurs once, as names do`},
	} {
		var text strings.Builder
		text.WriteString("name,fast,ticket\n")
		for i := range 120 {
			fmt.Fprintf(&text, "p%d,%d,t%d\n", i, i%2, i/c.each)
		}
		table, err := Parse(strings.NewReader(text.String()), "t.csv", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Queries) != c.questions || !slices.Contains(table.Warnings, c.said) {
			t.Errorf("%d questions, %q", len(table.Queries), table.Warnings)
		}
	}
}

// TestQuantiles: a column with many numbers is cut at seven quantiles.
func TestQuantiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("name,length\n")
	for i := range 80 {
		fmt.Fprintf(&text, "p%d,%d\n", i, i)
	}
	table, err := Parse(strings.NewReader(text.String()), "t.csv", Options{Categories: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"length > 10?", "length > 20?", "length > 30?", "length > 40?", "length > 50?", "length > 60?", "length > 70?"}
	if !slices.Equal(table.Queries, want) || table.P[10*7] != 0 || table.P[11*7] != 1 {
		t.Errorf("%q", table.Queries)
	}
}

// TestQuantilesOfCells: where a value repeats, a column is cut at quantiles of its cells and not of its values: seven eighths of
// these cells are below 10.
func TestQuantilesOfCells(t *testing.T) {
	var text strings.Builder
	text.WriteString("name,length\n")
	for i := range 80 {
		v := i % 5 // 70 cells of 0 to 4
		if i >= 70 {
			v = i // ten more values
		}
		fmt.Fprintf(&text, "p%d,%d\n", i, v)
	}
	table, err := Parse(strings.NewReader(text.String()), "t.csv", Options{Categories: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"length > 0?", "length > 1?", "length > 2?", "length > 3?", "length > 4?", "length > 70?"}
	if !slices.Equal(table.Queries, want) {
		t.Errorf("cut at %q, want %q", table.Queries, want)
	}
}

// TestWeightsWithCommas: the commas of a column of weights are read alike: beside 0,25 the weight 1,500 is 1.5.
func TestWeightsWithCommas(t *testing.T) {
	table, err := Parse(strings.NewReader("object;n;a;b\nx;0,25;yes;no\ny;1,500;no;yes\n"), "t.csv", Options{Weights: "n"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0.25, 1.5}; !slices.Equal(table.Weights, want) {
		t.Errorf("the weights are %v, want %v", table.Weights, want)
	}
}

// TestLineBelowLines: a fault below a quoted cell of several lines names the file's line.
func TestLineBelowLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"object,a,b\n\"two\nlines\",1,0\ndog,1,maybe so\ncat,0,1\n", "t.csv:4: "},
		{"object,\"a\nb\nc\",b\nx,1,0\ndog,1,-3\ncat,0,1\n", "t.csv:5: "},
	} {
		if _, err := Parse(strings.NewReader(c.text), "t.csv", Options{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want the line of %s", c.text, err, c.want)
		}
	}
}
