package sim

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Worker does blocks of work, with scratch of its own.
type Worker interface {
	// Work does a block. Workers do theirs at the same time.
	Work(block int)
	// Merge adds what Work left to the whole. It is never called concurrently, and always for block 0, 1, 2 ….
	Merge(block int)
}

// Crew is some workers. They keep their scratch from one loop to the next, and a loop allocates
// nothing after the first.
type Crew struct {
	Workers []Worker

	start []func() // each worker's part of a loop
	loop
}

// AtOnce returns how many workers do n blocks at once where so many are asked for; 0: as many as the
// machine runs at once.
func AtOnce(workers, n int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, n)
}

// Each runs one loop of a [Crew] that is then discarded: work does a block, merge folds what it left.
func Each[W any](ctx context.Context, n, workers int, newWorker func() W, work, merge func(w W, block int)) error {
	var c Crew
	for range AtOnce(workers, n) {
		c.Workers = append(c.Workers, &errand[W]{newWorker(), work, merge})
	}
	return c.Each(ctx, n)
}

// errand is a worker of [Each].
type errand[W any] struct {
	w           W
	work, merge func(w W, block int)
}

func (e *errand[W]) Work(block int)  { e.work(e.w, block) }
func (e *errand[W]) Merge(block int) { e.merge(e.w, block) }

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

// Each does n blocks on the workers and merges their results in the order of the blocks. So sums do
// not depend on the number of workers. A worker takes the next block as soon as its last one is
// merged. Each returns when all are, or ctx's error: then some blocks were not
// done and the sums are of no use; none that ctx's end may have found at work is
// merged. It must not be called concurrently.
func (c *Crew) Each(ctx context.Context, n int) error {
	workers := min(len(c.Workers), n)
	if workers <= 1 {
		return c.alone(ctx, n)
	}
	for len(c.start) < workers {
		w := c.Workers[len(c.start)]
		c.start = append(c.start, func() {
			defer c.done.Done()
			c.work(w)
		})
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
func (c *Crew) work(w Worker) {
	for {
		i := int(c.next.Add(1)) - 1
		if i >= c.n {
			return
		}
		// A cancelled block still takes its turn, or its successors would wait.
		if c.ctx.Err() == nil {
			w.Work(i)
		}
		c.mu.Lock()
		for c.turn != i {
			c.cond.Wait()
		}
		c.mu.Unlock()
		if c.ctx.Err() == nil {
			w.Merge(i)
		}
		c.mu.Lock()
		c.turn++
		c.cond.Broadcast()
		c.mu.Unlock()
	}
}

func (c *Crew) alone(ctx context.Context, n int) error {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.Workers[0].Work(i)
		if ctx.Err() == nil { // else Work may have given up
			c.Workers[0].Merge(i)
		}
	}
	return ctx.Err()
}
