package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mapo/rng"
)

// TestExamples runs every spec in examples/ at smoke scale, a script each in
// testdata/examples, where MAPO_EXAMPLES is set: together they take a minute of two cores.
// Those on real tables look in $MAPO_DATA and skip, saying so, where there are none.
func TestExamples(t *testing.T) {
	specs, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(specs) == 0 {
		t.Fatal(specs, err)
	}
	for _, spec := range specs {
		if _, err := os.Stat("testdata/examples/" + strings.TrimSuffix(filepath.Base(spec), ".yaml") + ".txtar"); err != nil {
			t.Errorf("no script runs %s: %v", spec, err)
		}
	}
	if os.Getenv("MAPO_EXAMPLES") == "" {
		t.Skip("MAPO_EXAMPLES is not set: .ci/run runs the examples")
	}
	data := os.Getenv("MAPO_DATA")
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/examples",
		Setup: func(env *testscript.Env) error {
			env.Setenv("MAPO_DATA", data)
			env.Setenv("EXAMPLES", examples)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"release": releaseFolder},
		Condition: func(cond string) (bool, error) {
			file, ok := strings.CutPrefix(cond, "data:")
			if !ok {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			_, err := os.Stat(filepath.Join(data, file))
			return data != "" && err == nil, nil
		},
	})
}

// releaseFolder is "release FOLDER": a made-up release of 20 Questions, in its format,
// of 60 people and 140 questions.
func releaseFolder(ts *testscript.TestScript, _ bool, args []string) {
	const people, questions = 60, 140
	r := rng.New(1).Rand()
	var right, wrong, actions, names strings.Builder
	for i := range people {
		fmt.Fprint(&right, 100+i)
		fmt.Fprint(&wrong, 100+i)
		for range questions {
			known, yes := .6+.4*r.Float64(), .1
			if r.Float64() < .5 {
				yes = .9
			}
			fmt.Fprintf(&right, "\t%.6f", known*yes)
			fmt.Fprintf(&wrong, "\t%.6f", known*(1-yes))
		}
		right.WriteString("\n")
		wrong.WriteString("\n")
	}
	for i := range questions {
		fmt.Fprintf(&actions, "%d\t%d\n", i, 3*i)
		fmt.Fprintf(&names, "%d\tIs it number %d?\n", 3*i, i)
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
	for name, text := range map[string]string{
		"rightProb.people60.question140.txt": right.String(), "wrongProb.people60.question140.txt": wrong.String(),
		"action2qid.question140.txt": actions.String(), "qid2name.txt": names.String(),
	} {
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), name), []byte(text), 0o644))
	}
}
