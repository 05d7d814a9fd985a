package main

import (
	"encoding/csv"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/policy/nn"
	"mapo/rng"
)

// needPython skips the test where there is no Python, or fails it where there must be one.
func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("MAPO_CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

const threshold3 = `
problem:
  thresholds: {d: 3}
budget: 5
levels: [16]
train: {preset: smoke}
`

// judged are the rows of mapo eval's --csv -, by policy.
func judged(t *testing.T, dir string, args ...string) map[string]map[string]float64 {
	t.Helper()
	cmd := exec.Command("mapo", append([]string{"eval", "--csv", "-"}, args...)...)
	cmd.Dir = dir
	var said, faults strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &faults
	if err := cmd.Run(); err != nil {
		t.Fatalf("mapo eval %q: %v\n%s", args, err, faults.String())
	}
	rows, err := csv.NewReader(strings.NewReader(said.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]float64{}
	for _, row := range rows[1:] {
		out[row[1]] = map[string]float64{}
		for i, name := range rows[0] {
			if v, err := strconv.ParseFloat(row[i], 64); err == nil {
				out[row[1]][name] = v
			}
		}
	}
	return out
}

// TestExamplePolicy: the example in Python, which is Uniform, is judged as Uniform is: in the worst case found, within the
// intervals; exactly, to the last digit but for rounding.
func TestExamplePolicy(t *testing.T) {
	needPython(t)
	dir := t.TempDir()
	example, err := os.ReadFile("../../examples/my_policy.py")
	if err != nil {
		t.Fatal(err)
	}
	// In the folder of the test: the games of a policy are drawn by its name, which must not hold where this is checked out.
	if err := os.WriteFile(filepath.Join(dir, "my_policy.py"), example, 0o666); err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(dir, "three.yaml")
	if err := os.WriteFile(spec, []byte(threshold3), 0o666); err != nil {
		t.Fatal(err)
	}
	const name = "cmd:python3 my_policy.py"
	rows := judged(t, dir, name, "uniform", "--problem", spec, "--r", "16", "--workers", "2")
	mine, theirs := rows[name], rows["uniform"]
	t.Logf("worst case %.4f [%.4f, %.4f], uniform's %.4f [%.4f, %.4f]", mine["mean"], mine["lo"], mine["hi"], theirs["mean"], theirs["lo"], theirs["hi"])
	if len(rows) != 2 || mine["games"] == 0 || mine["mean"] < theirs["lo"] || mine["mean"] > theirs["hi"] {
		t.Errorf("judged %v", rows)
	}
	rows = judged(t, dir, name, "uniform", "--problem", spec, "--r", "16", "--exact")
	if d := math.Abs(rows[name]["mean"] - rows["uniform"]["mean"]); len(rows) != 2 || !(d < 1e-6) {
		t.Errorf("exactly %v, a difference of %g", rows, d)
	}
	for file, text := range map[string]string{
		"vectors.yaml": "problem: {vectors: {queries: queries.csv, hypotheses: hypotheses.csv}}\nbudget: 6\n",
		"queries.csv":  "a,1,0\nb,0.6,0.8\nc,0,-2\n", "hypotheses.csv": "right,1,0\nup,0,1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rows = judged(t, dir, name, "uniform", "--problem", "vectors.yaml", "--r", "16", "--scale", "smoke", "--workers", "2")
	if mine, theirs := rows[name], rows["uniform"]; len(rows) != 2 || mine["games"] == 0 || mine["mean"] < theirs["lo"] || mine["mean"] > theirs["hi"] {
		t.Errorf("judged on vectors: %v", rows)
	}
}

// TestNoFileRuns: a command in a spec's or a policy file's every text, or in a file's name, is a text.
func TestNoFileRuns(t *testing.T) {
	const command = "cmd:touch ran"
	dir := t.TempDir()
	p := dataset.Thresholds(3, 5)
	p.Name, p.X[0], p.Names[0] = command, command, command
	c := nn.Contract{Name: command, Problem: p, Loss: "best-identification", Rule: command, Version: command,
		Trained: map[string]string{command: command}, Notes: []string{command}}
	names := []string{"policy.safetensors", "cmd:touch ran.safetensors", "cmd:touch ran"}
	for _, name := range names {
		if err := nn.WriteFile(filepath.Join(dir, name), nn.NewMLP(p, []int{4}, rng.New(1)), c); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("sound.yaml", threshold3)
	write("rival.yaml", threshold3+"evaluate: {rivals: [\"cmd:touch ran\"]}\n")
	write("prior.yaml", threshold3+"evaluate: {priors: [\"cmd:touch ran\"]}\n")
	write("table.yaml", "problem: {table: \"cmd:touch ran.csv\"}\n")
	write("instances.yaml", threshold3+"instances: \"cmd:touch ran.csv\"\n")
	write("train.yaml", threshold3[:len(threshold3)-2]+", policy: \"cmd:touch ran\"}\n")
	lines := [][]string{{"eval", "cmd:touch ran.safetensors", "--problem", "sound.yaml"}, {"eval", "cmd:touch ran", "--problem", "sound.yaml"}}
	for _, spec := range []string{"rival.yaml", "prior.yaml", "table.yaml", "instances.yaml", "train.yaml"} {
		lines = append(lines, []string{"run", spec, "--out", "out"}, []string{"inspect", spec}, []string{"train", spec},
			[]string{"eval", "uniform", "--problem", spec}, []string{"certify", spec})
	}
	for _, name := range names[:2] {
		lines = append(lines, []string{"inspect", name}, []string{"play", name}, []string{"export", name, "--onnx", "e.onnx"},
			[]string{"eval", "./" + name, "--problem", "sound.yaml"}, []string{"train", "sound.yaml", "--init", name})
	}
	for _, args := range lines {
		cmd := exec.Command("mapo", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		t.Logf("mapo %q: %v: %.120s", args, err, out)
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			t.Fatalf("mapo %q ran a command that a file names", args)
		}
	}
	cmd := exec.Command("mapo", "eval", command+" in vain", "--problem", "sound.yaml")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	if _, err := os.Stat(filepath.Join(dir, "ran")); err != nil {
		t.Errorf("the command line's own command did not run, so that this test shows nothing: %s", out)
	}
}

// TestOneWayToRun: one package runs programs, two files of this command start policies by it, and
// one starts mapo-worker, by its own name only.
func TestOneWayToRun(t *testing.T) {
	var found []string
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == ".git" {
			return filepath.SkipDir
		}
		forTests := strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../../serve/dbtest/") // which only tests import
		if !strings.HasSuffix(path, ".go") || forTests || strings.HasPrefix(path, "../../tools/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../") + " "
		for _, spec := range file.Imports {
			if spec.Path.Value == `"os/exec"` || spec.Path.Value == `"mapo/external"` && spec.Name != nil {
				found = append(found, name+spec.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Start" {
				if of, ok := s.X.(*ast.Ident); ok && of.Name == "external" {
					found = append(found, name+"external.Start")
				}
			}
			return true
		})
		return nil
	})
	want := []string{"cmd/mapo/command.go external.Start", "cmd/mapo/policies.go external.Start", `policy/external/group_other.go "os/exec"`, `policy/external/group_unix.go "os/exec"`, `policy/external/process.go "os/exec"`, `run/remote/remote.go "os/exec"`}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("programs are run by %q, want %q; %v", found, want, err)
	}
}
