package external

import (
	"context"
	"fmt"
	"time"
)

var queueTime = 2 * time.Second // for a process of a lasting policy to be idle; tests change it

const (
	firstPause = time.Second // before a process takes the place of one that failed, twice as long after each further fault
	mostPause  = time.Minute
)

// Unavailable is that a lasting policy does not answer at the moment.
type Unavailable struct {
	Reason error
	Retry  time.Duration // when it is worth asking again
}

func (u *Unavailable) Error() string { return u.Reason.Error() }

// Unwrap returns the reason.
func (u *Unavailable) Unwrap() error { return u.Reason }

// take returns a process that no other caller is asking: an idle one, else a new one, else the next to be idle. A lasting
// policy starts new ones aside, where they may take longer than a caller can wait.
func (x *Policy) take() (*process, error) {
	select {
	case proc := <-x.idle:
		return proc, nil
	default:
	}
	if x.options.Lasting {
		return x.wait()
	}
	x.mu.Lock()
	room := x.started < x.options.Workers
	if room {
		x.started++
	}
	x.mu.Unlock()
	if room {
		proc, err := launch(x)
		if err != nil {
			return nil, x.fail(err)
		}
		return proc, nil
	}
	select {
	case proc := <-x.idle:
		return proc, nil
	case <-x.ctx.Done():
		return nil, x.fail(x.ctx.Err())
	}
}

// wait waits for a process of a lasting policy, for at most queueTime.
func (x *Policy) wait() (*process, error) {
	x.grow()
	x.mu.Lock()
	rest := x.pause
	none := x.started == 0 || x.retired
	x.mu.Unlock()
	if none {
		return nil, x.unavailable("its process has failed and is started again soon", rest)
	}
	ctx, cancel := context.WithTimeout(x.ctx, queueTime)
	defer cancel()
	select {
	case proc := <-x.idle:
		return proc, nil
	case <-ctx.Done():
	}
	return nil, x.unavailable("all its processes are busy or starting", 0)
}

func (x *Policy) unavailable(why string, retry time.Duration) error {
	return &Unavailable{fmt.Errorf("%s: %s", x.name, why), max(retry, firstPause)}
}

// grow starts another process of a lasting policy aside, where it may have one.
func (x *Policy) grow() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.starting || x.retired || x.started == x.options.Workers || x.resting > 0 || x.ctx.Err() != nil {
		return
	}
	x.starting = true
	x.started++
	go func() {
		proc, err := x.ready()
		x.mu.Lock()
		x.starting = false
		x.mu.Unlock()
		if err != nil {
			_ = x.fail(err) // which tells it
			return
		}
		x.give(proc)
	}()
}

// give makes a process idle again, or ends it where no more are wanted.
func (x *Policy) give(proc *process) {
	x.mu.Lock()
	retired := x.retired
	if !retired {
		x.idle <- proc
	}
	x.mu.Unlock()
	if retired {
		_ = proc.in.Close()
		proc.finish()
	}
}

// fail notes the fault of a process that has ended. It ends a policy that does not last, and all processes: those that
// others wait for, too.
func (x *Policy) fail(err error) error {
	err = fmt.Errorf("%s: %w", x.name, err)
	x.mu.Lock()
	if !x.options.Lasting {
		first := x.err == nil
		if first {
			x.err = err
		}
		x.mu.Unlock()
		x.end()
		if first && x.options.Fail != nil {
			x.options.Fail(err)
		}
		return err
	}
	x.started--
	ended := x.retired || x.ctx.Err() != nil
	x.pause = min(max(2*x.pause, firstPause), mostPause)
	pause := x.pause
	x.resting++
	x.mu.Unlock()
	if !ended {
		time.AfterFunc(pause, x.rested)
		if x.options.Fail != nil {
			x.options.Fail(err)
		}
	}
	return &Unavailable{err, pause}
}

// rested ends the pause after a fault.
func (x *Policy) rested() {
	x.mu.Lock()
	x.resting--
	x.mu.Unlock()
	x.grow()
}

// Retire ends the processes as soon as no caller is asking them, and starts no more.
func (x *Policy) Retire() {
	x.mu.Lock()
	x.retired = true
	var all []*process
	for len(x.idle) > 0 {
		all = append(all, <-x.idle)
	}
	x.mu.Unlock()
	for _, proc := range all {
		_ = proc.in.Close() // it ends by itself, all at once
	}
	for _, proc := range all {
		proc.finish()
	}
}
