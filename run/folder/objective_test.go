package folder

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/runtest"
)

// The dial turns π̂ alone, the benchmarks' policies stay as they are; the file and
// the report say what was trained for, and an interrupted run ends in the same
// bytes.
func TestObjective(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs")
	}
	plain, dialled := t.TempDir(), t.TempDir()
	plan := tiny(t, 8, 32)
	plan.Rivals = []string{"uniform"}
	if err := carry(t, plan, plain, 2, nil); err != nil {
		t.Fatal(err)
	}
	plan.Average, plan.Weight, plan.Content = game.Noiseless(plan.Problem), .3, "a"
	plan.Priors = append(plan.Priors, plan.Average)
	if err := carry(t, plan, dialled, 2, nil); err != nil {
		t.Fatal(err)
	}
	weights := func(dir, name string) []float32 {
		net, _, err := nn.ReadFile(filepath.Join(dir, "policies", name+".safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return net.Params()
	}
	for name, same := range map[string]bool{"pi-1": true, "pi-2": true, "mapo": false} {
		if slices.Equal(weights(plain, name), weights(dialled, name)) != same {
			t.Errorf("%s: the same weights with the dial: %v, want %v", name, !same, same)
		}
	}
	const words = "0.7 × its largest gap + 0.3 × its mean loss over the prior noiseless"
	for name, want := range map[string]string{"pi-1": "", "mapo": words} {
		_, c, err := nn.ReadFile(filepath.Join(dialled, "policies", name+".safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Trained["objective"]; got != want {
			t.Errorf("%s's file says it was trained for %q, want %q", name, got, want)
		}
	}
	page, err := os.ReadFile(filepath.Join(dialled, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), strings.ReplaceAll(words, "+", "&#43;")) || !strings.Contains(string(page), `id="frontier"`) {
		t.Error("the report does not show the objective")
	}
	again, seen := t.TempDir(), 0
	if err := carry(t, plan, again, 1, func(e job.Event) bool { seen++; return e.For == run.PiHat && e.Kind == job.Saved && seen > 20 }); err == nil {
		t.Fatal("the run was not interrupted")
	}
	if err := carry(t, plan, again, 2, nil); err != nil {
		t.Fatal(err)
	}
	runtest.Same(t, "interrupted", runtest.Left(t, again), runtest.Left(t, dialled))
}

// With one level π_1 is π̂, and so is what it is trained for. The paper's
// algorithm has a dial, too.
func TestObjectiveOneLevel(t *testing.T) {
	for _, algorithm := range []string{"oracle", "paper"} {
		plan := tiny(t, 16)
		plan.Rivals, plan.Priors = nil, nil
		if algorithm == "paper" {
			plan.Train = runtest.Paper(plan.Train)
		}
		plan.Average, plan.Weight = game.Flip(plan.Problem, .7), .2
		dir := t.TempDir()
		if err := carry(t, plan, dir, 2, nil); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"pi-1", "mapo"} {
			_, c, err := nn.ReadFile(filepath.Join(dir, "policies", name+".safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := c.Trained["objective"], "0.8 × its worst case + 0.2 × its mean loss over the prior flip:0.7"; got != want {
				t.Errorf("%s, %s: %q, want %q", algorithm, name, got, want)
			}
		}
	}
}
