package job

import (
	"context"
	"sync"
)

// Crew counts the goroutines of a run that are at work and do not wait for a result. Where it is nil, no one counts.
type Crew struct {
	mu   sync.Mutex
	busy int
	idle chan struct{} // closed while busy is 0, after it was more
}

func (c *Crew) add(n int) {
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
func (c *Crew) rest() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.idle
}

// Each calls do(0), …, do(n−1) at once and returns the first error, having cancelled and waited for the others. The
// last to end leaves its place in the crew to the caller, so that the crew is never taken for idle in between.
func (c *Crew) Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	left := n
	c.add(max(0, n-1))
	for i := range n {
		wg.Go(func() {
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if left--; left > 0 {
				c.add(-1)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
