package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"mapo/flow"
	"mapo/train"
)

// TestSettle: trainings are as train.Config.Settle has them for a spec's policy and levels, unless the spec says
// otherwise, and the paper's algorithm as it is printed.
func TestSettle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spec.yaml")
	training := func(format string, parts ...any) (flow.Plan, train.Config) {
		t.Helper()
		if err := os.WriteFile(path, fmt.Appendf(nil, format, parts...), 0o666); err != nil {
			t.Fatal(err)
		}
		var command cobra.Command
		command.SetContext(t.Context())
		plan, err := load(&command, path, options{})
		if err != nil {
			t.Fatal(err)
		}
		return plan, plan.Train
	}
	type told struct {
		add, pi   int
		thorough  int
		optimizer string
		magnet    float64
		entropy   float64
		soften    float64
		below     bool
		start     string
	}
	for _, c := range []struct {
		loss, levels, train string
		want                told
	}{
		{"best-identification", "[16]", "{preset: desk}", told{48, 8000, 8, "soap", .3, .03, 1, false, "rivals"}},
		{"best-identification", "[16, 32]", "{preset: desk}", told{48, 4000, 5, "soap", .3, .03, 1, false, "rivals"}},
		{"best-identification", "[16, 32]", "{preset: desk, optimizer: adam, magnet: 0}", told{48, 4000, 5, "adam", 0, .03, 1, false, "rivals"}},
		{"best-identification", "[16, 32]", "{preset: desk, policy: mlp}", told{8, 4000, 5, "adam", 0, .01, 1, false, "rivals"}},
		{"best-identification", "[16, 32]", "{preset: smoke}", told{8, 120, 0, "adam", 0, .02, 1, false, "rivals"}},
		{"best-identification", "[16]", "{preset: desk, add: 5}", told{5, 8000, 8, "soap", .3, .03, 1, false, "rivals"}},
		{"best-identification", "[16]", "{preset: desk, pi: 7, thorough: 0}", told{48, 7, 0, "soap", .3, .03, 1, false, "rivals"}},
		{"best-identification", "[16]", "{preset: desk, policy: mlp}", told{48, 8000, 8, "adam", 0, .01, 1, false, "rivals"}},
		{"best-identification", "[16]", "{preset: smoke}", told{48, 120, 0, "adam", 0, .02, 1, false, "rivals"}},
		{"simple-regret", "[16]", "{preset: desk}", told{8, 8000, 3, "soap", .3, .02, .8, true, "unasked"}},
		{"simple-regret", "[16, 32]", "{preset: desk}", told{8, 4000, 3, "adam", 0, .02, 1, false, "uniform"}},
		{"simple-regret", "[16]", "{preset: desk, optimizer: adam}", told{8, 8000, 3, "adam", .3, .02, .8, true, "unasked"}},
		{"simple-regret", "[16]", "{preset: desk, policy: mlp}", told{8, 8000, 3, "adam", 0, .02, .8, true, "uniform"}},
		{"simple-regret", "[16]", "{preset: desk, algorithm: paper, policy: mlp}", told{8, 4000, 3, "adam", 0, .02, 1, false, "uniform"}},
		{"simple-regret", "[16]", "{preset: smoke}", told{8, 120, 0, "soap", 0, .02, 1, true, "uniform"}},
		{"simple-regret", "[16]", "{preset: paper}", told{8, 200000, 0, "adam", 0, .3, 1, false, "uniform"}},
	} {
		_, got := training("problem: {thresholds: {d: 5}}\nbudget: 6\nloss: %s\nlevels: %s\ntrain: %s\n", c.loss, c.levels, c.train)
		if has := (told{got.Add, got.Pi, got.Thorough, got.Optimizer, got.Magnet, got.LambdaPolFine, got.Soften, got.Below, got.Start}); has != c.want {
			t.Errorf("%s, %s, %s: %+v, want %+v", c.loss, c.levels, c.train, has, c.want)
		}
	}
	plan, got := training("problem: {thresholds: {d: 100}}\nbudget: 1\nloss: best-identification\ntrain: {preset: desk}\n")
	if len(plan.Levels) != 1 || got.Add != 48 {
		t.Errorf("where levels %v are chosen searches add %d, want 48 at one", plan.Levels, got.Add)
	}
}
