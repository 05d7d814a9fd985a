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

// TestOutcomes states for each file of testdata/cases and cases2 what it is read as, and what is said of it.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		file string
		o    Options
		want string // the table as written; "error" for a refusal
		said string // in the notes, the warnings or the error
	}{
		{"header_item", Options{}, "object,a,b\nx,1,0\ny,0,1\n", ""},
		{"semicolon", Options{}, pets, "cells are separated by semicolons"},
		{"tab", Options{}, pets, "cells are separated by tabs"},
		{"utf16tab", Options{}, pets, "the text is UTF-16"},
		{"deccomma", Options{}, pets, "a comma is the decimal point"},
		{"deccomma_quoted", Options{}, "object,a,b\nx,0.9,0\ny,0,0.8\n", "a comma is the decimal point"},
		{"latin1", Options{}, strings.Replace(pets, "bird", "pájaro", 1), "the text is Windows-1252"},
		{"percent100", Options{}, "error", `percent100.csv:2: column 2 ("a") is 90; a share is from 0 to 1. Correct a slip. Run: mapo data import percent100.csv --percent -o percent100-table.csv if all numbers are percent (90 is 0.9), or `},
		{"percent100", Options{Percent: true}, "object,a,b\nx,0.9,0.1\ny,0.05,0.8\n", ""},
		{"percent_sign", Options{}, "object,a,b\nx,0.9,0.1\ny,0.05,0.8\n", ""},
		{"grades", Options{}, "error", "Run: mapo data import grades.csv --percent -o grades-table.csv if all numbers are percent (5 is 0.05), " +
			"or mapo data import grades.csv --counts-of 5 -o grades-table.csv if the numbers are how many of 5 said yes, " +
			"or mapo data import grades.csv --categories -o grades-table.csv if the numbers are values or measurements"},
		{"height", Options{}, "error", `height.csv:2: column 2 ("height cm") is 90; a share is from 0 to 1. Correct a slip. Run: mapo data import height.csv --categories -o height-table.csv if the numbers are values or measurements`},
		{"counted", Options{}, "error", `counted.csv:3: column 3 ("weight") is 60; a share is from 0 to 1. Correct a slip. Run: mapo data import counted.csv --categories -o counted-table.csv if the numbers are values or measurements`},
		{"height", Options{Categories: true}, "object,height cm > 60?,height cm > 80?,edible,woody\noak,1,1,0,1\nnettle,0,0,1,0\nrose,1,0,1,1\n", "columns of numbers make questions with thresholds"},
		{"height", Options{Percent: true}, "object,height cm,edible,woody\noak,0.9,0,0.01\nnettle,0.6,0.01,0\nrose,0.8,0.01,0.01\n", ""},
		{"approx", Options{}, "object,fever,cough,rash\nflu,0.8,0.65,0.025\nmeasles,0.95,0.5,0.95\ncold,0.15,0.75,0.005\n", "a range is its middle"},
		{"counts", Options{}, "object,a,b\nx,18/20,2/20\ny,1/20,16/20\n", ""},
		{"yesno", Options{}, "object,a,b\nx,1,0\ny,0,1\n", ""},
		{"truefalse", Options{}, "object,a,b\nx,1,0\ny,0,1\n", ""},
		{"janein", Options{}, "object,Flügel,Fell,Wasser\nFledermaus,1,1,0\nForelle,0,0,1\nMarienkäfer,1,0,0\n", `read as yes: "ja"`},
		{"marks", Options{}, "object,winged,spotted,aquatic\nbat,1,0,0\nladybird,1,1,0\nnewt,0,1,1\ntrout,0,0,1\n", `"x" is 1, and an empty cell beside it is 0`},
		{"ident", Options{}, "object,leaf lobed,bark smooth,samaras level\nAcer A,1,0,0.5\nAcer B,0,1,1\nAcer C,0.5,1,0\nAcer D,0,0,1\n", "+ is 1, - is 0"},
		{"multi", Options{}, "object,habitat is land?,habitat is sea?,legs > 0?,legs > 4?\nfrog,1,1,1,0\nwhale,0,1,0,0\nant,1,0,1,1\nseal,1,1,0,0\n", "all of them are yes"},
		{"empty", Options{}, "object,a,b\nx,1,\ny,,1\n", "--missing 0"},
		{"empty", Options{Missing: "0"}, "object,a,b\nx,1,0\ny,0,1\n", ""},
		{"empty", Options{Missing: "0.5"}, "object,a,b\nx,1,0.5\ny,0.5,1\n", ""},
		{"NA", Options{}, "object,a,b\nx,1,\ny,,1\n", ""},
		{"trailing_comma", Options{}, pets, "column 5 has no name and no value: it is left out"},
		{"weights", Options{}, "object,weight,a,b\nx,0.9,1,0\ny,0.1,0,1\n", `column "weight" is read as a question`},
		{"weights", Options{Weights: "weight"}, "object,mapo:weight,a,b\nx,0.9,1,0\ny,0.1,0,1\n", "prior weights"},
		{"duphead_nfc", Options{}, "error", `written "caf\u00e9?" and "cafe\u0301?"`},
		{"transposed", Options{}, "object,flu,cold,allergy,migraine\nfever,0.85,0.2,0.02,0.05\nsneezing,0.3,0.8,0.9,0.02\nheadache,0.7,0.35,0.2,0.98\nitchy eyes,0.05,0.1,0.8,0.02\nlight hurts,0.1,0.02,0.05,0.75\n",
			"use --transpose where the columns are objects"},
		{"transposed", Options{Transpose: true}, "object,fever,sneezing,headache,itchy eyes,light hurts\nflu,0.85,0.3,0.7,0.05,0.1\ncold,0.2,0.8,0.35,0.1,0.02\nallergy,0.02,0.9,0.2,0.8,0.05\nmigraine,0.05,0.02,0.98,0.02,0.75\n", ""},
		{"long", Options{}, "object,fever,headache,sneezing,itchy eyes,light hurts\nflu,0.85,0.7,0.02,0.02,0.02\ncold,0.2,0.02,0.8,0.02,0.02\nallergy,0.02,0.02,0.9,0.8,0.02\nmigraine,0.02,0.98,0.02,0.02,0.75\n",
			"12 of 20 cells do not occur and are 0.02"},
		{"long", Options{Absent: "unknown"}, "object,fever,headache,sneezing,itchy eyes,light hurts\nflu,0.85,0.7,,,\ncold,0.2,,0.8,,\nallergy,,,0.9,0.8,\nmigraine,,0.98,,,0.75\n", "are unknown"},
		{"categories", Options{}, "object,habitat is soil?,habitat is air?,habitat is sea?,habitat is land?,legs > 0?,legs > 4?,legs > 6?,tail\nant,1,0,0,0,1,1,0,0\nbee,0,1,0,0,1,1,0,0\ncrab,0,0,1,0,1,1,1,0\ndog,0,0,0,1,1,0,0,1\neel,0,0,1,0,0,0,0,1\n",
			`such as "legs > 4?"`},
		{"patients", Options{}, "error", "Run: mapo data import patients.csv --no-names -o patients-table.csv if no column names the objects, " +
			`or mapo data import patients.csv --group diagnosis -o patients-table.csv if each line is one case of "diagnosis"`},
		{"patients", Options{Group: "diagnosis"}, "object,mapo:weight,fever,cough,rash\nflu,2,2/2,1/2,0/2\ncold,2,0/2,2/2,0/2\nmeasles,2,2/2,1/2,2/2\n", "counts are their prior weights: flu 2, cold 2, measles 2"},
		{"raw", Options{}, "error", `raw.csv:1: the columns say that each line is one answer, and here a line is an object. Run: mapo data tabulate raw.csv -o raw-table.csv`},
		{"no_header", Options{}, "error", "mapo data import no_header.csv --no-header -o no_header-table.csv if line 1 is data"},
		{"no_header", Options{NoHeader: true}, "object,question 1,question 2,question 3\nRex,1,0,1\nTom,0,0,1\nNed,0,1,0\n", "questions are called question 1"},
		{"lowrates", Options{}, "object,a,b,c\nflu,0.4,0.3,0.05\ncold,0.1,0.35,0.2\ncovid,0.3,0.1,0.45\n", ""},
		{"rep3", Options{}, "object,a,b,c\nx,0.9,0.9,0.9\ny,0.1,0.1,0.1\n", ""},

		{"id_name", Options{}, "object,flies,swims,big,fur\ndog,0,1,0,1\ntrout,0,1,0,0\nrobin,1,0,0,0\nostrich,0,0,1,0\nwhale,0,1,1,0\nbear,0,1,1,1\ncat,0,0,0,1\nbat,1,0,0,1\n",
			`column 1 ("id") identifies the rows and is left out: column "name" names the objects`},
		{"no_name_column", Options{}, "error", `no_name_column.csv:2: column 1 ("Item 1") is 1, which is not the name of an object; --object says which column names them. ` +
			"Run: mapo data import no_name_column.csv --no-names -o no_name_column-table.csv if no column names the objects"},
		{"no_name_column", Options{NoNames: true}, "object,Item 1,Item 2,Item 3,Item 4\n1,1,0,0,1\n2,1,1,0,1\n3,0,0,1,0\n4,0,1,1,1\n", ""},
		{"first_question_becomes_name", Options{}, "error", "--no-names"},
		{"first_question_becomes_name", Options{NoNames: true}, "object,Q1,Q2,Q3\n1,0.12,0.9,0.5\n2,0.31,0.2,0.7\n3,0.88,0.4,0.1\n", ""},
		{"numeric_ids", Options{}, "error", `numeric_ids.csv:1: line 1 may be a header or data like the others, as 101 is a number. Run: mapo data import numeric_ids.csv --header -o numeric_ids-table.csv if line 1 is a header, or mapo data import numeric_ids.csv --no-header`},
		{"numeric_ids", Options{Header: true}, "object,101,102,103\n7,1,0,1\n8,0,1,1\n9,1,1,0\n", ""},
		{"numeric_ids", Options{NoHeader: true, NoNames: true, Categories: true}, "object,question 1 > 7?,question 1 > 8?,question 2 > 0?,question 2 > 1?,question 3 > 0?,question 3 > 1?,question 4 > 0?,question 4 > 1?\n1,,,1,1,1,1,1,1\n2,0,0,1,0,0,0,1,0\n3,1,0,0,0,1,0,1,0\n4,1,1,1,0,1,0,0,0\n", ""},
		{"long_no_header", Options{}, "error", `long_no_header.csv:1: line 1 may be a header or data like the others, as 90 is a number. `},
		{"long_no_header", Options{NoHeader: true, Percent: true}, "object,fever,cough,sneezing,itching\nflu,0.9,0.7,0.02,0.02\ncold,0.02,0.6,0.8,0.02\nallergy,0.02,0.02,0.85,0.4\n", "6 of 12"},
		{"y_or_empty", Options{}, "object,female,glasses,beard,hat\nAnn,1,0,0,0\nBob,0,1,0,1\nCal,0,0,1,0\nDee,1,1,0,0\nEve,0,0,1,1\n", `"Y" is 1, and an empty cell beside it is 0`},
		{"pairs", Options{}, "object,fever,cough,headache,chills,sneezing,nausea\nflu,1,1,1,1,0,0\ncold,0,1,0,0,1,0\nmigraine,0,0,1,0,0,1\n", "10 of 18 pairs do not occur and say no"},
		{"pairs", Options{Absent: "unknown"}, "object,fever,cough,headache,chills,sneezing,nausea\nflu,1,1,1,1,,\ncold,,1,,,1,\nmigraine,,,1,,,1\n", "are unknown"},
		{"symptom_list_columns", Options{}, "object,Symptom is cough?,Symptom is sneezing?,Symptom is fever?,Symptom is fatigue?,Symptom is headache?,Symptom is nausea?,Symptom is itching?\n" +
			"Cold,1,1,0,0,0,0,0\nFlu,1,0,1,1,0,0,0\nMigraine,0,0,0,0,1,1,0\nAllergy,0,1,0,0,0,0,1\n", "hold one set of values"},
		{"bracket_lists", Options{}, "object,tags is red?,tags is small?,tags is blue?,tags is big?,size is 5?,size is 10?,size is 3?,size is 20?,size is 7?,size is 9?\n" +
			"a,1,1,0,0,1,1,0,0,0,0\nb,1,0,0,0,0,0,1,0,0,0\nc,0,0,1,1,1,0,0,1,0,0\nd,0,0,1,0,0,0,0,0,1,1\n", "holds lists in brackets"},
		{"counts_read_as_percent", Options{}, "error", `counts_read_as_percent.csv:2: column 4 ("barks") is 37; a share is from 0 to 1. Correct a slip. Run: mapo data import counts_read_as_percent.csv --percent`},
		{"counts_read_as_percent", Options{CountsOf: 37}, "object,flies,swims,barks\ndog,0/37,28/37,37/37\nrobin,36/37,3/37,0/37\nduck,35/37,36/37,1/37\n", ""},
		{"ranges_read_as_percent", Options{}, "error", "--categories"},
		{"ranges_read_as_percent", Options{Categories: true}, "object,leaf length mm > 16?,leaf length mm > 17.5?,leaf length mm > 35?,petals > 4?\nA,1,0,0,1\nB,1,1,0,0\nC,0,0,0,1\nD,1,1,1,1\n", "a range is its middle"},
		{"zero_slash_one", Options{}, "object,spines,stalk,ridges\nAus bus,1,0,1\nAus cus,0.5,1,1\nDus eus,0,0.5,0\nDus fus,1,1,0\n", `read as both of 0 and 1, which is 0.5: "0/1"`},
		{"states_dead_end", Options{}, "error", "Run: mapo data import states_dead_end.csv --categories -o states_dead_end-table.csv if the numbers are values or measurements"},
		{"states_dead_end", Options{Categories: true}, "object,leaves is 1?,leaves is 2?,leaves is 3?,petals > 4?\nA,1,0,0,1\nB,1,1,0,0\nC,0,1,0,1\nD,0,0,1,0\n", "several values"},
		{"char", Options{}, "object,Is the character a mouse?,Is the character female?,Does the character fly?\nMick,1,0,0\nElsie,0,1,0\nBertha,0,1,1\n", ""},
		{"transpose_dup_msg", Options{Transpose: true}, "error", `transpose_dup_msg.csv:4: lines 2 and 4 have one name, "fever"; the names of questions must differ. Rename one or remove it.`},
		{"case_variants", Options{}, "object,size is Low?,size is High?,size is Medium?,flies\na,1,0,0,1\nb,1,0,0,0\nc,0,1,0,1\nd,0,1,0,0\ne,0,0,1,0\n", `"Low" and "low", which are read as one`},
		{"plus_minus_one", Options{}, "object,flies,swims,barks\ndog,0,1,1\nrobin,1,0,0\nduck,1,1,0\n", "1 says yes and -1 says no"},
	} {
		name := c.file + ".csv"
		data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
		if err != nil {
			data, err = os.ReadFile(filepath.Join("testdata", "cases2", name))
		}
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
	table, err := Parse(strings.NewReader("object"+head.String()+"\nx"+yes.String()+"\ny"+no.String()+"\n"), "t.csv", Options{})
	if err != nil || len(table.Queries) != n || len(table.P) != 2*n || table.P[0] != 1 || table.P[n] != 0 {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		each      int // rows that share a value
		questions int
		said      string
	}{
		{2, 61, `column "ticket" makes 60 questions, one for each value: remove it if it is free text`},
		{1, 1, `column "ticket" is left out: its values are names, each of one row`},
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
