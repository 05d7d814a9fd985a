package sim

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each runs one loop of a [Crew] that is then discarded.
func Each[W any](ctx context.Context, n, workers int, newWorker func() W, work, merge func(w W, block int)) error {
	c := Crew[W]{New: newWorker, Work: work, Merge: merge}
	return c.Each(ctx, n, workers)
}

// Crew is some workers and what they do. It keeps their scratch from one loop to
// the next, and a loop allocates nothing once there are enough of them.
type Crew[W any] struct {
	New   func() W             // makes one worker's scratch
	Work  func(w W, block int) // does a block on it
	Merge func(w W, block int) // folds what Work left there into the whole

	scratch []W
	start   []func() // one worker's part of a loop each
	loop
}

// loop is one under way.
type loop struct {
	ctx  context.Context
	n    int
	next atomic.Int64 // the next block to be handed out
	mu   sync.Mutex
	cond *sync.Cond
	turn int // the next block to be merged, under mu
	done sync.WaitGroup
}

// Each does n blocks on some workers (0: as many as the machine runs at once)
// and merges their results in the order of the blocks. So sums do not
// depend on the number of workers. Merge is never called concurrently and always
// for block 0, 1, 2 …. A worker takes the next block as soon as its last one is
// merged. Each returns when all are, or ctx's error: then some blocks were not
// done and the sums are of no use; none that ctx's end may have found at work is
// merged. It must not be called concurrently.
func (c *Crew[W]) Each(ctx context.Context, n, workers int) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	for len(c.scratch) < workers {
		w := c.New()
		c.scratch = append(c.scratch, w)
		c.start = append(c.start, func() {
			defer c.done.Done()
			c.work(w)
		})
	}
	if workers <= 1 {
		return c.alone(ctx, n)
	}
	if c.cond == nil {
		c.cond = sync.NewCond(&c.mu)
	}
	c.ctx, c.n, c.turn = ctx, n, 0
	c.next.Store(0)
	c.done.Add(workers)
	for _, start := range c.start[:workers] {
		go start()
	}
	c.done.Wait()
	c.ctx = nil
	return ctx.Err()
}

// work takes blocks until there are none left.
func (c *Crew[W]) work(w W) {
	for {
		i := int(c.next.Add(1)) - 1
		if i >= c.n {
			return
		}
		// A cancelled block still takes its turn, or its successors would wait.
		if c.ctx.Err() == nil {
			c.Work(w, i)
		}
		c.mu.Lock()
		for c.turn != i {
			c.cond.Wait()
		}
		c.mu.Unlock()
		if c.ctx.Err() == nil {
			c.Merge(w, i)
		}
		c.mu.Lock()
		c.turn++
		c.cond.Broadcast()
		c.mu.Unlock()
	}
}

func (c *Crew[W]) alone(ctx context.Context, n int) error {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.Work(c.scratch[0], i)
		if ctx.Err() == nil { // else Work may have given up
			c.Merge(c.scratch[0], i)
		}
	}
	return ctx.Err()
}
