package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mapo/adversary/search"
	"mapo/game"
	"mapo/policy/rival"
	"mapo/record"
	"mapo/rng"
	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/run/store"
)

// judged are a judging of uniform and its replay on the store in dir, a checkpoint
// kept after every block: what they found and the events but for times, each handed
// to see with how many there were of its kind and step.
func judged(t *testing.T, dir string, see func(e job.Event, n int)) ([]record.Worst, []job.Event) {
	t.Helper()
	s, err := store.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var events []job.Event
	exec := &job.Local{Store: s, Steps: Steps(), Cores: 2, Every: time.Nanosecond, Events: func(e job.Event) {
		e.Seconds = 0
		events = append(events, e)
		if see != nil {
			see(e, count(events, e.Kind, e.Step))
		}
	}}
	f, err := New(t.Context(), tiny(t, 8, 32), s, exec)
	if err != nil {
		t.Fatal(err)
	}
	p := &Policy{Name: "uniform", Ref: Ref{Rival: "uniform"}}
	if err := f.judge(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.replay(t.Context(), p, [][]float64{{.9, .2, .1, -.1, -.9}, {.5, .5, -.1, -.5, -.9}, {.3, .9, .9, -.9, -.1}}); err != nil {
		t.Fatal(err)
	}
	if left, err := s.List(t.Context(), "checkpoints/"); err != nil || len(left) > 0 {
		t.Errorf("checkpoints left: %v, %v", left, err)
	}
	return p.Worst, events
}

func count(events []job.Event, kind job.Kind, step string) (n int) {
	for _, e := range events {
		if e.Kind == kind && e.Step == step {
			n++
		}
	}
	return n
}

// A search that is killed goes on from its last checkpoint: it does the blocks behind
// that, and finds the same.
func TestKilledSearch(t *testing.T) {
	want, whole := judged(t, t.TempDir(), nil)
	for _, step := range []string{"judge", "replay"} {
		blocks := count(whole, job.Saved, step)
		if blocks < 4 {
			t.Fatalf("a %s of %d blocks", step, blocks)
		}
		at := blocks / 2
		dir, killed := t.TempDir(), t.TempDir()
		judged(t, dir, func(e job.Event, n int) {
			if e.Kind == job.Saved && e.Step == step && n == at { // what a kill leaves at this moment
				if err := os.CopyFS(filepath.Join(killed, "store"), os.DirFS(dir)); err != nil {
					t.Error(err)
				}
			}
		})
		for _, c := range []struct {
			why           string
			harm          func(t *testing.T, s store.Store, last string)
			saved, goesOn int
			warning       string
		}{
			{"killed", nil, blocks - at, 1, ""},
			{"the last checkpoint is cut short", func(t *testing.T, _ store.Store, last string) {
				if err := os.Truncate(filepath.Join(killed, "now", last), 20); err != nil {
					t.Fatal(err)
				}
			}, blocks - at + 1, 1, "skipped"},
			{"the last checkpoint is another search's", func(t *testing.T, s store.Store, last string) {
				data, err := json.Marshal(searched{State: []byte("another's")})
				if err == nil {
					err = s.Put(t.Context(), last, data)
				}
				if err != nil {
					t.Fatal(err)
				}
			}, blocks, 0, "starts anew"},
			{"the last checkpoint is none", func(t *testing.T, s store.Store, last string) {
				if err := s.Put(t.Context(), last, []byte("{")); err != nil {
					t.Fatal(err)
				}
			}, blocks, 0, "starts anew"},
		} {
			t.Run(step+": "+c.why, func(t *testing.T) {
				now := filepath.Join(killed, "now")
				if err := errors.Join(os.RemoveAll(now), os.CopyFS(now, os.DirFS(filepath.Join(killed, "store")))); err != nil {
					t.Fatal(err)
				}
				if c.harm != nil {
					s, err := store.Folder(now)
					if err != nil {
						t.Fatal(err)
					}
					names, err := s.List(t.Context(), "checkpoints/")
					if err != nil || len(names) != 2 {
						t.Fatalf("checkpoints %v, %v", names, err)
					}
					c.harm(t, s, names[1])
				}
				got, events := judged(t, now, func(e job.Event, n int) {
					if names, err := filepath.Glob(filepath.Join(now, "checkpoints", "*")); e.Kind == job.Saved && n == 1 && c.goesOn == 0 && e.Step == step && len(names) != 1 {
						t.Errorf("beside its first checkpoint there are %v, %v", names, err)
					}
				})
				if !reflect.DeepEqual(got, want) {
					t.Errorf("found %v, want %v", got, want)
				}
				if n := count(events, job.Saved, step); n != c.saved {
					t.Errorf("%d blocks of %d done, want %d", n, blocks, c.saved)
				}
				if n := count(events, job.Resumed, step); n != c.goesOn {
					t.Errorf("it goes on %d times, want %d", n, c.goesOn)
				}
				warned := slices.ContainsFunc(events, func(e job.Event) bool { return e.Kind == job.Warned && strings.Contains(e.Text, c.warning) })
				if warned != (c.warning != "") {
					t.Errorf("warned is %v: %v", warned, events)
				}
			})
		}
	}
}

// counting counts how often it is asked, and cancels where that is enough.
type counting struct {
	game.Policy
	n      *atomic.Int64
	enough int64
	cancel func()
}

func (c counting) Probs(dst []float32, s game.States) {
	if n := c.n.Add(1); n == c.enough {
		c.cancel()
	}
	c.Policy.Probs(dst, s)
}

// A search that is told to stop saves what it has done, however long the time between
// checkpoints.
func TestStoppedSearch(t *testing.T) {
	parts, s := runtest.Tiny(t), folder(t)
	var asked atomic.Int64
	var events []job.Event
	// search has a process of its own, told to stop when the policy has been asked so often.
	judge := func(key store.Key, enough int64) ([]record.Worst, error) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		policy := counting{rival.Uniform(parts.Problem), &asked, asked.Load() + enough, func() { cancel(errStop) }}
		w := &work{Job: &job.Job{Key: key, Store: s, Every: 3600, Began: time.Now(), Emit: func(e job.Event) { events = append(events, e) }}}
		hunt := &search.Search{
			P: parts.Problem, C: game.RhoTilde(parts.Problem), Policy: policy, Levels: []float64{8, 32},
			Effort: parts.Effort, Key: rng.New(1), Workers: 1,
		}
		return w.search(ctx, hunt, hunt.Run)
	}
	want, err := judge(store.KeyOf("whole", nil), -1)
	if err != nil {
		t.Fatal(err)
	}
	whole := asked.Swap(0)
	key := store.KeyOf("stopped", nil)
	if _, err := judge(key, whole/2); !errors.Is(err, errStop) {
		t.Fatalf("stopped in the middle: %v", err)
	}
	got, err := judge(key, -1)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	var kinds bytes.Buffer
	for _, e := range events {
		kinds.WriteString(e.Kind.String() + " ")
	}
	if kinds.String() != "saved resumed " {
		t.Errorf("it told %s, want that it saved and went on", &kinds)
	}
	// Two searches more by whose first games a state is known, and the block that was given up.
	if n := asked.Load(); n > whole+whole/5 {
		t.Errorf("the policy was asked %d times in two processes, %d in one", n, whole)
	}
}

var errStop = errors.New("stop")

// TestStoppedBeforeACheckpoint: a training that is told to stop just before a checkpoint is due saves it.
func TestStoppedBeforeACheckpoint(t *testing.T) {
	const at = 3
	s, plan := folder(t), tiny(t, 8)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	from := 0
	exec := &job.Local{Store: s, Steps: Steps(), Cores: 1, Every: time.Nanosecond, Events: func(e job.Event) {
		switch {
		case e.Kind == job.Progress && e.Train.Iter == at:
			cancel(errStop)
		case e.Kind == job.Resumed:
			from = e.Train.Iter
		}
	}}
	f, err := New(t.Context(), plan, s, exec)
	if err != nil {
		t.Fatal(err)
	}
	o := objective{name: PiName(1), r: plan.Levels}
	if _, err := f.learn(ctx, o); !errors.Is(err, errStop) {
		t.Fatalf("stopped: %v", err)
	}
	if _, err := f.learn(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if from != at {
		t.Errorf("it goes on at iteration %d, want %d", from, at)
	}
}
