package spec

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mapo/game"
)

// numbers stands for the trainer's configuration.
type numbers struct {
	N         int     `yaml:"N"`
	Binary    float64 `yaml:"lambda_binary"`
	PolReg    float64 `yaml:"lambda_pol_reg"`
	Hidden    []int   `yaml:"hidden"`
	Estimator string  `yaml:"estimator"`
	Dense     bool    `yaml:"dense"`
}

// write puts files into a folder of the test's.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// cube is all patterns over three queries, a column that repeats and one that is
// constant, and an object that is like another.
const cube = `object,a,b,c,again,always
o0,0,0,0,0,1
o1,1,0,0,1,1
o2,0,1,0,0,1
o3,1,1,0,1,1
o4,0,0,1,0,1
o5,1,0,1,1,1
o6,0,1,1,0,1
o7,1,1,1,1,1
twin,.9,1,1,1,1
`

func TestExamples(t *testing.T) {
	s, err := Load("../examples/thresholds.yaml", Override{})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(s.Name, " ", s.Problem.Name, s.Problem.T, s.Problem.AskOnce, s.Loss, s.Levels, s.Seed, s.Scale, s.Rivals, s.priorNames(), s.Instances, s.Warnings)
	want := "thresholds thresholds-2520 falsebest-identification[8 16 32 64 128] 1desk" +
		"[uniform uncertainty sgbs:0.01 sgbs:0.1 sgbs:0.3 bayes-lal]" +
		"[flip:0.5 flip:0.6 flip:0.7 flip:0.8 flip:0.9 flip:1 noiseless][][]"
	if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s, err = Load("../examples/animals.yaml", Override{Scale: "smoke"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Scale != "smoke" || !s.Problem.AskOnce || s.Problem.T != 20 || len(s.Levels) != 3 || s.Truth != Rows || s.Problem.Queries() < 80 || s.Problem.Hypotheses() < 80 {
		t.Errorf("%s: %+v", s.Name, s.Problem.T)
	}
}

func TestDefaults(t *testing.T) {
	dir := write(t, map[string]string{"my cube.yaml": "problem: {table: cube.csv}\nbudget: 2\ntruth: majority\n", "cube.csv": cube})
	s, err := Load(filepath.Join(dir, "my cube.yaml"), Override{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "my-cube" || s.Problem.Name != "cube" || !s.Problem.AskOnce || s.Seed != 1 || s.Scale != "desk" || s.Loss != game.BestIdentification || s.Levels != nil || s.Games != 0 {
		t.Errorf("%+v", s)
	}
	if got := fmt.Sprint(s.Rivals, s.priorNames()); got != "[uniform uncertainty sgbs:0.01 sgbs:0.1 sgbs:0.3 bayes-lal information] [flip:0.8 noiseless table]" {
		t.Error(got)
	}
	if got := fmt.Sprint(s.Problem.X, s.Problem.Names[7], len(ownInstances(s)), len(s.Warnings)); got != "[a b c]o7 / twin9 3" {
		t.Error(got, s.Warnings)
	}
}

// TestBOM: Windows' editors put one before a spec.
func TestBOM(t *testing.T) {
	dir := write(t, map[string]string{"s.yaml": "\ufeffproblem: {thresholds: {d: 3}}\n"})
	if s, err := Load(filepath.Join(dir, "s.yaml"), Override{}); err != nil || s.Problem.Queries() != 3 {
		t.Errorf("a spec with a BOM: %v", err)
	}
}

// TestUnnamedTable: a table in a file of another name is told what to do.
func TestUnnamedTable(t *testing.T) {
	_, err := Parse("t.txt", []byte("object,a,b\nx,0.1,0.2\ny,0.3,0.4\n"), Override{})
	if err == nil || !strings.Contains(err.Error(), "t.txt:1: the spec has no keys") || !strings.Contains(err.Error(), "let its name end in .csv") {
		t.Error(err)
	}
}

// TestColons: names with a colon need no quotes, also in a list within {…}, where the parser takes them for maps.
func TestColons(t *testing.T) {
	const text = "problem: {thresholds: {d: 3}}\nlevels: [16]\nevaluate: {rivals: [uniform, sgbs:0.1, sgbs:0.2+posterior], priors: [flip:0.8]}\n"
	s, err := Parse("s.yaml", []byte(text), Override{})
	if err != nil || strings.Join(s.Rivals, " ") != "uniform sgbs:0.1 sgbs:0.2+posterior" || s.Priors[0].Name() != "flip:0.8" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, list := range []string{"[sgbs: 0.1]", "[{uniform: 1}]", "[uniform:, box]"} {
		if s, err := Parse("s.yaml", []byte("problem: {thresholds: {d: 3}}\nevaluate: {rivals: "+list+"}\n"), Override{}); err == nil {
			t.Errorf("%s is read as %v", list, s.Rivals)
		}
	}
}

// TestLong: more than a spec can be is not read to its end, whether or not the file has a size.
func TestLong(t *testing.T) {
	dir := write(t, map[string]string{"long.yaml": strings.Repeat("#", mostBytes+1)})
	files := []string{filepath.Join(dir, "long.yaml")}
	if info, err := os.Stat("/dev/zero"); err == nil && info.Mode()&os.ModeDevice != 0 {
		files = append(files, "/dev/zero")
	}
	for _, file := range files {
		if _, err := Load(file, Override{}); err == nil || !strings.Contains(err.Error(), "longer than 64 KiB") {
			t.Errorf("%s: %v, want that it is too long", file, err)
		}
	}
}

func TestBareTable(t *testing.T) {
	var wide strings.Builder
	wide.WriteString("object")
	for i := range 20 {
		fmt.Fprintf(&wide, ",q%d", i)
	}
	for k := range 21 {
		fmt.Fprintf(&wide, "\no%d", k)
		for i := range 20 {
			fmt.Fprintf(&wide, ",%d", min(1, (k+i)/20))
		}
	}
	dir := write(t, map[string]string{"wide.csv": wide.String(), "cube.csv": cube})
	s, err := Load(filepath.Join(dir, "wide.csv"), Override{Scale: "paper"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "wide" || s.Problem.T != 20 || !s.Problem.AskOnce || s.Scale != "paper" {
		t.Errorf("%+v", s)
	}
	s, err = Load(filepath.Join(dir, "cube.csv"), Override{})
	if err != nil || s.Problem.T != 5 || !s.Problem.AskOnce || s.Truth != Rows {
		t.Errorf("a table of 5 queries: budget %d, ask-once %v, want 5 and true (%v)", s.Problem.T, s.Problem.AskOnce, err)
	}
}

// TestRules checks which budget and which rule of repetition a spec without them has.
func TestRules(t *testing.T) {
	for spec, want := range map[string]string{
		"problem: {table: cube.csv}\n":                             "5 true",
		"problem: {table: cube.csv}\ntruth: majority\n":            "3 true",
		"problem: {table: cube.csv}\nbudget: 2\n":                  "2 true",
		"problem: {table: cube.csv, select: {queries: 2}}\n":       "2 true",
		"problem: {table: cube.csv}\nask-once: false\n":            "20 false",
		"problem: {table: cube.csv, ask-once: false}\nbudget: 7\n": "7 false",
		"problem: {thresholds: {d: 5}}\n":                          "20 false",
		"problem: {thresholds: {d: 5}}\nask-once: true\n":          "5 true",
		"problem: {thresholds: {d: 30}}\nask-once: true\n":         "20 true",
	} {
		dir := write(t, map[string]string{"s.yaml": spec, "cube.csv": cube})
		s, err := Load(filepath.Join(dir, "s.yaml"), Override{})
		if err != nil {
			t.Errorf("%q: %v", spec, err)
			continue
		}
		if got := fmt.Sprint(s.Problem.T, s.Problem.AskOnce); got != want {
			t.Errorf("%q: budget and ask-once are %s, want %s", spec, got, want)
		}
	}
}

func TestTrain(t *testing.T) {
	text := `problem: {thresholds: {d: 3}}
train:
  preset: smoke
  N: 12
  lambda_binary: 1e-3
  hidden: [8, 4]
  dense: true
`
	s, err := Parse("t.yaml", []byte(text), Override{Scale: "paper"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := numbers{N: 1, PolReg: .5, Hidden: []int{1}, Estimator: "loo"}
	if err := s.DecodeTrain(&cfg); err != nil {
		t.Fatal(err)
	}
	if want := (numbers{N: 12, Binary: 1e-3, PolReg: .5, Hidden: []int{8, 4}, Estimator: "loo", Dense: true}); !reflect.DeepEqual(cfg, want) {
		t.Errorf("explicit keys over the preset's: %+v, want %+v", cfg, want)
	}
	if s.Scale != "paper" {
		t.Errorf("the scale is %s: --scale replaces train.preset", s.Scale)
	}
	// A spec and what it resolves to name the same job.
	if err := s.FixTrain(cfg); err != nil {
		t.Fatal(err)
	}
	again, err := Parse("elsewhere/t.yaml", s.Resolved(), Override{})
	if err != nil {
		t.Fatal(err)
	}
	var full numbers
	if err := again.DecodeTrain(&full); err != nil || !reflect.DeepEqual(full, cfg) {
		t.Errorf("%v: the resolved spec has %+v, want %+v", err, full, cfg)
	}
	if err := again.FixTrain(full); err != nil || again.Hash8() != s.Hash8() || !bytes.Equal(again.Resolved(), s.Resolved()) {
		t.Errorf("%v: resolved twice:\n%s\n%s", err, s.Resolved(), again.Resolved())
	}
}

func TestTrainFaults(t *testing.T) {
	for text, want := range map[string]string{
		"lambda_bin: 3":         `t.yaml:3: unknown key "lambda_bin"; did you mean "lambda_binary"?`,
		"lambda_Pol-reg: 3":     `t.yaml:3: unknown key "lambda_Pol-reg"; did you mean "lambda_pol_reg"?`,
		"inner: 3":              `t.yaml:3: unknown key "inner"; known are N, lambda_binary, lambda_pol_reg, hidden, estimator, dense, preset`,
		"N: 1.5":                `t.yaml:3: train.N is 1.5, want a whole number`,
		"N: many":               `t.yaml:3: train.N is many, want a whole number`,
		"N: [1]":                `t.yaml:3: train.N is a list, want a single value`,
		"N:":                    `t.yaml:3: train.N has no value: write one or remove the key`,
		"lambda_binary: .nan":   `t.yaml:3: train.lambda_binary is .nan, want a number`,
		"lambda_binary: .inf":   `t.yaml:3: train.lambda_binary is .inf, want a number`,
		"lambda_binary: 1e999":  `t.yaml:3: train.lambda_binary is 1e999, want a number`,
		`lambda_binary: "1"`:    `t.yaml:3: train.lambda_binary is the text "1", want a number`,
		"hidden: 8":             `t.yaml:3: train.hidden is 8, want a list such as [a, b]`,
		"hidden: [8, x]":        `t.yaml:3: train.hidden[1] is x, want a whole number`,
		"hidden:\n  - 8\n  - x": `t.yaml:5: train.hidden[1] is x, want a whole number`,
		"dense: yes":            `t.yaml:3: train.dense is yes, want true or false`,
	} {
		s, err := Parse("t.yaml", []byte("problem: {thresholds: {d: 3}}\ntrain:\n  "+text+"\n"), Override{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if err := s.DecodeTrain(&numbers{}); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestResolvedIsTheSameSpec(t *testing.T) {
	dir := write(t, map[string]string{
		"cube.csv":  cube,
		"theta.csv": "a,b,c\n1,1,1\n-.5,1,.5\n",
		"s.yaml": `name: näme-1.x
problem:
  table: cube.csv
  select: {queries: 3, seed: 7}
  ask-once: true
budget: 3
loss: simple-regret
dont-know: spends
objective: {average: "flip:.7", weight: 5e-2}
truth: majority
levels: [4, 11.313708498984761, 1e3]
seed: 18446744073709551615
train: {preset: paper, lambda: {a: [1, 2], "b: c": "x # y"}}
evaluate: {rivals: ["sgbs:.10", uniform], priors: ["flip:.5", table], games: 300, yardstick: false}
instances: theta.csv
`,
	})
	s, err := Load(filepath.Join(dir, "s.yaml"), Override{Scale: "desk"})
	if err != nil {
		t.Fatal(err)
	}
	want := `name: "näme-1.x"
problem:
  table: ` + word(filepath.Join(dir, "cube.csv")) + `
  select: {queries: 3, design: balanced, seed: 7}
ask-once: true
budget: 3
loss: simple-regret
dont-know: spends
truth: majority
objective: {average: flip:0.7, weight: 0.05}
levels: [4, 11.313708498984761, 1000]
seed: 18446744073709551615
train:
  preset: desk
  lambda: {a: [1, 2], "b: c": "x # y"}
evaluate:
  rivals: [sgbs:0.1, uniform]
  priors: [flip:0.5, table, flip:0.7]
  games: 300
  yardstick: false
instances: ` + word(filepath.Join(dir, "theta.csv")) + "\n"
	if got := string(s.Resolved()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	again, err := Parse(filepath.Join(t.TempDir(), "spec.yaml"), s.Resolved(), Override{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, s, again)
}

// ownInstances lists the data's own instances, which the last prior draws by default.
func ownInstances(s *Spec) []game.Drawn { return game.Support(s.Problem, s.Priors[len(s.Priors)-1]) }

// same compares all that a spec resolves to.
func same(t *testing.T, a, b *Spec) {
	t.Helper()
	if !bytes.Equal(a.Resolved(), b.Resolved()) || a.Hash8() != b.Hash8() {
		t.Errorf("resolved again:\n%s\n%s", a.Resolved(), b.Resolved())
	}
	for _, name := range []string{"table", "users"} {
		one, _ := a.Prior(name)
		other, _ := b.Prior(name)
		if !reflect.DeepEqual(one, other) {
			t.Errorf("prior %s: %v, loaded again %v", name, one, other)
		}
	}
	for what, pair := range map[string][2]any{
		"problem":   {a.Problem, b.Problem},
		"levels":    {a.Levels, b.Levels},
		"instances": {a.Instances, b.Instances},
		"rest":      {fmt.Sprint(a.Name, a.Loss, a.Objective.Weight, a.Seed, a.Scale, a.Rivals, a.priorNames(), a.Games), fmt.Sprint(b.Name, b.Loss, b.Objective.Weight, b.Seed, b.Scale, b.Rivals, b.priorNames(), b.Games)},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, loaded again %v", what, pair[0], pair[1])
		}
	}
}

func TestHashReadsContents(t *testing.T) {
	load := func(table, spec string) string {
		dir := write(t, map[string]string{"t.csv": table, "s.yaml": spec})
		s, err := Load(filepath.Join(dir, "s.yaml"), Override{})
		if err != nil {
			t.Fatal(err)
		}
		return s.Hash8()
	}
	spec := "problem: {table: t.csv}\nbudget: 2\n"
	base := load(cube, spec)
	if len(base) != 8 || load(cube, spec) != base {
		t.Errorf("the same spec in another folder hashes otherwise: %s", base)
	}
	for why, other := range map[string]string{
		"a graded cell": load(strings.Replace(cube, "twin,.9", "twin,.8", 1), spec),
		"the seed":      load(cube, spec+"seed: 2\n"),
		"the objective": load(cube, spec+"objective: {average: table, weight: .1}\n"),
		"a training":    load(cube, spec+"train: {N: 3}\n"),
		"the budget":    load(cube, strings.Replace(spec, "2", "3", 1)),
	} {
		if other == base {
			t.Errorf("%s changes and the hash does not", why)
		}
	}
}

// checked is a training's numbers with a check of their own.
type checked struct {
	N int     `yaml:"N"`
	L float64 `yaml:"L"`
}

type keyed string

func (k keyed) Error() string { return string(k) + " is no good" }
func (k keyed) Key() string   { return string(k) }

func (c *checked) Check() error {
	switch {
	case c.N < 0:
		return fmt.Errorf("wrapped: %w", keyed("N"))
	case c.L < 0:
		return keyed("L")
	case c.N > 9:
		return errors.New("too many")
	}
	return nil
}

// What the training's own check finds is said at the line of its key, or where
// train: begins if the spec does not set it.
func TestTrainCheck(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"  N: 3\n", ""},
		{"  N: 3\n  L: -1\n", "s.yaml:5: L is no good"},
		{"  L: 2\n  N: -1\n", "s.yaml:5: wrapped: N is no good"},
		{"  N: 10\n", "s.yaml:3: too many"},
		{"  N: 3\n  M: 2\n", `s.yaml:5: unknown key "M"; did you mean "N"?`},
	} {
		s, err := Parse("s.yaml", []byte("problem: {thresholds: {d: 3}}\nbudget: 5\ntrain:\n"+c.text), Override{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := s.DecodeTrain(&checked{}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
	s, err := Parse("s.yaml", []byte("problem: {thresholds: {d: 3}}\nbudget: 5\n"), Override{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DecodeTrain(&checked{L: -1}); err == nil || err.Error() != "s.yaml:1: L is no good" {
		t.Errorf("a spec without train: gave %v", err)
	}
}
