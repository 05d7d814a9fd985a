package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestLeave: work that looks at no context is left where it holds nothing: in a command that never does, and in such a phase of one
// that ends in order. Work that ends by itself is waited for where it holds something.
func TestLeave(t *testing.T) {
	deaf := make(chan bool)
	defer close(deaf)
	left := func(l *leaver, loose bool) error {
		ctx, cancel := context.WithCancel(t.Context())
		return l.run(ctx, time.Millisecond, func(ctx context.Context) error {
			if loose {
				defer loosely(ctx)()
			}
			cancel()
			<-deaf
			return nil
		})
	}
	for _, c := range []struct {
		l     *leaver
		loose bool
		want  string
	}{
		{&leaver{free: true}, false, "stopped; nothing was kept"},
		{&leaver{free: true}, true, "stopped; nothing was begun"},
		{&leaver{}, true, "stopped; nothing was begun"},
	} {
		if err := left(c.l, c.loose); !errors.As(err, new(*interrupted)) || err.Error() != c.want {
			t.Errorf("free %v, loose %v: %v, want %s", c.l.free, c.loose, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	saved := errors.New("saved")
	if err := new(leaver).run(ctx, time.Millisecond, func(ctx context.Context) error {
		loosely(ctx)()
		cancel()
		time.Sleep(50 * time.Millisecond) // many times what one that holds nothing is left after
		return saved
	}); !errors.Is(err, saved) {
		t.Errorf("work that holds something: %v, want %v", err, saved)
	}
}

// TestOrderly: commands that keep checkpoints or sessions are not left while they do.
func TestOrderly(t *testing.T) {
	for _, c := range command().Commands() {
		_, held := c.Annotations[orderly]
		want := map[string]bool{"run": true, "train": true, "pretrain": true, "step": true, "serve": true, "worker": true, "play": true}[c.Name()]
		if held != want {
			t.Errorf("%s: orderly is %v", c.Name(), held)
		}
	}
}
