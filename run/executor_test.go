package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mapo/run/job"
	"mapo/run/runtest"
)

// TestDamage damages what is stored between an interruption and going on.
func TestDamage(t *testing.T) {
	plan := tiny(t, 16)
	whole := t.TempDir()
	if err := run(t, plan, whole, 1, nil); err != nil {
		t.Fatal(err)
	}
	want := runtest.Left(t, whole)
	for _, c := range []struct{ what, folder string }{
		{"every result", "artifacts"}, {"every checkpoint", "checkpoints"}, {"every time", "timings"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir, seen := t.TempDir(), 0
			err := run(t, plan, dir, 2, func(e job.Event) bool {
				if e.Kind == job.Saved {
					seen++
				}
				return seen == 10
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "checkpoints", c.folder, "*"))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) == 0 && c.folder == "checkpoints" {
				t.Fatal("nothing to damage")
			}
			for _, file := range files {
				if err := os.Truncate(file, 20); err != nil {
					t.Fatal(err)
				}
			}
			warned := 0
			if err := run(t, plan, dir, 1, func(e job.Event) bool {
				if e.Kind == job.Warned {
					warned++
				}
				return false
			}); err != nil {
				t.Fatal(err)
			}
			if c.folder == "checkpoints" && warned == 0 {
				t.Error("no warning was printed")
			}
			runtest.Same(t, c.what, runtest.Left(t, dir), want)
		})
	}
}

func TestFailureStopsTheRun(t *testing.T) {
	fault, steps := errors.New("the disk is full"), Steps()
	at := slices.IndexFunc(steps, func(s job.Step) bool { return s.Name == stepJudge })
	steps[at].Do = func(context.Context, *job.Job) ([]byte, error) { return nil, fault }
	s := folder(t)
	f, err := New(t.Context(), tiny(t, 8, 32), s, &job.Local{Store: s, Steps: steps, Cores: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Run(t.Context()); !errors.Is(err, fault) {
		t.Errorf("got %v, want the first job's error", err)
	}
}
