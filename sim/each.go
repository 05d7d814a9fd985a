package sim

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each runs n blocks of work on some workers (0: as many as the machine runs
// at once) and merges their results in the order of the blocks, so that sums
// do not depend on the number of workers. newWorker makes one worker's scratch;
// work does block i on it; merge, never called concurrently and always for
// block 0, 1, 2 …, folds what work left there into the whole. Each returns when
// all is merged, or ctx's error: then some blocks were not done and the sums
// are of no use.
func Each[W any](ctx context.Context, n, workers int, newWorker func() W, work, merge func(w W, block int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	if workers <= 1 {
		return alone(ctx, n, newWorker, work, merge)
	}
	var (
		next atomic.Int64
		turn int
		mu   sync.Mutex
		wg   sync.WaitGroup
	)
	moved := sync.NewCond(&mu)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := newWorker()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				// A cancelled block still takes its turn, or its successors would wait.
				if ctx.Err() == nil {
					work(w, i)
				}
				mu.Lock()
				for turn != i {
					moved.Wait()
				}
				mu.Unlock()
				if ctx.Err() == nil {
					merge(w, i)
				}
				mu.Lock()
				turn++
				moved.Broadcast()
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return ctx.Err()
}

func alone[W any](ctx context.Context, n int, newWorker func() W, work, merge func(w W, block int)) error {
	w := newWorker()
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		work(w, i)
		merge(w, i)
	}
	return ctx.Err()
}
