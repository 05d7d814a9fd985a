package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"mapo/run"
)

// How long a command that works may say nothing: in its first minute, and after it. Tests of what commands say make these long.
var (
	silence = 4 * time.Second
	pause   = time.Minute
)

const drawn = 500 * time.Millisecond // between two states of a terminal's last line

// progress shows how far a command is, in a line now and then, or in the last line of a terminal, which is kept up to date. Its
// methods may be called concurrently.
type progress struct {
	w    io.Writer
	live *os.File // the terminal whose last line is drawn; nil: lines are printed
	slow bool     // lines are printed once a minute from the start
	now  func() time.Time
	ends chan struct{}
	done sync.WaitGroup

	mu          sync.Mutex // of what is below, and of the terminal
	state       func(now time.Time) string
	begin, last time.Time
	shown       int // columns of the terminal's last line
}

// start begins to show what state returns, until stop.
func (p *progress) start() {
	p.begin, p.last, p.ends = p.now(), p.now(), make(chan struct{})
	p.done.Go(func() {
		tick := time.NewTicker(drawn)
		defer tick.Stop()
		for {
			select {
			case <-p.ends:
				return
			case <-tick.C:
				p.mu.Lock()
				p.tick()
				p.mu.Unlock()
			}
		}
	})
}

// stop ends it.
func (p *progress) stop() {
	close(p.ends)
	p.done.Wait()
	p.erase()
}

// tick shows the state where it is time to.
func (p *progress) tick() {
	gap, now := silence, p.now()
	switch {
	case p.live != nil:
		gap = 0
	case p.slow, now.Sub(p.begin) > time.Minute+silence:
		gap = pause
	}
	if now.Sub(p.last) >= gap {
		p.show()
	}
}

// show shows the state.
func (p *progress) show() {
	p.last = p.now()
	if text := p.state(p.last); p.live != nil {
		p.draw(strings.Map(shownRune, text))
	} else {
		fmt.Fprintln(plain{p.w}, text)
	}
}

// say prints a line, which stays.
func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(line)
}

// print does what say does for a caller that holds mu.
func (p *progress) print(line string) {
	p.erase()
	fmt.Fprintln(plain{p.w}, line)
}

// width returns how many columns the last line may have.
func (p *progress) width() int {
	if width, _, err := term.GetSize(int(p.live.Fd())); err == nil && width > 1 {
		return width - 1 // in the last one the cursor of some terminals is in the next line
	}
	return usualWidth - 1
}

// draw replaces the last line by text, cut to the terminal's width.
func (p *progress) draw(text string) {
	p.erase()
	line := []rune(text)
	line = line[:min(len(line), p.width())]
	fmt.Fprint(p.live, string(line))
	p.shown = len(line)
}

// erase removes the last line. A terminal that was made narrower has broken it into several.
func (p *progress) erase() {
	if p.live == nil {
		return
	}
	if up := max(0, p.shown-1) / (p.width() + 1); up > 0 {
		fmt.Fprintf(p.live, "\r\x1b[%dA\x1b[J", up)
	} else {
		fmt.Fprint(p.live, "\r\x1b[J")
	}
	p.shown = 0
}

// waiting is the progress of a command that does one thing after the other.
type waiting struct {
	progress
	what, detail string
	from, share  float64 // of what is done: at first, and now; 0: not known
	since        time.Time
}

// wait begins to say what is being done; quick commands say nothing.
func wait(w io.Writer, what string) *waiting {
	l := newWaiting(w, what, time.Now)
	l.start()
	return l
}

func newWaiting(w io.Writer, what string, now func() time.Time) *waiting {
	l := &waiting{progress: progress{w: w, now: now, begin: now(), last: now()}, what: what, since: now()}
	l.state = l.text
	return l
}

// tell hears what is being done and what share of it is done.
func (l *waiting) tell(what string, share float64) { l.detailed(what, "", share) }

// detailed hears the same, and how much that is in words.
func (l *waiting) detailed(what, detail string, share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if what != l.what {
		l.what, l.from, l.share, l.since = what, share, 0, l.now()
	}
	l.share, l.detail = max(l.share, share), detail
}

// text returns the line of a moment.
func (l *waiting) text(now time.Time) string {
	spent, left := now.Sub(l.since), ""
	if l.share > l.from {
		left = fmt.Sprintf(", %s left", run.About(time.Duration(float64(spent)*(1-l.share)/(l.share-l.from))))
	}
	if l.detail != "" {
		return l.what + ": " + l.detail + left
	}
	return fmt.Sprintf("%s: %.0f s so far%s", l.what, spent.Seconds(), left)
}
