package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"mapo/flow"
	"mapo/store"
)

// stopTime is how long a worker that is told to stop waits for its jobs' checkpoints.
const stopTime = time.Minute

// Worker does jobs.
type Worker struct {
	Local *flow.Local // with the store; its cores are shared by the jobs under way
	Queue string      // the store's
	Slots Slots       // of the classes served besides planning
	cache cache
}

// Slots is how many jobs a worker does at once, by class.
type Slots map[string]int

// NewWorker is a worker on the store of l, whose identity is m. It lets l do as many jobs at once as there are slots.
func NewWorker(l *flow.Local, m Identity, slots Slots) *Worker {
	l.Jobs = 0
	for _, n := range slots {
		l.Jobs += n
	}
	return &Worker{Local: l, Queue: m.queue(), Slots: slots, cache: cache{Store: l.Store}}
}

// ParseSlots reads slots as a user writes them: a number for every class, or CLASS=NUMBER,… for those to serve.
func ParseSlots(text string) (Slots, error) {
	known := []string{flow.ClassTrain, flow.ClassJudge}
	slots := Slots{}
	for part := range strings.SplitSeq(text, ",") {
		class, number, single := strings.Cut(part, "=")
		classes := []string{class}
		if !single {
			classes, number = known, part
		}
		n, err := strconv.Atoi(number)
		told := func(c string) bool { return slots[c] != 0 }
		if err != nil || n < 1 || !slices.Contains(known, classes[0]) || slices.ContainsFunc(classes, told) {
			return nil, fmt.Errorf("slots are %q, want a number such as 2, or %s=1,%s=4", text, known[0], known[1])
		}
		for _, c := range classes {
			slots[c] = n
		}
	}
	return slots, nil
}

// Classes are those served, sorted.
func (s Slots) Classes() []string { return slices.Sorted(maps.Keys(s)) }

// registry is what a worker's parts are told to: a worker.Worker, or the SDK's test environment.
type registry interface {
	RegisterWorkflowWithOptions(w any, o workflow.RegisterOptions)
	RegisterActivityWithOptions(a any, o activity.RegisterOptions)
}

func (w *Worker) register(r registry) {
	r.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: runName})
	r.RegisterActivityWithOptions(w.next, activity.RegisterOptions{Name: nextName})
	r.RegisterActivityWithOptions(w.job, activity.RegisterOptions{Name: jobName})
}

// Serve does jobs until ctx ends, then waits for their checkpoints.
func (w *Worker) Serve(ctx context.Context, c client.Client) (err error) {
	fatal := make(chan error, 1+len(w.Slots))
	for _, class := range append(w.Slots.Classes(), classPlan) {
		o := worker.Options{
			MaxHeartbeatThrottleInterval: 2 * time.Second, // so that watchers see, and cancelled jobs hear, soon
			WorkerStopTimeout:            stopTime,
			DisableWorkflowWorker:        class != classPlan,
			OnFatalError:                 func(err error) { fatal <- err },
		}
		if class != classPlan {
			o.MaxConcurrentActivityExecutionSize = w.Slots[class]
		}
		part := worker.New(c, queueOf(w.Queue, class), o)
		if class == classPlan {
			w.register(part)
		} else {
			part.RegisterActivityWithOptions(w.job, activity.RegisterOptions{Name: jobName})
		}
		if err := part.Start(); err != nil {
			return fmt.Errorf("cluster: start: %w", err)
		}
		defer part.Stop()
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-fatal:
		return fmt.Errorf("cluster: %w", err)
	}
}

// next is the activity that finds out what can be done; fresh where no result is to be taken from memory.
func (w *Worker) next(ctx context.Context, key store.Key, fresh bool) ([]flow.Task, error) {
	if fresh {
		w.cache.forget()
	}
	ctx, done := alive(ctx, &pulse{})
	defer done()
	plan, err := flow.LoadPlan(ctx, &w.cache, key)
	if err != nil {
		return nil, verdict(ctx, err)
	}
	tasks, err := flow.Next(ctx, plan, &w.cache)
	return tasks, verdict(ctx, err)
}

// job is the activity that does one job.
func (w *Worker) job(ctx context.Context, t flow.Task) error {
	p := &pulse{progress: Progress{Worst: flow.Reading(math.NaN())}}
	ctx, done := alive(ctx, p)
	defer done()
	err := w.Local.Do(ctx, t, func(e flow.Event) {
		p.set(e)
		p.beat(ctx)
		if e.Kind != flow.Progress && w.Local.Events != nil {
			w.Local.Events(e)
		}
	})
	if missing(err) && activity.GetInfo(ctx).Attempt >= lostAfter {
		return temporal.NewNonRetryableApplicationError(err.Error(), lostType, err)
	}
	return verdict(ctx, err)
}

// lostAfter is the attempt from which on what is missing counts as lost, not as late: some seconds after the first.
const lostAfter = 4

// missing reports whether err is that something is not in the store, or not sound.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrCorrupt)
}

// errStopping is the cause of a job's end where its worker stops.
var errStopping = errors.New("the worker stops")

// pulse is the progress last told.
type pulse struct {
	mu       sync.Mutex
	progress Progress
}

func (p *pulse) set(e flow.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = p.progress.after(e)
}

// beat is a heartbeat. The SDK sends no more of them than are needed.
func (p *pulse) beat(ctx context.Context) {
	p.mu.Lock()
	now := p.progress
	p.mu.Unlock()
	activity.RecordHeartbeat(ctx, now)
}

// alive sends heartbeats until done is called, be the job silent for long, and ends the context it returns where the
// worker is told to stop.
func alive(ctx context.Context, p *pulse) (_ context.Context, done func()) {
	every := max(activity.GetInfo(ctx).HeartbeatTimeout/6, 50*time.Millisecond)
	stop := activity.GetWorkerStopChannel(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-stop:
				cancel(errStopping)
				return
			case <-tick.C:
				p.beat(ctx)
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		wg.Wait()
	}
}

// verdict says whether a job that failed is tried again: where its worker stops or the store is at fault it is, where
// the job itself is it would only fail again.
func verdict(ctx context.Context, err error) error {
	var fault *store.Fault
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errStopping):
		return temporal.NewApplicationError(errStopping.Error(), "stopping")
	case ctx.Err() != nil:
		return ctx.Err() // cancelled, or the server has given the job to another
	case errors.As(err, &fault), missing(err):
		return temporal.NewApplicationErrorWithCause(err.Error(), "store", err)
	}
	return temporal.NewNonRetryableApplicationError(err.Error(), "job", err)
}

// cache keeps results in memory: each look at what is next reads all there are, and what is under a content key does not
// change.
type cache struct {
	store.Store
	mu   sync.Mutex
	have map[string][]byte
	size int
}

const cacheSize = 256 << 20

// forget empties the cache.
func (c *cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.have, c.size = nil, 0
}

// Get implements store.Store.
func (c *cache) Get(ctx context.Context, name string) ([]byte, error) {
	c.mu.Lock()
	data, ok := c.have[name]
	c.mu.Unlock()
	if ok {
		return data, nil
	}
	data, err := c.Store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.have == nil || c.size+len(data) > cacheSize {
		c.have, c.size = map[string][]byte{}, 0
	}
	c.have[name] = data
	c.size += len(data)
	return data, nil
}
