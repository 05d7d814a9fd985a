package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"mapo/run/store"
)

// Executor carries out jobs, here or elsewhere.
type Executor interface {
	// Submit starts or queues a step on its canonical input. key names the result,
	// which is kept in the executor's store: where it is already, nothing is done.
	Submit(ctx context.Context, step string, key store.Key, input []byte) Future
}

// Future waits for the result of a submitted job: its bytes, the job's error or ctx's end.
type Future func(ctx context.Context) ([]byte, error)

// Ready returns the future of a result that is there, or of an error.
func Ready(data []byte, err error) Future {
	return func(context.Context) ([]byte, error) { return data, err }
}

// Local runs jobs in this process: as many at once as there are cores, or as Jobs
// says, the cores divided among them. Waiting ones are served by step, then in the order they
// came. The zero value but for Store and Steps is ready.
type Local struct {
	Store  store.Store
	Steps  Steps
	Cores  int           // 0: as many as the machine runs at once
	Jobs   int           // at once; 0: as many as cores
	Every  time.Duration // between a job's checkpoints; 0: 10 s
	Events func(Event)   // called one at a time; nil: not called

	mu      sync.Mutex
	freed   sync.Cond // a slot, or the first place in the queue
	tell    sync.Mutex
	running int
	waiting []*int // the ranks of jobs without a slot
}

func (l *Local) cores() int {
	if l.Cores > 0 {
		return l.Cores
	}
	return runtime.GOMAXPROCS(0)
}

// Submit implements Executor. Its future waits for the job even after ctx's end: a job that is told to stop saves a
// checkpoint first, and soon.
func (l *Local) Submit(ctx context.Context, step string, key store.Key, input []byte) Future {
	var data []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		data, err = l.run(ctx, step, key, input, l.Events)
	}()
	return func(context.Context) ([]byte, error) {
		<-done
		return data, err
	}
}

// run carries out one job, or finds its result, and tells of it.
func (l *Local) run(ctx context.Context, step string, key store.Key, input []byte, events func(Event)) ([]byte, error) {
	var head Header
	if err := json.Unmarshal(input, &head); err != nil {
		return nil, fmt.Errorf("job: input of %s: %w", step, err)
	}
	name, _, _ := strings.Cut(step, "/")
	emit := func(e Event) {
		e.Step, e.For = name, head.For
		l.emit(events, e)
	}

	find := func() ([]byte, error) {
		data, err := l.Store.Get(ctx, Artifact(key))
		if err == nil {
			emit(Event{Kind: Found, Seconds: took(ctx, l.Store, key).Seconds()})
		}
		return data, err
	}
	data, err := find()
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, store.ErrCorrupt):
		emit(Event{Kind: Warned, Text: fmt.Sprintf("%v: done again", err)})
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	at := l.Steps.rank(step)
	if at < 0 {
		return nil, fmt.Errorf("job: this executor has no step %s", step)
	}
	if err := l.acquire(ctx, at); err != nil {
		return nil, err
	}
	defer l.release()
	began := time.Now()
	if data, err := find(); err == nil { // another run's, while this one waited
		return data, nil
	}
	j := &Job{
		Step: step, Key: key, Input: input, Store: l.Store, Workers: l.share, Emit: emit,
		Every: cmp.Or(l.Every, 10*time.Second).Seconds(), Began: began,
	}
	emit(Event{Kind: Started})
	if data, err = l.Steps[at].Do(ctx, j); err != nil {
		return nil, err
	}
	// What is done is not lost to a Ctrl-C that comes just now.
	if data, err = l.keep(context.WithoutCancel(ctx), j, data); err != nil {
		return nil, err
	}
	emit(Event{Kind: Finished, Seconds: j.Spent()})
	return data, nil
}

// keep stores a result, its time first, so that no result is without, and returns
// what is stored: another attempt's where that came first, which is the same but
// for a training that the clock has stopped.
func (l *Local) keep(ctx context.Context, j *Job, data []byte) ([]byte, error) {
	took, err := json.Marshal(j.Took())
	if err != nil {
		return nil, err
	}
	if err := l.Store.Put(ctx, timing(j.Key), took); err != nil {
		return nil, err
	}
	if data, err = l.Store.PutNew(ctx, Artifact(j.Key), data); err != nil {
		return nil, err
	}
	return data, store.DropCheckpoints(ctx, l.Store, j.Key)
}

func (l *Local) emit(events func(Event), e Event) {
	if events == nil {
		return
	}
	l.tell.Lock()
	defer l.tell.Unlock()
	events(e)
}

// share returns how many workers a job may use now.
func (l *Local) share() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(1, l.cores()/max(1, min(l.cores(), l.running+len(l.waiting))))
}

// acquire waits for a slot.
func (l *Local) acquire(ctx context.Context, rank int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.freed.L = &l.mu
	own := &rank
	at, _ := slices.BinarySearchFunc(l.waiting, rank+1, func(r *int, next int) int { return cmp.Compare(*r, next) })
	l.waiting = slices.Insert(l.waiting, at, own)
	defer func() {
		at := slices.Index(l.waiting, own)
		l.waiting = slices.Delete(l.waiting, at, at+1)
		l.freed.Broadcast()
	}()
	defer context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.freed.Broadcast()
	})()
	for ctx.Err() == nil && (l.waiting[0] != own || l.running >= cmp.Or(l.Jobs, l.cores())) {
		l.freed.Wait()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.running++
	return nil
}

// release hands the slot to the first in the queue.
func (l *Local) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.freed.Broadcast()
}
