package folder

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mapo/game"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/runtest"
)

// tiny is a whole run that takes about a second.
func tiny(t testing.TB, levels ...float64) run.Plan {
	t.Helper()
	parts := runtest.Tiny(t)
	return run.Plan{
		Name: "tiny", Title: "A tiny run", Scale: "smoke", Spec: []byte("problem:\n  thresholds: {d: 5}\n"),
		Problem: parts.Problem, Loss: game.BestIdentification, Levels: levels, Seed: 1,
		Train: parts.Train, Effort: parts.Effort, Rivals: []string{"uniform", "sgbs:0.1", run.BayesLAL}, Priors: parts.Priors, Games: 200,
	}
}

// run carries plan out in dir. stop, where not nil, sees every event and says
// whether to interrupt.
func carry(t testing.TB, plan run.Plan, dir string, cores int, stop func(job.Event) bool) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	folder, err := Open(ctx, dir, plan.Spec, true, nil)
	if err != nil {
		return err
	}
	defer folder.Close()
	exec := &job.Local{Store: folder.Store, Steps: run.Steps(plan.Known()...), Cores: cores, Every: time.Nanosecond, Events: func(e job.Event) {
		if err := folder.Log(e); err != nil {
			t.Error(err)
		}
		if stop != nil && stop(e) {
			cancel()
		}
	}}
	f, err := run.New(ctx, plan, folder.Store, exec)
	if err != nil {
		return err
	}
	res, err := f.Run(ctx)
	if err != nil {
		return err
	}
	return folder.Write(f, res)
}

// interrupted carries plan out in dir to its end, stopped again and again: at event first, and each time after as many
// events more as more says. It returns how often that was.
func interrupted(t testing.TB, plan run.Plan, dir string, first, more int) (stops int) {
	t.Helper()
	for at := first; ; at += more {
		seen := 0
		err := carry(t, plan, dir, 2, func(job.Event) bool { seen++; return seen == at })
		if err == nil {
			return stops
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stops++
	}
}

// finished carries plan out in dir again, where nothing of it is left to do.
func finished(t testing.TB, plan run.Plan, dir string) {
	t.Helper()
	if err := carry(t, plan, dir, 2, func(e job.Event) bool {
		if e.Kind != job.Found {
			t.Errorf("a finished run goes on: %v", e)
		}
		return false
	}); err != nil {
		t.Fatal(err)
	}
}

// carryOut is run with what it made.
func carryOut(t *testing.T, plan run.Plan, dir string, res **run.Result) *run.Flow {
	t.Helper()
	folder, err := Open(t.Context(), dir, plan.Spec, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	f, err := run.New(t.Context(), plan, folder.Store, &job.Local{Store: folder.Store, Steps: run.Steps(plan.Known()...), Cores: 2})
	if err != nil {
		t.Fatal(err)
	}
	if *res, err = f.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := folder.Write(f, *res); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSameBytes(t *testing.T) {
	plan := tiny(t, 8, 32)
	alone := t.TempDir()
	if err := carry(t, plan, alone, 1, nil); err != nil {
		t.Fatal(err)
	}
	want := runtest.Left(t, alone)
	for _, name := range []string{"mapo.safetensors", "pi-1.safetensors", "pi-2.safetensors", "bayes-lal.safetensors", "results.csv"} {
		if want[name] == "" {
			t.Errorf("the run left no %s", name)
		}
	}
	t.Run("workers", func(t *testing.T) {
		dir := t.TempDir()
		if err := carry(t, plan, dir, 3, nil); err != nil {
			t.Fatal(err)
		}
		runtest.Same(t, "3 workers", runtest.Left(t, dir), want)
	})
	t.Run("interrupted", func(t *testing.T) {
		dir := t.TempDir()
		if stops := interrupted(t, plan, dir, 7, 6); stops < 5 {
			t.Errorf("only %d interruptions", stops)
		}
		runtest.Same(t, "interrupted", runtest.Left(t, dir), want)
	})
	t.Run("finished", func(t *testing.T) {
		before, err := os.ReadFile(filepath.Join(alone, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		finished(t, plan, alone)
		after, err := os.ReadFile(filepath.Join(alone, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Error("report.html differs")
		}
		runtest.Same(t, "finished", runtest.Left(t, alone), want)
	})
}
