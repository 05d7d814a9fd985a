package spec

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/rival"
)

// written is a folder with files.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestVectors: queries are read with and without hypotheses, with rivals and a prior of their own, numbers change what is
// asked, and a resolved spec is the same.
func TestVectors(t *testing.T) {
	dir := written(t, map[string]string{"x.csv": "a,1,0\nb,0,1\nc,1,1\n", "z.csv": "A,1,0.5\nB,0,1\n"})
	for text, want := range map[string]struct{ names, asked string }{
		"problem: {vectors: {queries: x.csv}}\n":                                                       {"a b c", "a: yes?"},
		"problem: {vectors: {queries: x.csv, hypotheses: z.csv}}\n":                                    {"A B", "a: yes?"},
		"problem: {vectors: {queries: x.csv, hypotheses: z.csv}}\nanswers: {gaussian: 1, bound: 2}\n":  {"A B", "a: its value?"},
		"problem: {vectors: {queries: x.csv}}\nbudget: 3\nask-once: true\nevaluate: {priors: [box]}\n": {"a b c", "a: yes?"},
	} {
		path := filepath.Join(dir, "s.yaml")
		s, err := Parse(path, []byte(text), Override{})
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Problem; !check.Is[*game.Vectors](p) || strings.Join(p.Names, " ") != want.names || p.X[0] != want.asked || p.Check() != nil {
			t.Errorf("%shypotheses %v, the first query %q, check %v", text, p.Names, p.X[0], p.Check())
		}
		if !slices.Equal(s.Rivals, rival.Usual(s.Problem)) || !slices.Equal(s.priorNames(), []string{"box"}) {
			t.Errorf("rivals %v and priors %v", s.Rivals, s.priorNames())
		}
		again, err := Parse("resolved.yaml", s.Resolved(), Override{})
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(s.Problem)
		b, _ := json.Marshal(again.Problem)
		if string(a) != string(b) || string(again.Resolved()) != string(s.Resolved()) || again.Hash8() != s.Hash8() {
			t.Errorf("resolved again:\n%s\nwant\n%s", again.Resolved(), s.Resolved())
		}
	}
}

// TestUnitVectors: given as unit vectors a game of thresholds is the same problem to the byte, so that all that is made of it is.
func TestUnitVectors(t *testing.T) {
	want := dataset.Thresholds(4, 9)
	x, z := "", ""
	for i := range 4 {
		row := make([]string, 4)
		for j := range row {
			row[j] = "0"
		}
		row[i] = "1"
		x += want.X[i] + "," + strings.Join(row, ",") + "\n"
	}
	for k, name := range want.Names {
		z += `"` + name + `"`
		for _, v := range want.Row(k) {
			z += map[float32]string{0: ",0", 1: ",1"}[v]
		}
		z += "\n"
	}
	dir := written(t, map[string]string{"x.csv": x, "z.csv": z})
	s, err := Parse(filepath.Join(dir, "s.yaml"), []byte("problem: {vectors: {queries: x.csv, hypotheses: z.csv}}\nbudget: 9\nevaluate: {rivals: [uncertainty]}\n"), Override{})
	if err != nil {
		t.Fatal(err)
	}
	got := s.Problem
	got.Name, got.X = want.Name, want.X // what a question is called
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) || len(s.Notes) != 1 {
		t.Errorf("the problem is\n%s\nwant\n%s\n%v", a, b, s.Notes)
	}
}

// TestVectorFaults: one clear line each.
func TestVectorFaults(t *testing.T) {
	dir := written(t, map[string]string{"x.csv": "a,1,1\nb,2,2\n", "y.csv": "a,1,0\nb,0,1\nc,1,1\n", "z.csv": "A,1,1\nB,1,0\n", "theta.csv": "0.9,0.9\n"})
	for text, want := range map[string]string{
		"problem: {vectors: {}}\n":                                                   "s.yaml:1: vectors have no file of queries: write vectors: {queries: queries.csv}",
		"problem: {vectors: {queries: no.csv}}\n":                                    "no.csv",
		"problem: {vectors: {queries: x.csv, hypotheses: z.csv}}\n":                  `z.csv: hypothesis "B" lies outside of the span of the queries, so that no answers tell its score`,
		"problem: {vectors: {queries: y.csv}, select: {queries: 2}}\n":               "s.yaml:1: select is for tables",
		"problem: {vectors: {queries: y.csv}}\ninstances: theta.csv\n":               `theta.csv:1: the mean answer to "c: yes?" is ⟨x, θ⟩ = 1.8; answers allow means from -1 to 1`,
		"problem: {vectors: {queries: y.csv}}\nevaluate: {rivals: [bayes-lal]}\n":    "s.yaml:2: rival bayes-lal is trained where answers are what a hypothesis expects",
		"problem: {vectors: {queries: y.csv}}\nevaluate: {rivals: [\"sgbs:0.1\"]}\n": "s.yaml:2: policy \"sgbs:0.1\" does not read vectors",
		"problem: {vectors: {queries: y.csv}}\nevaluate: {priors: [\"flip:0.8\"]}\n": `s.yaml:2: unknown prior "flip:0.8"; of vectors there is box`,
		"problem: {vectors: {queries: y.csv}}\ndecision: posterior\n":                "write decision: least-squares",
		"problem: {vectors: {queries: y.csv}}\ndifficulty: c-mab\n":                  "difficulty c-mab is for arms",
		"problem: {vectors: {queries: y.csv}}\nlevels: [0.001]\n":                    "is below",
		"problem: {vectors: {queries: y.csv}, arms: {count: 3}}\n":                   "the problem is both arms and vectors: keep one",
	} {
		_, err := Parse(filepath.Join(dir, "s.yaml"), []byte(text), Override{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s%v\nwant %q", text, err, want)
		}
	}
}
