package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"mapo/run/store"
)

// Planner finds out what can be done next of a run whose jobs are carried out elsewhere. It keeps the run under way
// between two questions: each result is read and each input made once, however often it is asked. What it answers
// depends on the results alone, so another Planner of the same run and store goes on where this one ends.
type Planner struct {
	store store.Store
	steps Steps
	stop  context.CancelFunc
	crew  Crew

	mu     sync.Mutex
	wanted map[store.Key]*wanted // results that are not there yet
	err    error                 // the first fault; the Planner is of no use after it
}

// NewPlanner returns a planner of jobs whose results are in s, sorted by their place in steps. The caller calls Start.
func NewPlanner(s store.Store, steps Steps) *Planner {
	return &Planner{store: s, steps: steps, crew: Crew{idle: make(chan struct{})}, wanted: map[store.Key]*wanted{}}
}

// Crew returns the goroutines of the run: it does what it does at once by [Crew.Each].
func (p *Planner) Crew() *Crew { return &p.crew }

// Start begins the run, whose executor is p. The caller calls Close.
func (p *Planner) Start(ctx context.Context, run func(context.Context) error) {
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.crew.add(1)
	go func() {
		defer p.crew.add(-1)
		p.fail(run(ctx))
	}()
}

// fail notes the first fault.
func (p *Planner) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = cmp.Or(p.err, err)
}

// Close ends the planning.
func (p *Planner) Close() { p.stop() }

// Next returns the jobs that can be done now, sorted, without those under way, which it does not look for either
// (nil: none is). It returns none where the run is finished or only jobs under way are left. It may not be called
// concurrently. After an error the Planner is of no use.
func (p *Planner) Next(ctx context.Context, underWay func(store.Key) bool) ([]Task, error) {
	if underWay == nil {
		underWay = func(store.Key) bool { return false }
	}
	if err := p.look(ctx, underWay); err != nil {
		return nil, err
	}
	select {
	case <-p.crew.rest():
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var tasks []Task
	for key, w := range p.wanted {
		if !underWay(key) {
			tasks = append(tasks, w.task)
		}
	}
	slices.SortFunc(tasks, func(a, b Task) int {
		return cmp.Or(cmp.Compare(p.steps.rank(a.Step), p.steps.rank(b.Step)), cmp.Compare(a.For, b.For), cmp.Compare(a.Key, b.Key))
	})
	return tasks, p.err
}

// look hands out the results that have come since.
func (p *Planner) look(ctx context.Context, underWay func(store.Key) bool) error {
	p.mu.Lock()
	list := make([]*wanted, 0, len(p.wanted))
	for key, w := range p.wanted {
		if !underWay(key) {
			list = append(list, w)
		}
	}
	p.mu.Unlock()
	for _, w := range list {
		data, err := p.store.Get(ctx, Artifact(w.task.Key))
		switch {
		case Lacking(err):
		case err != nil:
			return err
		default:
			p.hand(w, data)
		}
	}
	return nil
}

// Lacking reports whether err says that a sound object is missing.
func Lacking(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrCorrupt)
}

// hand gives a result to those who wait for it.
func (p *Planner) hand(w *wanted, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.wanted, w.task.Key)
	p.crew.add(w.waiting)
	w.data = data
	close(w.come)
}

// Submit implements Executor: it finds the result, or notes that it is missing and keeps the input.
func (p *Planner) Submit(ctx context.Context, step string, key store.Key, input []byte) Future {
	future, err := p.want(ctx, step, key, input)
	if err != nil {
		p.fail(err)
		return Ready(nil, err)
	}
	return future
}

func (p *Planner) want(ctx context.Context, step string, key store.Key, input []byte) (Future, error) {
	data, err := p.store.Get(ctx, Artifact(key))
	if err == nil {
		return Ready(data, nil), nil
	}
	if !Lacking(err) {
		return nil, err
	}
	var head Header
	if err := json.Unmarshal(input, &head); err != nil {
		return nil, fmt.Errorf("job: input of %s: %w", step, err)
	}
	if err := keepInput(ctx, p.store, step, key, input); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.wanted[key]
	if w == nil {
		w = &wanted{planner: p, task: Task{step, key, head.For}, come: make(chan struct{})}
		p.wanted[key] = w
	}
	return w.get, nil
}

// wanted is the future of a result that was missing.
type wanted struct {
	planner *Planner
	task    Task
	waiting int           // calls of get that wait; under the planner's lock
	come    chan struct{} // closed once data is there
	data    []byte
}

// get returns the data once it is there. While it waits, its goroutine does not count among those at work.
func (w *wanted) get(ctx context.Context) ([]byte, error) {
	p := w.planner
	p.mu.Lock()
	select {
	case <-w.come:
		p.mu.Unlock()
		return w.data, nil
	default:
	}
	w.waiting++
	p.crew.add(-1)
	p.mu.Unlock()
	select {
	case <-w.come:
		return w.data, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.come: // at the same moment: this goroutine counts already
		return w.data, nil
	default:
	}
	w.waiting--
	p.crew.add(1)
	return nil, context.Cause(ctx)
}
