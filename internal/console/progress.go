package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"mapo/record"
)

// How long a command that works may say nothing: in its first minute, and after it. Tests of what commands say make these long.
var (
	Silence = 4 * time.Second
	Pause   = time.Minute
)

const drawn = 500 * time.Millisecond // between two states of a terminal's last line

// Progress shows how far a command is, in a line now and then, or in the last line of a terminal, which is kept up to date. Its
// methods may be called concurrently.
type Progress struct {
	w     io.Writer
	state func(now time.Time) string
	Now   func() time.Time // the clock
	live  *os.File         // the terminal whose last line is drawn; nil: lines are printed
	slow  bool             // lines are printed once a minute from the start
	ends  chan struct{}
	done  sync.WaitGroup

	mu          sync.Mutex // of what is below, and of the terminal
	begin, last time.Time
	shown       int // columns of the terminal's last line
}

// NewProgress returns the progress of long work on w, whose state is a line. [Progress.Start] begins to show it: the last line of a
// terminal, and elsewhere a line a minute.
func NewProgress(w io.Writer, state func(now time.Time) string) *Progress {
	return &Progress{w: w, state: state, Now: time.Now, live: Terminal(w), slow: true}
}

// OnTerminal reports whether the state is the last line of a terminal.
func (p *Progress) OnTerminal() bool { return p.live != nil }

// Start begins to show the state, until Stop.
func (p *Progress) Start() {
	p.begin, p.last, p.ends = p.Now(), p.Now(), make(chan struct{})
	p.done.Go(func() {
		tick := time.NewTicker(drawn)
		defer tick.Stop()
		for {
			select {
			case <-p.ends:
				return
			case <-tick.C:
				p.Tick()
			}
		}
	})
}

// Stop ends it.
func (p *Progress) Stop() {
	close(p.ends)
	p.done.Wait()
	p.erase()
}

// Tick shows the state where it is time to.
func (p *Progress) Tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	gap, now := Silence, p.Now()
	switch {
	case p.live != nil:
		gap = 0
	case p.slow, now.Sub(p.begin) > time.Minute+Silence:
		gap = Pause
	}
	if now.Sub(p.last) >= gap {
		p.show()
	}
}

// Show shows the state now.
func (p *Progress) Show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.show()
}

// show does what Show does for a caller that holds mu.
func (p *Progress) show() {
	p.last = p.Now()
	if text := p.state(p.last); p.live != nil {
		p.draw(strings.Map(showable, text))
	} else {
		fmt.Fprintln(Plain(p.w), text)
	}
}

// Say prints a line, which stays, above the state.
func (p *Progress) Say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintln(Plain(p.w), line)
	if p.live != nil {
		p.show()
	}
}

// width returns how many columns the last line may have.
func (p *Progress) width() int {
	if width, _, err := term.GetSize(int(p.live.Fd())); err == nil && width > 1 {
		return width - 1 // in the last one the cursor of some terminals is in the next line
	}
	return UsualWidth - 1
}

// draw replaces the last line by text, cut to the terminal's width.
func (p *Progress) draw(text string) {
	line := []rune(text)
	line = line[:min(len(line), p.width())]
	fmt.Fprint(p.live, p.erased()+string(line))
	p.shown = len(line)
}

// erase removes the last line.
func (p *Progress) erase() {
	if p.live != nil {
		fmt.Fprint(p.live, p.erased())
		p.shown = 0
	}
}

// erased returns what removes the last line. A terminal that was made narrower has broken it into several.
func (p *Progress) erased() string {
	if up := max(0, p.shown-1) / (p.width() + 1); up > 0 {
		return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
	}
	return "\r\x1b[J"
}

// Waiting is the progress of a command that does one thing after the other.
type Waiting struct {
	*Progress
	mu           sync.Mutex
	what, detail string
	from, share  float64 // of what is done: at first, and now; 0: not known
	since        time.Time
}

// Wait begins to say what is being done, in lines; quick commands say nothing.
func Wait(w io.Writer, what string) *Waiting { return wait(w, what, false, time.Now) }

// Watch does the same in the last line of a terminal, where w is one.
func Watch(w io.Writer, what string) *Waiting { return wait(w, what, true, time.Now) }

func wait(w io.Writer, what string, live bool, now func() time.Time) *Waiting {
	l := &Waiting{Progress: &Progress{w: w, Now: now}, what: what, since: now()}
	if l.state = l.text; live {
		l.live = Terminal(w)
	}
	l.Start()
	return l
}

// Tell hears what is being done and what share of it is done.
func (l *Waiting) Tell(what string, share float64) { l.Detail(what, "", share) }

// Detail hears the same, and how much that is in words.
func (l *Waiting) Detail(what, detail string, share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if what != l.what {
		l.what, l.from, l.share, l.since = what, share, 0, l.Now()
	}
	l.share, l.detail = max(l.share, share), detail
}

// text returns the line of a moment.
func (l *Waiting) text(now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	spent, left := now.Sub(l.since), ""
	if l.share > l.from {
		left = fmt.Sprintf(", %s left", record.About(time.Duration(float64(spent)*(1-l.share)/(l.share-l.from))))
	}
	if l.detail != "" {
		return l.what + ": " + l.detail + left
	}
	return fmt.Sprintf("%s: %.0f s so far%s", l.what, spent.Seconds(), left)
}
