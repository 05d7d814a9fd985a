package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mapo/game"
	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/run/store"
)

// tiny is a whole run that takes about a second.
func tiny(t testing.TB, levels ...float64) Plan {
	t.Helper()
	parts := runtest.Tiny(t)
	return Plan{
		Name: "tiny", Title: "A tiny run", Scale: "smoke", Spec: []byte("problem:\n  thresholds: {d: 5}\n"),
		Problem: parts.Problem, Loss: game.BestIdentification, Levels: levels, Seed: 1,
		Train: parts.Train, Effort: parts.Effort, Rivals: []string{"uniform", "sgbs:0.1", BayesLAL}, Priors: parts.Priors, Games: 200,
	}
}

// run carries plan out, its store in dir, and leaves there what [runtest.Left] compares: the policies as they were
// trained, and the numbers. stop, where not nil, sees every event and says whether to interrupt.
func run(t testing.TB, plan Plan, dir string, cores int, stop func(job.Event) bool) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := store.Folder(filepath.Join(dir, "checkpoints"))
	if err != nil {
		return err
	}
	exec := &job.Local{Store: s, Steps: Steps(plan.Known()...), Cores: cores, Every: time.Nanosecond, Events: func(e job.Event) {
		if stop != nil && stop(e) {
			cancel()
		}
	}}
	f, err := New(ctx, plan, s, exec)
	if err != nil {
		return err
	}
	res, err := f.Run(ctx)
	if err != nil {
		return err
	}
	leave(t, dir, res)
	return nil
}

// leave writes the files that a run's results are compared by.
func leave(t testing.TB, dir string, res *Result) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "policies"), 0o777); err != nil {
		t.Fatal(err)
	}
	var numbers bytes.Buffer
	for _, p := range res.Policies {
		fmt.Fprintf(&numbers, "%s %v %v,0\n", p.Name, p.Worst, p.Averages)
		if p.Net == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "policies", p.Name+".safetensors"), p.Net.File, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "results.csv"), numbers.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
