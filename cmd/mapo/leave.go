package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
)

// grace is how long a command that is asked to stop may take to end by itself, where nothing that it does is lost otherwise.
const grace = 1500 * time.Millisecond

// orderly annotates commands that end in an order of their own, with a checkpoint for instance, once their work has begun.
const orderly = "orderly"

// inOrder marks a command as orderly.
func inOrder(c *cobra.Command) *cobra.Command {
	c.Annotations = map[string]string{orderly: ""}
	return c
}

// leaver decides when a command that was asked to stop is left as it is, as some computations look at no context.
type leaver struct {
	free  bool         // the command holds nothing that a sudden end would lose
	loose atomic.Int32 // phases under way of an orderly command that hold nothing either
}

type leaverKey struct{}

// loosely marks what the command of ctx does until the function that it returns is called as a phase that holds nothing yet.
func loosely(ctx context.Context) (end func()) {
	l, ok := ctx.Value(leaverKey{}).(*leaver)
	if !ok {
		return func() {}
	}
	l.loose.Add(1)
	return func() { l.loose.Add(-1) }
}

// run calls work, which may not look at its context. It returns without waiting for it once ctx was done for longer than after while
// nothing is held.
func (l *leaver) run(ctx context.Context, after time.Duration, work func(ctx context.Context) error) error {
	ended := make(chan error, 1)
	go func() { ended <- work(context.WithValue(ctx, leaverKey{}, l)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	for wait := after; ; wait = after / 10 {
		select {
		case err := <-ended:
			return err
		case <-time.After(wait):
		}
		if l.loose.Load() > 0 {
			return &interrupted{nothing}
		}
		if l.free {
			return &interrupted{"nothing was kept"}
		}
	}
}
