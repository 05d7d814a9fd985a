package spec

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/data/table"
	"mapo/game"
	"mapo/internal/check"
)

const truthTable = "object,a,b,n\ndog,0.9,0.1,3\ncat,0.8,0.2,1\n"

// loadTruth reads a spec over a table whose rows share a majority.
func loadTruth(t *testing.T, text string, over Override) (*Spec, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(truthTable), 0o666); err != nil {
		t.Fatal(err)
	}
	return Parse(filepath.Join(dir, "s.yaml"), []byte("problem: {table: t.csv}\n"+text), over)
}

// TestTruthOf: a table is what the spec says, else what the command prefers, else rows where a share is neither 0 nor 1. A
// resolved spec says which.
func TestTruthOf(t *testing.T) {
	const exact, graded, open = "object,a,b\nx,1,0\ny,0,1\n", "object,a,b\nx,1,0\ny,0,0.9\n", "object,a,b\nx,1,0\ny,,1\n"
	for _, c := range []struct{ table, says, over, want string }{
		{exact, "", "", Majority}, {exact, "", Rows, Rows}, {exact, "truth: rows\n", "", Rows}, {open, "", "", Rows}, {open, "truth: majority\n", "", Majority},
		{graded, "", "", Rows}, {graded, "", Rows, Rows}, {graded, "", Majority, Majority},
		{graded, "truth: majority\n", Rows, Majority}, {graded, "truth: rows\n", Majority, Rows},
	} {
		dir := write(t, map[string]string{"t.csv": c.table})
		path := filepath.Join(dir, "s.yaml")
		s, err := Parse(path, []byte("problem: {table: t.csv}\n"+c.says), Override{Truth: c.over})
		if err != nil || s.Truth != c.want || check.Is[*game.Shares](s.Problem) != (c.want == Rows) {
			t.Errorf("%q, %q where a command prefers %q: %v, want %s", c.table, c.says, c.over, err, c.want)
			continue
		}
		for _, over := range []string{"", Rows, Majority} {
			again, err := Parse(path, s.Resolved(), Override{Truth: over})
			if err != nil {
				t.Fatal(err)
			}
			same(t, s, again)
		}
	}
	if s, err := Parse("s.yaml", []byte("problem: {thresholds: {d: 3}}\n"), Override{Truth: Rows}); err != nil || s.Truth != Majority || strings.Contains(string(s.Resolved()), "truth") {
		t.Errorf("thresholds: %v, %v", s, err)
	}
}

// TestTrains: trainings refuse a hypothesis beside the rows, at its line.
func TestTrains(t *testing.T) {
	for text, want := range map[string]string{
		"weights: n\n":               "",
		"weights: n\nother: 0\n":     "",
		"weights: n\nother: 0.05\n":  "s.yaml:3: other: 0.05 is for playing and serving; remove it to train or judge a worst case",
		"other: 0.5\nweights: n\n\n": "s.yaml:2: other: 0.5 is for playing and serving; remove it to train or judge a worst case",
	} {
		s, err := loadTruth(t, text, Override{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := s.Trains(); err != nil {
			got = strings.TrimPrefix(err.Error(), filepath.Dir(s.Path)+"/")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestTruth: rows keep what majorities
// cannot tell apart, with the weights, the noise and none of these that the spec gives them.
func TestTruth(t *testing.T) {
	s, err := loadTruth(t, "weights: n\nwrong-answers: 0.1\nother: 0.2\nstop: {confidence: 0.9}\n", Override{Truth: Rows})
	if err != nil {
		t.Fatal(err)
	}
	p := s.Problem
	if s.Truth != Rows || p.Hypotheses() != 3 || *p.Seek.(*game.Shares).Wrong != 0.1 || !p.Seek.(*game.Shares).Other || s.Stopping != "confidence:0.9" || p.T != 2 {
		t.Errorf("spec %+v of %d hypotheses, shares %+v", s, p.Hypotheses(), p.Seek.(*game.Shares))
	}
	if w := p.Seek.(*game.Shares).Weight; w[0] < 0.6-1e-9 || w[0] > 0.6+1e-9 || w[2] < 0.2-1e-9 || w[2] > 0.2+1e-9 {
		t.Errorf("weights %v, want 0.6, 0.2 and 0.2", w)
	}
	again, err := Parse(s.Path, s.Resolved(), Override{})
	if err != nil || again.Hash8() != s.Hash8() {
		t.Errorf("the resolved spec gives %v, or another hash:\n%s", err, s.Resolved())
	}
	for text, want := range map[string]string{
		"weights: n\ntruth: Rows\n":      `s.yaml:3: unknown truth "Rows"`,
		"weights: n\nstop: {level: 2}\n": "s.yaml:3: stop is",
		"weights: n\nstop: 0.9\n":        "write stop: off or stop: {confidence: 0.95}",
		"weights: n\nother: 1\n":         "s.yaml:3: other is 1;",
		"weights: missing\n":             "missing",
		"weights: n\ntruth: majority\n":  "truth: rows",
	} {
		if _, err := loadTruth(t, text, Override{Truth: Rows}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if s, err := loadTruth(t, "weights: n\ntruth: rows\ndecision: posterior\n", Override{}); err != nil || s.Truth != Rows || s.Decision != "posterior" || !strings.Contains(string(s.Resolved()), "\ndecision: posterior\n") {
		t.Errorf("rows with a decision: %v", err)
	}
	for name, want := range map[string]string{"table": "table", "table+flip:0.10": "table+flip:0.1", "table+flip:0.05-0.2": "table+flip:0.05-0.2", "table+flip:0.2-0.1": "", "table:1": ""} {
		prior, err := s.Prior(name)
		if (err != nil) != (want == "") || err == nil && prior.Name() != want {
			t.Errorf("prior %q: %v, %v; want %q", name, prior, err, want)
		}
	}
	if s, err := loadTruth(t, "weights: n\nstop: off\n", Override{Truth: Rows}); err != nil || s.Stopping != Off || s.StopAt() != 0 {
		t.Errorf("stop: off: %v", err)
	}
}

// TestPlay: a spec plays its own table again as the same problem, and another table by the same rules: nothing is selected
// from it, and a budget that nobody gave is the number of its questions.
func TestPlay(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte("object,a,b,c\ndog,0.9,0.1,1\ncat,0.8,0.6,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Parse(filepath.Join(dir, "s.yaml"), []byte("other: 0.2\nproblem: {table: t.csv, select: {queries: 2}}\n"), Override{Truth: Rows})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Table.Queries, []string{"a", "b"}) {
		t.Fatalf("the table has the questions %q, want those that are played", s.Table.Queries)
	}
	again, err := s.Play(s.Table)
	if err != nil || !reflect.DeepEqual(again, s.Problem) {
		t.Errorf("played again: %+v, %v; want %+v", again, err, s.Problem)
	}
	wide := &table.Table{Name: "t.csv", Objects: []string{"dog", "cat", "cow"}, Queries: []string{"a", "b", "new"}, Lines: []int{2, 3, 0}, P: []float64{1, 0, 0, 1, 1, 0, 0, 1, 1}}
	more, err := s.Play(wide)
	if err != nil || more.Queries() != 3 || more.T != 3 || more.Hypotheses() != 4 || !more.Seek.(*game.Shares).Other || s.Problem.T != 2 {
		t.Errorf("a larger table gives %+v, %v", more, err)
	}
}

// TestParseStop: a game ends above even odds and short of certainty, or not before its end.
func TestParseStop(t *testing.T) {
	for text, want := range map[string]float64{"off": 0, "0.95": 0.95, "0.51": 0.51, "0.999": 0.999, "0.5": -1, "0.3": -1, "0": -1, "1": -1, "2": -1, "NaN": -1, "": -1, "high": -1} {
		if got, err := ParseStop(text); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}
