package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// silence is how long a command that works may say nothing. Tests of what commands say make it long.
var silence = 4 * time.Second

const patient = time.Minute // after which it says something once a minute

// waiting says on standard error what a command that takes long is doing, and about how long that still takes. Its
// methods may be called concurrently.
type waiting struct {
	w    io.Writer
	now  func() time.Time
	ends chan struct{}
	done sync.WaitGroup

	lock         sync.Mutex
	what         string
	share        float64 // of what is done; 0: not known
	begin, since time.Time
	last         time.Time
}

// wait begins to say what is being done; quick commands say nothing.
func wait(w io.Writer, what string) *waiting {
	l := newWaiting(w, what, time.Now)
	l.done.Go(func() {
		tick := time.NewTicker(silence / 8)
		defer tick.Stop()
		for {
			select {
			case <-l.ends:
				return
			case <-tick.C:
				l.say()
			}
		}
	})
	return l
}

func newWaiting(w io.Writer, what string, now func() time.Time) *waiting {
	at := now()
	return &waiting{w: plain{w}, now: now, ends: make(chan struct{}), what: what, begin: at, since: at, last: at}
}

// tell hears what is being done and what share of it is done.
func (l *waiting) tell(what string, share float64) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if what != l.what {
		l.what, l.share, l.since = what, 0, l.now()
	}
	l.share = max(l.share, share)
}

// say prints a line where it is time for one.
func (l *waiting) say() {
	l.lock.Lock()
	defer l.lock.Unlock()
	at := l.now()
	gap := silence
	if at.Sub(l.begin) > patient+silence {
		gap = patient
	}
	if at.Sub(l.last) < gap {
		return
	}
	l.last = at
	spent := at.Sub(l.since)
	left := ""
	if l.share > 0 {
		left = fmt.Sprintf(", about %s left", span(time.Duration(float64(spent)*(1-l.share)/l.share)))
	}
	fmt.Fprintf(l.w, "%s: %.0f s so far%s\n", l.what, spent.Seconds(), left)
}

// stop ends it.
func (l *waiting) stop() {
	close(l.ends)
	l.done.Wait()
}
