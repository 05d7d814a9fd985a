package plan

import (
	"fmt"
	"testing"

	"mapo/run"
	"mapo/spec"
	"mapo/train"
)

// TestSettle: trainings are as train.Config.Settle has them for a spec's policy and levels, unless the spec says
// otherwise, and the paper's algorithm as it is printed.
func TestSettle(t *testing.T) {
	training := func(format string, parts ...any) (run.Plan, train.Config) {
		t.Helper()
		s, err := spec.Parse("spec.yaml", fmt.Appendf(nil, format, parts...), spec.Override{Truth: spec.Majority})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := PlanOf(t.Context(), s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return plan, plan.Train
	}
	type want struct {
		pi        int
		optimizer string
		entropy   float64
		oracle    string // its settings; "": Algorithm 2
		start     string // of a structured policy; "": an MLP
	}
	oracle := func(add, thorough int, magnet, soften float64, below bool) string {
		return fmt.Sprintf("add %d, thorough %d, magnet %g, soften %g, below %t", add, thorough, magnet, soften, below)
	}
	for _, c := range []struct {
		loss, levels, train string
		want                want
	}{
		{"best-identification", "[16]", "{preset: desk}", want{8000, "soap", .03, oracle(48, 8, .3, 1, false), "rivals"}},
		{"best-identification", "[16, 32]", "{preset: desk}", want{4000, "soap", .03, oracle(48, 5, .3, 1, false), "rivals"}},
		{"best-identification", "[16, 32]", "{preset: desk, optimizer: adam, oracle: {magnet: 0}}", want{4000, "adam", .03, oracle(48, 5, 0, 1, false), "rivals"}},
		{"best-identification", "[16, 32]", "{preset: desk, mlp: {}}", want{4000, "adam", .01, oracle(8, 5, 0, 1, false), ""}},
		{"best-identification", "[16, 32]", "{preset: smoke}", want{120, "adam", .02, oracle(8, 0, 0, 1, false), "rivals"}},
		{"best-identification", "[16]", "{preset: desk, oracle: {add: 5}}", want{8000, "soap", .03, oracle(5, 8, .3, 1, false), "rivals"}},
		{"best-identification", "[16]", "{preset: desk, pi: 7, oracle: {thorough: 0}}", want{7, "soap", .03, oracle(48, 0, .3, 1, false), "rivals"}},
		{"best-identification", "[16]", "{preset: desk, mlp: {}}", want{8000, "adam", .01, oracle(48, 8, 0, 1, false), ""}},
		{"best-identification", "[16]", "{preset: smoke}", want{120, "adam", .02, oracle(48, 0, 0, 1, false), "rivals"}},
		{"simple-regret", "[16]", "{preset: desk}", want{8000, "soap", .02, oracle(8, 3, .3, .8, true), "unasked"}},
		{"simple-regret", "[16, 32]", "{preset: desk}", want{4000, "adam", .02, oracle(8, 3, 0, 1, false), "uniform"}},
		{"simple-regret", "[16]", "{preset: desk, optimizer: adam}", want{8000, "adam", .02, oracle(8, 3, .3, .8, true), "unasked"}},
		{"simple-regret", "[16]", "{preset: desk, mlp: {}}", want{8000, "adam", .02, oracle(8, 3, 0, .8, true), ""}},
		{"simple-regret", "[16]", "{preset: desk, paper: {}, mlp: {}}", want{4000, "adam", .02, "", ""}},
		{"simple-regret", "[16]", "{preset: smoke}", want{120, "soap", .02, oracle(8, 0, 0, 1, true), "uniform"}},
		{"simple-regret", "[16]", "{preset: paper}", want{200000, "adam", .3, "", ""}},
	} {
		_, got := training("problem: {thresholds: {d: 5}}\nbudget: 6\nloss: %s\nlevels: %s\ntrain: %s\n", c.loss, c.levels, c.train)
		has := want{pi: got.Pi, optimizer: got.Optimizer, entropy: got.LambdaPolFine}
		if o := got.Oracle; o != nil {
			has.oracle = oracle(o.Add, o.Thorough, o.Magnet, o.Soften, o.Below)
		}
		if got.Structured != nil {
			has.start = got.Structured.Start
		}
		if has != c.want {
			t.Errorf("%s, %s, %s: %+v, want %+v", c.loss, c.levels, c.train, has, c.want)
		}
	}
	plan, got := training("problem: {thresholds: {d: 100}}\nbudget: 1\nloss: best-identification\ntrain: {preset: desk}\n")
	if len(plan.Levels) != 1 || got.Oracle.Add != 48 {
		t.Errorf("where levels %v are chosen searches add %d, want 48 at one", plan.Levels, got.Oracle.Add)
	}
}
