package spec

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/game"
)

// writePool writes files that specs name, and returns their folder.
func writePool(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"two.csv":  "item,a,b,c\nw,0,1,1\nx,1,1,1\ny,0,1,1\nz,1,1,0\n",
		"four.csv": "item,a,b,c\nw,cat,dog,dog\nx,cow,cow,dog\ny,cat,dog,dog\nz,cat,cow,bird\n",
		"same.csv": "item,a,b\nw,0,0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestClassifiers(t *testing.T) {
	dir := writePool(t)
	for _, c := range []struct {
		text    string
		classes []string
		items   int
		budget  int
	}{
		{"problem: {classifiers: two.csv}\n", []string{"0", "1"}, 3, 3},
		{"problem: {classifiers: {file: two.csv, classes: [1, 0]}}\nbudget: 2\ndecision: least-squares\n", []string{"1", "0"}, 3, 2},
		{"problem: {classifiers: {file: two.csv, classes: [0, 1, 2]}}\n", []string{"0", "1", "2"}, 3, 3},
		{"problem: {classifiers: {file: four.csv, sample: 10, seed: 4}}\n", []string{"bird", "cat", "cow", "dog"}, 4, 4},
	} {
		t.Run(c.text, func(t *testing.T) {
			s, err := Parse(filepath.Join(dir, "s.yaml"), []byte(c.text), Override{})
			if err != nil {
				t.Fatal(err)
			}
			p := s.Problem
			if p.Check() != nil || !slices.Equal(p.Seek.(*game.Labels).Classes, c.classes) || len(p.Seek.(*game.Labels).Items) != c.items || p.T != c.budget || p.AskOnce || s.Loss != game.SimpleRegret {
				t.Errorf("check %v, labels %+v, budget %d, loss %v", p.Check(), p.Seek.(*game.Labels), p.T, s.Loss)
			}
			if (p.Seek.(*game.Labels).First == nil) != (len(c.classes) == 2) || s.Pool.Made.Problem != p || len(s.Pool.Items) != 4 {
				t.Errorf("first %v, pool of %d items", p.Seek.(*game.Labels).First, len(s.Pool.Items))
			}
			again, err := Parse(filepath.Join(dir, "resolved.yaml"), s.Resolved(), Override{})
			if err != nil {
				t.Fatalf("%v in\n%s", err, s.Resolved())
			}
			if !slices.Equal(again.Problem.Z, p.Z) || string(again.Resolved()) != string(s.Resolved()) || again.Says("decision") != s.Says("decision") || again.Problem.T != p.T {
				t.Errorf("resolved again:\n%s\nwant\n%s", again.Resolved(), s.Resolved())
			}
			if a, b := s.Hash8(), again.Hash8(); a != b {
				t.Errorf("hashes %s and %s", a, b)
			}
		})
	}
}

func TestClassifierFaults(t *testing.T) {
	dir := writePool(t)
	const ok = "problem: {classifiers: four.csv}\n"
	for text, want := range map[string]string{
		"problem: {classifiers: {classes: [cat, dog]}}\n":                      "s.yaml:1: classifiers have no file",
		"problem: {classifiers: [four.csv]}\n":                                 "s.yaml:1: problem.classifiers is a list, want a map of keys",
		"problem:\n  classifiers: {file: four.csv, clases: [cat, dog]}\n":      `s.yaml:2: unknown key "clases"; did you mean "classes"?`,
		"problem: {classifier: four.csv}\n":                                    `s.yaml:1: unknown key "classifier"; did you mean "classifiers"?`,
		"problem: {classifiers: nosuch.csv}\n":                                 `s.yaml:1: cannot find "nosuch.csv"`,
		"problem: {classifiers: same.csv}\n":                                   "same.csv: all 2 models predict the same for all 1 items",
		"problem: {classifiers: {file: four.csv, classes: [cat, dog, cow]}}\n": `four.csv:5: column 4 ("c"): "bird" is not one of the 3 classes`,
		"problem:\n  classifiers:\n    file: four.csv\n    sample: 1\n":        "s.yaml:4: sample is 1 items; it must be from 2",
		"problem: {classifiers: four.csv, table: two.csv}\n":                   "s.yaml:1: the problem is both a table and classifiers: keep one",
		"problem: {classifiers: four.csv, select: {queries: 2}}\n":             "s.yaml:1: select is for tables",
		ok + "ask-once: true\n":                                                "s.yaml:2: ask-once is for questions that could be repeated; an item of a pool has one label: remove it",
		"problem:\n  classifiers: four.csv\n  ask-once: false\n":               "s.yaml:3: ask-once is for questions",
		ok + "answers: {gaussian: 1, bound: 1}\n":                              "s.yaml:2: the answers are the classes of items: remove answers",
		ok + "budget: 9\n":         "s.yaml:2: budget 9 is above the pool's 4 items on which its classifiers differ",
		ok + "difficulty: c-mab\n": "s.yaml:2: difficulty c-mab is for arms",
		ok + "truth: rows\n":       "s.yaml:2: truth: rows is for a table of shares",
	} {
		_, err := Parse(filepath.Join(dir, "s.yaml"), []byte(text), Override{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n%v\nwant %q", text, err, want)
		}
	}
}

// TestClassifierDefaults: rivals and averages that the spec does not name are those of pools.
func TestClassifierDefaults(t *testing.T) {
	s, err := Parse(filepath.Join(writePool(t), "s.yaml"), []byte("problem: {classifiers: four.csv}\n"), Override{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"uniform", "disagreement", "model-selector:0.46", "model-selector:0.4", "gain:1"}; !slices.Equal(s.Rivals, want) {
		t.Errorf("rivals %q, want %q", s.Rivals, want)
	}
	if want := []string{"models", "votes"}; !slices.Equal(s.priorNames(), want) {
		t.Errorf("priors %q, want %q", s.priorNames(), want)
	}
}
