package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/run/store"
)

// TestNext carries a plan out by its tasks alone, from the plan in the store and
// without its priors: the bytes are those of a run in one process.
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
	if _, _, err := Assemble(ctx, plan, s); err == nil || !strings.Contains(err.Error(), "start the run again") {
		t.Errorf("Assemble of nothing: %v", err)
	}
	byTasks(t, loaded, s)
	_, res, err := Assemble(ctx, plan, s)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	leave(t, dir, res)
	runtest.Same(t, "by tasks", runtest.Left(t, dir), runtest.Left(t, whole))
}

// byTasks carries out one job after the other, and looks for what is next after each. The planner, which is asked each
// time, reads every result once and writes every input once; it answers what a new one does.
func byTasks(t *testing.T, plan Plan, s store.Store) {
	t.Helper()
	ctx := t.Context()
	count := &counted{Store: s, reads: map[string]int{}, writes: map[string]int{}}
	p, err := NewPlanner(ctx, plan, count)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	l, done := &job.Local{Store: s, Steps: Steps()}, map[store.Key]bool{}
	for {
		tasks, err := p.Next(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(done)%4 == 0 || len(tasks) == 0 {
			if again, err := Next(ctx, plan, s); err != nil || !slices.Equal(again, tasks) {
				t.Fatalf("a new planner: %v, %v, want %v", again, err, tasks)
			}
		}
		if len(tasks) == 0 {
			break
		}
		task := tasks[0]
		if done[task.Key] {
			t.Fatalf("%v is to be done again", task)
		}
		done[task.Key] = true
		if rest, err := p.Next(ctx, func(key store.Key) bool { return key == task.Key }); err != nil || !slices.Equal(rest, tasks[1:]) {
			t.Fatalf("with one under way: %v, %v, want %v", rest, err, tasks[1:])
		}
		if err := l.Do(ctx, task, nil); err != nil {
			t.Fatal(err)
		}
	}
	for key := range done {
		if n := count.reads[job.Artifact(key)]; n != 1 {
			t.Errorf("the result of %s was read %d times", key, n)
		}
		if n := count.writes["inputs/"+string(key)]; n > 1 {
			t.Errorf("the input of %s was written %d times", key, n)
		}
	}
}

// counted counts how often each object is read, where it is there, and written.
type counted struct {
	store.Store
	mu            sync.Mutex
	reads, writes map[string]int
}

func (c *counted) Get(ctx context.Context, name string) ([]byte, error) {
	data, err := c.Store.Get(ctx, name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.reads[name]++
	}
	return data, err
}

func (c *counted) Put(ctx context.Context, name string, data []byte) error {
	c.mu.Lock()
	c.writes[name]++
	c.mu.Unlock()
	return c.Store.Put(ctx, name, data)
}

// TestPlannerFault: a fault of the store ends the planning with its words; a new planner goes on.
func TestPlannerFault(t *testing.T) {
	plan, ctx := tiny(t, 8, 32), t.Context()
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fault := errors.New("the store is away")
	_, err = Next(ctx, plan, failing{s, fault})
	if !errors.Is(err, fault) {
		t.Errorf("%v, want %v", err, fault)
	}
	if tasks, err := Next(ctx, plan, s); err != nil || len(tasks) == 0 {
		t.Errorf("after the fault: %v, %v", tasks, err)
	}
}

// failing is a store whose results cannot be read.
type failing struct {
	store.Store
	err error
}

func (f failing) Get(ctx context.Context, name string) ([]byte, error) {
	if strings.HasPrefix(name, "artifacts/") {
		return nil, f.err
	}
	return f.Store.Get(ctx, name)
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
	l := &job.Local{Store: s, Steps: Steps()}
	for _, c := range []struct {
		task job.Task
		want string
	}{
		{job.Task{Step: "judge", Key: tasks[0].Key}, "is a " + stepTrain + ", not a judge"},
		{job.Task{Step: "train", Key: store.KeyOf(stepTrain, nil)}, "there is no job"},
	} {
		if err := l.Do(ctx, c.task, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.task, err, c.want)
		}
	}
	other := store.KeyOf(stepTrain, []byte(`{}`), "kernel=other")
	if err := s.Put(ctx, "inputs/"+string(other), []byte(`{"Step":"`+stepTrain+`","Input":{}}`)); err != nil {
		t.Fatal(err)
	}
	if err := l.Do(ctx, job.Task{Step: stepTrain, Key: other}, nil); err == nil || !strings.Contains(err.Error(), "another kernel or architecture") {
		t.Errorf("a job of another kernel: %v", err)
	}
	if _, err := LoadPlan(ctx, s, other); err == nil || errors.Is(err, store.ErrCorrupt) {
		t.Errorf("LoadPlan of nothing: %v", err)
	}
}
