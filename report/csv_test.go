package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestWriteCSVContract(t *testing.T) {
	nan := math.NaN()
	rows := []Row{
		{WorstCase, Mapo, BestIdentification, math.Exp2(3.5), "", -1, .316, .308, .324, .95, 25000, 1.23456},
		{Average, "sgbs:0.1", SimpleRegret, 0, "flip:0.8", -1, .5, .49, .51, .95, 10000, 0},
		{Gap, "pi-3", BestIdentification, 16, "", -1, 0, -.01, .01, .95, 25000, nan},
		{Instance, "a, b", BestIdentification, nan, "", 0, .25, .25, .25, 0, 0, 2},
		{Minimax, "", BestIdentification, 8, "", -1, nan, .273, .2744, 0, 0, 3},
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

// TestCSVRoundTrip reads back what was written, on the made-up run and on its golden.
func TestCSVRoundTrip(t *testing.T) {
	rows := small().Rows
	var first, second bytes.Buffer
	if err := WriteCSV(&first, rows); err != nil {
		t.Fatal(err)
	}
	golden(t, "results.csv", first.Bytes())
	back, err := ReadCSV(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(back) != len(rows) {
		t.Fatalf("%d rows back, want %d", len(back), len(rows))
	}
	for i := range rows { // these rows hold no NaN and whole milliseconds, so == is meant
		if back[i] != rows[i] {
			t.Errorf("row %d: %+v, want %+v", i+1, back[i], rows[i])
		}
	}
	if err := WriteCSV(&second, back); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("writing what was read gives other bytes")
	}
}

func TestReadCSVRefuses(t *testing.T) {
	head := strings.Join(header, ",") + "\n"
	good := "worst-case,mapo,best-identification,8,,,0.3,0.2,0.4,0.95,100,1\n"
	for _, c := range []struct{ text, want, why string }{
		{"", "results.csv:1:", "empty"},
		{"a,b\n", "results.csv:1:", "another table"},
		{head + good + "worst-case,mapo\n", "results.csv:3: 2 fields", "cut short"},
		{head + strings.Replace(good, "0.3", "x", 1), `results.csv:2: mean is "x"`, "not a number"},
		{head + strings.Replace(good, "0.3", "NaN", 1), "results.csv:2: mean", "NaN is spelt as an empty field"},
		{head + strings.Replace(good, "0.3", "Inf", 1), "results.csv:2: mean", "no loss is infinite"},
		{head + strings.Replace(good, "0.2", "0.5", 1), "results.csv:2: the interval", "lo above hi"},
		{head + strings.Replace(good, "100", "-1", 1), "results.csv:2: games", "negative count"},
		{head + strings.Replace(good, "100", "1.5", 1), "results.csv:2: games", "half a game"},
		{head + strings.Replace(good, "0.95", "95", 1), "results.csv:2: confidence", "percent"},
		{head + strings.Replace(good, ",8,", ",-8,", 1), "results.csv:2: level", "negative level"},
		{head + strings.Replace(good, "worst-case", "best-case", 1), "results.csv:2: unknown metric", "unknown metric"},
		{head + strings.Replace(good, "best-identification", "", 1), "results.csv:2: unknown loss", "no loss"},
		{head + strings.Replace(good, "mapo", "", 1), "results.csv:2: no policy", "no policy"},
		{head + good + "\n\"worst", "line 4", "a quote left open"},
	} {
		_, err := ReadCSV(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.why, err, c.want)
		}
	}
}

// TestWriteCSVRefuses: what could not be read back must not reach a file.
func TestWriteCSVRefuses(t *testing.T) {
	row := Row{WorstCase, "a\nb", BestIdentification, 8, "", -1, .3, .2, .4, .95, 10, 0}
	if err := WriteCSV(&bytes.Buffer{}, []Row{row}); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("error %v, want one of row 1", err)
	}
}

// FuzzReadCSV: whatever is accepted can be written, and is then a fixed point.
func FuzzReadCSV(f *testing.F) {
	head := strings.Join(header, ",") + "\n"
	f.Add([]byte(head + "worst-case,mapo,best-identification,8,,,0.3,0.2,0.4,0.95,100,1\n"))
	f.Add([]byte(head + "minimax,,simple-regret,+Inf,,,,0.2,0.4,,,\n"))
	f.Add([]byte(head + "average,\"a\"\"b,c\",simple-regret,,flip:0.8,0,1e-300,-1,1e300,1,0,1e9\n"))
	f.Add([]byte(head + "average,\"a\r\nb\",simple-regret,,x,0,,,,,,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := ReadCSV(bytes.NewReader(data))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := WriteCSV(&first, rows); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := ReadCSV(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("written but not read: %v", err)
		}
		if err := WriteCSV(&second, again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("not a fixed point:\n%s\n%s", first.Bytes(), second.Bytes())
		}
	})
}
