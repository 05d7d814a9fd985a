package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/record"
)

// golden compares got with a file in testdata, or rewrites it under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from its golden (%d bytes, want %d); look at it, then -update", name, len(got), len(want))
	}
}

// none are the questions of games that do not end early.
var none record.Questions

func TestWriteCSVContract(t *testing.T) {
	nan := math.NaN()
	rows := []Row{
		{WorstCase, Mapo, BestIdentification, math.Exp2(3.5), "", -1, .316, .308, .324, .95, 25000, 1.23456, none, ""},
		{Average, "sgbs:0.1", SimpleRegret, 0, "flip:0.8", -1, .5, .49, .51, .95, 10000, 0, none, ""},
		{Gap, "pi-3", BestIdentification, 16, "", -1, 0, -.01, .01, .95, 25000, nan, none, ""},
		{Instance, "a, b", BestIdentification, nan, "", 0, .25, .25, .25, 0, 0, 2, none, ""},
		{Minimax, "", BestIdentification, 8, "", -1, nan, .273, .2744, 0, 0, 3, none, ""},
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `metric,policy,loss,level,prior,instance,mean,lo,hi,confidence,games,seconds
worst-case,mapo,best-identification,11.31370849898476,,,0.316,0.308,0.324,0.95,25000,1.235
average,sgbs:0.1,simple-regret,,flip:0.8,,0.5,0.49,0.51,0.95,10000,0
gap,pi-3,best-identification,16,,,0,-0.01,0.01,0.95,25000,
instance,"a, b",best-identification,,,0,0.25,0.25,0.25,,,2
minimax,,best-identification,8,,,,0.273,0.2744,,,3
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestCSVGolden writes the made-up run's rows.
func TestCSVGolden(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCSV(&b, small().Rows); err != nil {
		t.Fatal(err)
	}
	golden(t, "results.csv", b.Bytes())
}

// TestWriteCSVRefuses: a row that breaks the contract must not reach a file.
func TestWriteCSVRefuses(t *testing.T) {
	for _, c := range []struct {
		spoil func(*Row)
		want  string
	}{
		{func(r *Row) { r.Mean = math.Inf(1) }, "finite or empty"},
		{func(r *Row) { r.Lo = 0.5 }, "the interval"},
		{func(r *Row) { r.Games = -1 }, "games"},
		{func(r *Row) { r.Seconds = -1 }, "seconds"},
		{func(r *Row) { r.Confidence = 95 }, "confidence"},
		{func(r *Row) { r.Level = -8 }, "level"},
		{func(r *Row) { r.Metric = "best-case" }, "unknown metric"},
		{func(r *Row) { r.Loss = "" }, "unknown loss"},
		{func(r *Row) { r.Policy = "" }, "no policy"},
		{func(r *Row) { r.Policy = "a\nb" }, "control characters"},
		{func(r *Row) { r.Questions = record.Questions{Mean: 3, Lo: 4, Hi: 5} }, "questions"},
		{func(r *Row) { r.Effort = "desk" }, "unknown effort"},
	} {
		row := Row{WorstCase, "mapo", BestIdentification, 8, "", -1, .3, .2, .4, .95, 10, 0, none, ""}
		c.spoil(&row)
		if err := WriteCSV(&bytes.Buffer{}, []Row{row}); err == nil || !strings.Contains(err.Error(), "row 1: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one of row 1: %s", err, c.want)
		}
	}
}

// TestQuestionColumns: results have the columns of questions only where games end early, and a row without them has none there.
func TestQuestionColumns(t *testing.T) {
	all := Row{WorstCase, "uniform", BestIdentification, 8, "", -1, .3, .2, .4, .95, 10, 0, none, ""}
	early := all
	early.Questions = record.Questions{Mean: 3.5, Lo: 3.25, Hi: 4}
	var b bytes.Buffer
	if err := WriteCSV(&b, []Row{all, early}); err != nil {
		t.Fatal(err)
	}
	const line = "\nworst-case,uniform,best-identification,8,,,0.3,0.2,0.4,0.95,10,0"
	if want := Header() + ",questions,questions_lo,questions_hi" + line + ",,," + line + ",3.5,3.25,4\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	b.Reset()
	if err := WriteCSV(&b, []Row{all}); err != nil || b.String() != Header()+line+"\n" {
		t.Errorf("without early ends: %v\n%s", err, &b)
	}
}

// TestEffortColumn: results say which worst cases are from short searches where there are any, behind all other columns.
func TestEffortColumn(t *testing.T) {
	full := Row{WorstCase, "uniform", BestIdentification, 8, "", -1, .3, .2, .4, .95, 10, 0, none, ""}
	short := full
	short.Effort = ScreenEffort
	var b bytes.Buffer
	if err := WriteCSV(&b, []Row{full, short}); err != nil {
		t.Fatal(err)
	}
	const line = "\nworst-case,uniform,best-identification,8,,,0.3,0.2,0.4,0.95,10,0"
	if want := Header() + ",effort" + line + "," + line + ",smoke\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	short.Questions = record.Questions{Mean: 3.5, Lo: 3.25, Hi: 4}
	b.Reset()
	if err := WriteCSV(&b, []Row{short}); err != nil || !strings.HasSuffix(b.String(), ",3.5,3.25,4,smoke\n") || !strings.Contains(b.String(), ",questions_hi,effort\n") {
		t.Errorf("with questions: %v\n%s", err, &b)
	}
}
