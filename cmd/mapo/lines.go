package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mapo/run/job"
)

const mostLines = 8 // about single events; further ones are left to the log

// pause is the time between two lines of how far it is. Tests of what commands say make it long.
var pause = time.Minute

// lines shows events where there is no terminal: the start, then how far it is once a minute, and a few
// lines when trainings end or something is doubtful.
type lines struct {
	w    io.Writer
	far  *forecast
	now  func() time.Time
	last time.Time
	left int
	busy []string             // the jobs under way, in the order they were begun
	step map[string]job.Event // of those, where a training is
}

// event implements display's view.
func (l *lines) event(e job.Event) {
	l.far.event(e)
	name := e.Step + " " + e.For
	switch e.Kind {
	case job.Started:
		l.busy = append(l.busy, name)
	case job.Finished:
		if i := slices.Index(l.busy, name); i >= 0 {
			l.busy = slices.Delete(l.busy, i, i+1)
		}
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
	case e.Kind == job.Started && l.last.IsZero():
		l.tell()
	case !l.last.IsZero() && l.now().Sub(l.last) >= pause:
		l.tell()
	}
}

// say prints a line about an event, as long as there are few.
func (l *lines) say(e job.Event) {
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
	text := "now: " + listed(parts, 2, nil)
	if far := l.far.String(); far != "" {
		text = far + "; " + text
	}
	fmt.Fprintln(plain{l.w}, text)
}

// close implements display's view.
func (l *lines) close() {}

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
