package flow

import (
	"errors"
	"strings"
	"testing"

	"mapo/flow/flowtest"
	"mapo/store"
)

// TestNext carries a plan out by its tasks alone, from the plan in the store and
// without its priors: every job is done once, and the bytes are those of a run in one
// process.
func TestNext(t *testing.T) {
	plan, ctx := tiny(t, 8, 32), t.Context()
	whole := t.TempDir()
	if err := run(t, plan, whole, 2, nil); err != nil {
		t.Fatal(err)
	}
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key, err := KeepPlan(ctx, s, plan)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadPlan(ctx, s, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Assemble(ctx, plan, s); err == nil || !strings.Contains(err.Error(), "start it again") {
		t.Errorf("Assemble of nothing: %v", err)
	}
	l, done := &Local{Store: s}, map[store.Key]bool{}
	for {
		tasks, err := Next(ctx, loaded, s)
		if err != nil {
			t.Fatal(err)
		}
		if len(tasks) == 0 {
			break
		}
		for _, task := range tasks {
			if done[task.Key] {
				t.Fatalf("%v is to be done again", task)
			}
			done[task.Key] = true
			if err := l.Do(ctx, task, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	f, res, err := Assemble(ctx, plan, s)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	folder, err := Open(ctx, dir, plan.Spec, false, s)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := folder.Write(f, res); err != nil {
		t.Fatal(err)
	}
	flowtest.Same(t, "by tasks", flowtest.Left(t, dir), flowtest.Left(t, whole))
}

func TestDoRefuses(t *testing.T) {
	plan, ctx := tiny(t, 8), t.Context()
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := Next(ctx, plan, s)
	if err != nil || len(tasks) == 0 {
		t.Fatal(tasks, err)
	}
	l := &Local{Store: s}
	for _, c := range []struct {
		task Task
		want string
	}{
		{Task{Step: "judge", Key: tasks[0].Key}, "is a " + stepTrain + ", not a judge"},
		{Task{Step: "train", Key: store.KeyOf(stepTrain, nil)}, "there is no job"},
	} {
		if err := l.Do(ctx, c.task, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.task, err, c.want)
		}
	}
	other := store.KeyOf(stepTrain, []byte(`{}`), "kernel=other")
	if err := keepInput(ctx, s, stepTrain, other, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := l.Do(ctx, Task{Step: stepTrain, Key: other}, nil); err == nil || !strings.Contains(err.Error(), "another kernel or architecture") {
		t.Errorf("a job of another kernel: %v", err)
	}
	if _, err := LoadPlan(ctx, s, other); err == nil || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("LoadPlan of nothing: %v", err)
	}
}
