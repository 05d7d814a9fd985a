package job

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mapo/record"
	"mapo/run/store"
)

func TestLocalSharesCores(t *testing.T) {
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const jobs, cores = 9, 4
	var (
		mu        sync.Mutex
		now, most int
	)
	hold := make(chan struct{})
	steps := Steps{
		{"count/1", func(_ context.Context, j *Job) ([]byte, error) {
			mu.Lock()
			now++
			most = max(most, now)
			if now == cores {
				close(hold) // all slots are taken: let them go
			}
			mu.Unlock()
			<-hold
			if w := j.Workers(); w < 1 || w > cores {
				t.Errorf("%d workers of %d cores", w, cores)
			}
			mu.Lock()
			now--
			mu.Unlock()
			return []byte("{}"), nil
		}},
	}
	l := &Local{Store: s, Steps: steps, Cores: cores}
	var fs []Future
	for i := range jobs {
		input := []byte{'{', '}'}
		fs = append(fs, l.Submit(t.Context(), "count/1", store.KeyOf("count/1", []byte{byte(i)}), input))
	}
	for _, f := range fs {
		if _, err := f(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if most != cores {
		t.Errorf("%d jobs at once, want %d", most, cores)
	}
	if w := l.share(); w != cores {
		t.Errorf("%d workers for a job alone, want %d", w, cores)
	}
}

// TestLocalLooksAgain has another run finish a job that waits here for a slot.
func TestLocalLooksAgain(t *testing.T) {
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	begun, hold := make(chan struct{}), make(chan struct{})
	steps := Steps{
		{"hold/1", func(context.Context, *Job) ([]byte, error) {
			close(begun)
			<-hold
			return []byte("{}"), nil
		}},
		{"once/1", func(context.Context, *Job) ([]byte, error) {
			t.Error("the job is done again")
			return []byte("{}"), nil
		}},
	}
	found := 0
	l := &Local{Store: s, Steps: steps, Cores: 1, Events: func(e Event) {
		if e.Kind == Found {
			found++
		}
	}}
	first := l.Submit(t.Context(), "hold/1", store.KeyOf("hold/1", nil), []byte("{}"))
	<-begun
	key := store.KeyOf("once/1", nil)
	second := l.Submit(t.Context(), "once/1", key, []byte("{}"))
	for waiting := 0; waiting != 1; {
		l.mu.Lock()
		waiting = len(l.waiting)
		l.mu.Unlock()
	}
	if err := s.Put(t.Context(), Artifact(key), []byte("theirs")); err != nil {
		t.Fatal(err)
	}
	close(hold)
	if _, err := first(t.Context()); err != nil {
		t.Fatal(err)
	}
	if data, err := second(t.Context()); err != nil || string(data) != "theirs" || found != 1 {
		t.Errorf("%q, %v, found %d times; want what the other run left, found once", data, err, found)
	}
}

func TestLocalQueue(t *testing.T) {
	l := &Local{Cores: 1}
	if err := l.acquire(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() { gaveUp <- l.acquire(ctx, 1) }()
	order := make(chan int, 3)
	var wg sync.WaitGroup
	for i, rank := range []int{2, 0, 2} {
		for waiting := -1; waiting != i+1; { // one at a time, so that their order is known
			l.mu.Lock()
			waiting = len(l.waiting)
			l.mu.Unlock()
		}
		wg.Go(func() {
			if err := l.acquire(t.Context(), rank); err != nil {
				t.Error(err)
			}
			order <- i
			l.release()
		})
	}
	for waiting := 0; waiting != 4; {
		l.mu.Lock()
		waiting = len(l.waiting)
		l.mu.Unlock()
	}
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled job: %v", err)
	}
	l.release()
	wg.Wait()
	close(order)
	var got []int
	for i := range order {
		got = append(got, i)
	}
	if want := []int{1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v: by step, then in the order they came", got, want)
	}
	if err := l.acquire(t.Context(), 0); err != nil {
		t.Errorf("the slot is still taken: %v", err)
	}
	if err := l.acquire(ctx, 0); err == nil {
		t.Error("there are two slots")
	}
}

// TestUnknownStep: a step that an executor does not have is an error, and not a crash.
func TestUnknownStep(t *testing.T) {
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &Local{Store: s, Steps: Steps{{Name: "one/1"}}}
	_, err = l.Submit(t.Context(), "two/1", store.KeyOf("two/1", nil), []byte("{}"))(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no step two/1") {
		t.Errorf("an unknown step: %v", err)
	}
}

func TestEventWords(t *testing.T) {
	for kind := range Warned + 1 {
		e := Event{Kind: kind, Step: "train", For: record.PiHat, Text: "text"}
		if s := e.String(); !strings.HasPrefix(s, "train mapo: ") || len(s) < 16 {
			t.Errorf("kind %v: %q", kind, s)
		}
	}
	for policy, want := range map[string]string{"pi-1": "worst case", record.PiHat: "worst gap", record.BayesLAL: "mean loss"} {
		if s := (Event{Kind: Progress, Step: "train", For: policy}).String(); !strings.Contains(s, want+" so far") {
			t.Errorf("%q does not speak of a %s", s, want)
		}
	}
}

// TestLocalKeepsWhatEnded: a job that is done as its context ends has its result stored.
func TestLocalKeepsWhatEnded(t *testing.T) {
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &Local{Store: s, Steps: Steps{{"last/1", func(context.Context, *Job) ([]byte, error) {
		cancel()
		return []byte("done"), nil
	}}}}
	key := store.KeyOf("last/1", nil)
	if data, err := l.Submit(ctx, "last/1", key, []byte("{}"))(ctx); err != nil || string(data) != "done" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := s.Get(t.Context(), Artifact(key)); err != nil || string(data) != "done" {
		t.Errorf("the store has %q, %v", data, err)
	}
}

// TestLocalDropsCheckpoints: what a job saved on its way is gone once its result is stored; that of another job stays.
func TestLocalDropsCheckpoints(t *testing.T) {
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key, other := store.KeyOf("long/1", nil), store.KeyOf("other/1", nil)
	if err := store.SaveCheckpoint(t.Context(), s, other, 3, []byte("half")); err != nil {
		t.Fatal(err)
	}
	l := &Local{Store: s, Steps: Steps{{"long/1", func(ctx context.Context, j *Job) ([]byte, error) {
		return []byte("done"), j.SaveCheckpoint(ctx, 5, "half", record.Step{})
	}}}}
	if _, err := l.Submit(t.Context(), "long/1", key, []byte("{}"))(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  store.Key
		want string
	}{{key, ""}, {other, "half"}} {
		if _, data, _, err := store.LoadCheckpoint(t.Context(), s, c.key); err != nil || string(data) != c.want {
			t.Errorf("a checkpoint has %q, want %q (%v)", data, c.want, err)
		}
	}
}

// TestCrewRests: a crew rests once its last goroutine has ended, not while one of those that do the same is at work, and it
// does so again after it was busy.
func TestCrewRests(t *testing.T) {
	var c Crew
	resting := func() bool {
		select {
		case <-c.rest():
			return true
		default:
			return false
		}
	}
	for range 2 {
		c.add(1) // the caller
		var early atomic.Bool
		if err := c.Each(t.Context(), 3, func(context.Context, int) error {
			if resting() {
				early.Store(true)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if early.Load() || resting() {
			t.Errorf("the crew rests while one is at work: %v, while its caller is: %v", early.Load(), resting())
		}
		if c.add(-1); !resting() {
			t.Error("the crew does not rest though all have ended")
		}
	}
}
