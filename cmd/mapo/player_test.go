package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/spec"
)

// TestOwnSpec: the file of a policy opens for the spec that it was trained on, for the one that a run leaves and where the spec's
// path is another, and for no spec of another game.
func TestOwnSpec(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("t.csv", "object,mapo:weight,flies,swims\ncod,1,0,0.9\nowl,1,0.8,\nbat,98,0.7,0\n")
	write("heavy.csv", "object,mapo:weight,flies,swims\ncod,98,0,0.9\nowl,1,0.8,\nbat,1,0.7,0\n")
	write("known.csv", "object,mapo:weight,flies,swims\ncod,1,0,0.9\nowl,1,0.8,0.5\nbat,98,0.7,0\n")
	write("pool.csv", "item,a,b,c\nw,cat,dog,dog\nx,cat,cat,cat\ny,cow,cow,dog\nz,cow,dog,cow\n")
	write("other-pool.csv", "item,a,b,c\nw,cat,dog,dog\nw2,cat,dog,dog\ny,cow,cow,dog\nz,cow,dog,cow\n")
	write("unit.csv", "1,0\n0,1\n")
	write("x.csv", "1,0\n0,2\n1,1\n")
	write("y.csv", "1,0\n0,2\n1,3\n")
	write("z.csv", "1,0\n0,1\n")
	rows := "budget: 2\ntruth: rows\n"
	specs := map[string]string{
		"rows.yaml":     "problem: {table: t.csv}\n" + rows,
		"heavy.yaml":    "problem: {table: heavy.csv}\n" + rows,
		"known.yaml":    "problem: {table: known.csv}\n" + rows,
		"other.yaml":    "problem: {table: t.csv}\nother: 0.1\n" + rows,
		"wrong.yaml":    "problem: {table: t.csv}\nwrong-answers: 0.1\n" + rows,
		"majority.yaml": "problem: {table: t.csv}\nbudget: 2\ntruth: majority\n",
		"shares.yaml":   "problem: {table: known.csv}\nbudget: 2\ntruth: majority\n",
		"pool.yaml":     "problem: {classifiers: pool.csv}\nbudget: 2\n",
		"pool2.yaml":    "problem: {classifiers: other-pool.csv}\nbudget: 2\n",
		"unit.yaml":     "problem: {vectors: {queries: unit.csv}}\nbudget: 2\n",
		"x.yaml":        "problem: {vectors: {queries: x.csv, hypotheses: z.csv}}\nbudget: 2\n",
		"y.yaml":        "problem: {vectors: {queries: y.csv, hypotheses: z.csv}}\nbudget: 2\n",
		"arms.yaml":     "problem: {arms: {count: 3}}\nbudget: 2\n",
	}
	problems := map[string]*game.Problem{}
	for name, text := range specs {
		s, err := spec.Load(write(name, text), spec.Override{})
		if err != nil {
			t.Fatal(err)
		}
		problems[name] = s.Problem
		again, err := spec.Load(write("again-"+name, string(s.Resolved())), spec.Override{})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name+policySuffix)
		if err := nn.WriteFile(file, nn.NewMLP(s.Problem, []int{4}, rng.New(1)), nn.Contract{Problem: s.Problem, Loss: game.BestIdentification.String()}); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*game.Problem{s.Problem, again.Problem} {
			if _, _, err := open(p, game.BestIdentification, file); err != nil {
				t.Error(err)
			}
		}
	}
	for trained := range specs {
		for on, p := range problems {
			if trained == on {
				continue
			}
			_, _, err := open(p, game.BestIdentification, filepath.Join(dir, trained+policySuffix))
			if err == nil || !strings.Contains(err.Error(), "the policy is for another problem: ") {
				t.Errorf("%s judged on %s: %v", trained, on, err)
			}
		}
	}
}
