package flow

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mapo"
	"mapo/adversary"
	"mapo/dataset"
	"mapo/train"
)

// tiny is a whole run that takes about a second: thresholds with 5 queries and 4
// answers.
func tiny(t testing.TB, levels ...float64) Plan {
	t.Helper()
	p := dataset.Thresholds(5, 4)
	config, err := train.Preset("smoke", p, mapo.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	config.Hidden, config.M, config.L, config.N = []int{8}, 8, 4, 24
	config.Init, config.Regret, config.Pi, config.PiHat = 2, 8, 6, 8
	effort, err := adversary.Efforts("smoke")
	if err != nil {
		t.Fatal(err)
	}
	effort.Starts, effort.Replay, effort.Report, effort.MaxReport = 12, 60, 100, 200
	return Plan{
		Name: "tiny", Title: "A tiny run", Scale: "smoke", Spec: []byte("problem:\n  thresholds: {d: 5}\n"),
		Problem: p, Loss: mapo.BestIdentification, Levels: levels, Seed: 1,
		Train: config, Effort: effort, Rivals: []string{"uniform", "sgbs:0.1", BayesLAL},
		Priors: []mapo.Prior{mapo.Flip(p, .8), mapo.Rows("table", [][]float64{{1, 1, 1, 1, 1}, {.5, 0, -.5, -1, -1}})}, Games: 200,
	}
}

// run carries plan out in dir. stop, where not nil, sees every event and says
// whether to interrupt.
func run(t testing.TB, plan Plan, dir string, cores int, stop func(Event) bool) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	folder, err := Open(ctx, dir, plan.Spec, true)
	if err != nil {
		return err
	}
	defer folder.Close()
	exec := &Local{Store: folder.Store, Priors: plan.Known(), Cores: cores, Every: time.Nanosecond, Events: func(e Event) {
		if err := folder.Log(e); err != nil {
			t.Error(err)
		}
		if stop != nil && stop(e) {
			cancel()
		}
	}}
	f, err := New(ctx, plan, folder.Store, exec)
	if err != nil {
		return err
	}
	res, err := f.Run(ctx)
	if err != nil {
		return err
	}
	return folder.Write(f, res)
}

var lastField = regexp.MustCompile(`(?m),[^,\n]*$`)

// kept is what must be the same bytes: policies, and results.csv but for seconds.
func kept(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "policies", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, filepath.Join(dir, "results.csv")) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".csv") {
			data = lastField.ReplaceAll(data, nil)
		}
		out[filepath.Base(path)] = string(data)
	}
	return out
}

// same fails where two runs left different bytes.
func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
}

func TestSameBytes(t *testing.T) {
	plan := tiny(t, 8, 32)
	alone := t.TempDir()
	if err := run(t, plan, alone, 1, nil); err != nil {
		t.Fatal(err)
	}
	want := kept(t, alone)
	for _, name := range []string{"mapo.safetensors", "pi-1.safetensors", "pi-2.safetensors", "bayes-lal.safetensors", "results.csv"} {
		if want[name] == "" {
			t.Errorf("the run left no %s", name)
		}
	}
	t.Run("workers", func(t *testing.T) {
		dir := t.TempDir()
		if err := run(t, plan, dir, 3, nil); err != nil {
			t.Fatal(err)
		}
		same(t, "3 workers", kept(t, dir), want)
	})
	t.Run("interrupted", func(t *testing.T) {
		dir, stops := t.TempDir(), 0
		for every := 7; ; every += 6 {
			seen := 0
			err := run(t, plan, dir, 2, func(Event) bool { seen++; return seen == every })
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			stops++
		}
		if stops < 5 {
			t.Errorf("only %d interruptions", stops)
		}
		same(t, "interrupted", kept(t, dir), want)
	})
	t.Run("finished", func(t *testing.T) {
		before, err := os.ReadFile(filepath.Join(alone, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		if err := run(t, plan, alone, 2, func(e Event) bool {
			if e.Kind != Found {
				t.Errorf("a finished run goes on: %v", e)
			}
			return false
		}); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(filepath.Join(alone, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Error("report.html differs")
		}
		same(t, "finished", kept(t, alone), want)
	})
}
