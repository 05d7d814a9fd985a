package flow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"mapo/store"
)

// Planner finds out what can be done next of a plan whose jobs are carried out elsewhere. It keeps the run under way
// between two questions: each result is read and each input made once, however often it is asked. What it answers
// depends on the results alone, so another Planner of the same plan and store goes on where this one ends.
type Planner struct {
	store store.Store
	flow  *Flow
	stop  context.CancelFunc
	crew  crew

	mu     sync.Mutex
	wanted map[store.Key]*wanted // results that are not there yet
	result *Result               // of the finished run
	err    error                 // the first fault; the Planner is of no use after it
}

// NewPlanner starts planning: the game and the priors are put into s, where jobs look for them. The caller calls Close.
func NewPlanner(ctx context.Context, plan Plan, s store.Store) (*Planner, error) {
	if err := keepPriors(ctx, s, plan); err != nil {
		return nil, err
	}
	p := &Planner{store: s, crew: crew{idle: make(chan struct{})}, wanted: map[store.Key]*wanted{}}
	var err error
	if p.flow, err = New(ctx, plan, s, p); err != nil {
		return nil, err
	}
	p.flow.crew = &p.crew
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.crew.add(1)
	go func() {
		defer p.crew.add(-1)
		res, err := p.flow.Run(ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.result = res; p.err == nil {
			p.err = err
		}
	}()
	return p, nil
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
		return cmp.Or(cmp.Compare(rank(a.Step), rank(b.Step)), cmp.Compare(a.For, b.For), cmp.Compare(a.Key, b.Key))
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
		data, err := p.store.Get(ctx, artifact(w.task.Key))
		switch {
		case lacking(err):
		case err != nil:
			return err
		default:
			p.hand(w, data)
		}
	}
	return nil
}

// lacking reports whether err says that a sound object is missing.
func lacking(err error) bool {
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
	w, err := p.want(ctx, step, key, input)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.err == nil {
			p.err = err
		}
		return found{err: err}
	}
	return w
}

func (p *Planner) want(ctx context.Context, step string, key store.Key, input []byte) (Future, error) {
	data, err := p.store.Get(ctx, artifact(key))
	if err == nil {
		return found{data: data}, nil
	}
	if !lacking(err) {
		return nil, err
	}
	var head Header
	if err := json.Unmarshal(input, &head); err != nil {
		return nil, fmt.Errorf("flow: input of %s: %w", step, err)
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
	return w, nil
}

// found is the future of a result that was there.
type found struct {
	data []byte
	err  error
}

func (f found) Get(context.Context) ([]byte, error) { return f.data, f.err }

// wanted is the future of a result that was missing.
type wanted struct {
	planner *Planner
	task    Task
	waiting int           // calls of Get that wait; under the planner's lock
	come    chan struct{} // closed once data is there
	data    []byte
}

// Get implements Future. While it waits, its goroutine does not count among those at work.
func (w *wanted) Get(ctx context.Context) ([]byte, error) {
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

// crew counts the goroutines of a run that are at work and do not wait for a result. Where it is nil, no one counts.
type crew struct {
	mu   sync.Mutex
	busy int
	idle chan struct{} // closed while busy is 0, after it was more
}

func (c *crew) add(n int) {
	if c == nil || n == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy == 0 {
		c.idle = make(chan struct{})
	}
	if c.busy += n; c.busy == 0 {
		close(c.idle)
	}
}

// rest returns a channel that is closed when all wait or have ended.
func (c *crew) rest() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.idle
}

// each calls do(0), …, do(n−1) at once and returns the first error, having cancelled and waited for the others. The
// last to end leaves its place in the crew to the caller, so that the crew is never taken for idle in between.
func (f *Flow) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	left := n
	f.crew.add(max(0, n-1))
	for i := range n {
		wg.Go(func() {
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if left--; left > 0 {
				f.crew.add(-1)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
