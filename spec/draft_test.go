package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/internal/check"
)

// TestDraft: a draft loads as the same game of rows for every command.
func TestDraft(t *testing.T) {
	const names = "object,a: b #c,\"say \"\"yes\"\", or no\",true\n"
	for _, c := range []struct {
		file, text string
		says       []string
	}{
		{"plain.csv", names + "x,0.9,0.1,0.2\ny,0.1,0.9,0.3\nz,0.2,0.3,0.8\n", []string{"# wrong-answers: 0.1 ", "budget: 3 ", "truth: rows "}},
		{"it's # a: table.csv", names + "x,1,0,\ny,0,1,0\nz,0,0,1\n", []string{"# wrong-answers: 0 ", "unknown: 1 of 9", `table: "it's # a: table.csv"`}},
		{"repeated.csv", names + "x,0.9,0.9,0.2\ny,0.1,0.2,0.3\nz,0.2,0.3,0.8\n", []string{"\nbudget: 3 "}},
		{"low.csv", names + "x,0.4,0.1,0.2\ny,0.1,0.4,0.3\n", []string{"truth: rows ", "levels: [4, 8]"}},
		{"weights.csv", "object,mapo:weight,a\nx,2,1\ny,1,0\n", []string{"weights: in the table", "# weights: mapo:weight "}},
	} {
		dir := write(t, map[string]string{c.file: c.text})
		table, err := dataset.ReadTable(filepath.Join(dir, c.file), "")
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDraft(table, c.file, "")
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		d.File, d.Why = "s.yaml\nbudget: 7", "none here" // a file may be called anything
		d.Levels = []float64{4, 8}
		text := d.Text()
		for _, part := range c.says {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s does not say %q:\n%s", c.file, part, text)
			}
		}
		for _, over := range []string{"", Rows, Majority} {
			s, err := Parse(filepath.Join(dir, "s.yaml"), text, Override{Truth: over})
			if err != nil || s.Truth != Rows || s.Problem.T != len(table.Queries) || s.Stopping != "" || s.StopAt() != 0.95 || !s.Problem.AskOnce || len(s.Levels) != 2 {
				t.Errorf("%s where a command prefers %q: %v\n%s", c.file, over, err, text)
			}
		}
	}
}

// TestLevelsOfRows: the least level of majorities is known when a spec is read, that of rows when it is planned.
func TestLevelsOfRows(t *testing.T) {
	dir := write(t, map[string]string{"t.csv": "object,a,b\nx,0.9,0.1\ny,0.2,0.8\n"})
	text := []byte("problem: {table: t.csv}\nlevels: [0.25]\n")
	path := filepath.Join(dir, "s.yaml")
	if s, err := Parse(path, text, Override{Truth: Rows}); err != nil || len(s.Levels) != 1 {
		t.Errorf("as rows: %v", err)
	}
	if _, err := Parse(path, text, Override{Truth: Majority}); err == nil || !strings.Contains(err.Error(), "level 0.25 is below ") {
		t.Errorf("by majority: %v", err)
	}
}

// TestTwentyQTruths: cells of the release with neither yes nor no are unknown to rows, and ½ to majorities.
func TestTwentyQTruths(t *testing.T) {
	dir := dataDir(t, "problem: {twentyq: {queries: 3}}\nbudget: 2\n")
	for file, text := range map[string]string{"right": rightProb, "wrong": wrongProb} {
		text = regexp.MustCompile(`(?m)^2\t\.\d`).ReplaceAllString(text, "2\t0")
		if err := os.WriteFile(filepath.Join(dir, "twentyq", file+"Prob.people4.question3.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(filepath.Join(dir, "s.yaml"), Override{Truth: Rows})
	if err != nil || fmt.Sprint(s.Problem.Seek.(*game.Shares).Unknown) != "[false false false true false false false false false]" {
		t.Errorf("as rows: %v, %v", s, err)
	}
	s, err = Load(filepath.Join(dir, "s.yaml"), Override{Truth: Majority})
	if err != nil || check.Is[*game.Shares](s.Problem) || ownInstances(s)[1].Theta[0] != 0 {
		t.Errorf("by majority: %v, %v", s, err)
	}
}
