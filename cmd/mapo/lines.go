package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"mapo/run/job"
)

const (
	mostLines = 8                      // about single events; further ones are left to the log
	drawn     = 500 * time.Millisecond // between two states of a terminal's last line
)

// pause is the time between two lines of how far it is. Tests of what commands say make it long.
var pause = time.Minute

// lines shows events: lines when trainings end or something is doubtful, and how far the whole is. That is the last line
// of a terminal, which is kept up to date, and elsewhere a line at the start and once a minute.
type lines struct {
	w      io.Writer
	status *status // nil where w is not a terminal
	far    *forecast
	now    func() time.Time
	last   time.Time
	left   int

	ends chan struct{}
	done sync.WaitGroup
	mu   sync.Mutex // of what is below, and of the terminal

	busy []string             // the jobs under way, in the order they were begun
	step map[string]job.Event // of those, where a training is
}

// newLines returns lines on w, which keep their status up to date until close where w is a terminal.
func newLines(w io.Writer, far *forecast) *lines {
	l := &lines{w: w, far: far, now: time.Now, left: mostLines, ends: make(chan struct{})}
	file := terminalOf(w)
	if file == nil {
		return l
	}
	l.status, l.left = &status{file: file}, math.MaxInt
	l.done.Go(func() {
		tick := time.NewTicker(drawn)
		defer tick.Stop()
		for {
			select {
			case <-l.ends:
				return
			case <-tick.C:
				l.mu.Lock()
				l.tell()
				l.mu.Unlock()
			}
		}
	})
	return l
}

// event shows one event.
func (l *lines) event(e job.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.far.event(e)
	name := e.Step + " " + e.For
	switch e.Kind {
	case job.Started:
		l.busy = append(l.busy, name)
	case job.Finished:
		if i := slices.Index(l.busy, name); i >= 0 {
			l.busy = slices.Delete(l.busy, i, i+1)
		}
		e.Train = l.step[name].Train
		delete(l.step, name)
	case job.Progress:
		if l.step == nil {
			l.step = map[string]job.Event{}
		}
		l.step[name] = e
	}
	training := e.Step == "train" || l.far == nil
	switch {
	case e.Kind == job.Warned, training && (e.Kind == job.Finished || e.Kind == job.Resumed):
		l.say(e)
	case l.status != nil: // it is drawn by the clock
	case e.Kind == job.Started && l.last.IsZero():
		l.tell()
	case !l.last.IsZero() && l.now().Sub(l.last) >= pause:
		l.tell()
	}
}

// say prints a line about an event, as long as there are few.
func (l *lines) say(e job.Event) {
	if l.status != nil {
		l.status.erase()
		defer l.tell()
	}
	switch l.left--; {
	case l.left > 0:
		fmt.Fprintln(plain{l.w}, e)
	case l.left == 0:
		fmt.Fprintln(l.w, "further events are not shown one by one")
	}
}

// tell prints how far the whole is, and what is being done.
func (l *lines) tell() {
	l.last = l.now()
	var parts []string
	for _, name := range l.busy {
		if e, ok := l.step[name]; ok {
			name = e.String()
		}
		parts = append(parts, name)
	}
	var before string
	switch far := l.far.String(); {
	case len(parts) == 0:
		before = far
	case far == "":
		before = "now: "
	default:
		before = far + "; now: "
	}
	if l.status == nil {
		fmt.Fprintln(plain{l.w}, before+listed(parts, 2, nil))
		return
	}
	width := l.status.width()
	text := strings.Join(parts, "")
	if len(parts) > 1 {
		text = listed(parts, len(parts), func(text string) bool { return columns(before+text) <= width })
	}
	l.status.draw(strings.Map(shownRune, before+text))
}

// close ends the status.
func (l *lines) close() {
	close(l.ends)
	l.done.Wait()
	if l.status != nil {
		l.status.erase()
	}
}

// listed joins the first of parts, at most so many and only as long as the text fits, where fits is
// not nil, and counts the others.
func listed(parts []string, most int, fits func(text string) bool) string {
	for n := min(most, len(parts)); ; n-- {
		text := strings.Join(parts[:n], ", ")
		if more := len(parts) - n; more > 0 && n > 0 {
			text += fmt.Sprintf(" and %d more", more)
		} else if more > 0 {
			text = fmt.Sprintf("%d jobs", more)
		}
		if n == 0 || fits == nil || fits(text) {
			return text
		}
	}
}
