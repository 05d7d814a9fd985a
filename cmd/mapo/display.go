package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"mapo/internal/console"
	"mapo/run"
	"mapo/run/job"
)

const (
	mostLines = 8 // about single events; further ones are left to the log
	mostBusy  = 2 // jobs that are named
)

// display shows a flow's events: lines when trainings end or something is doubtful, and how far the whole is.
type display struct {
	*console.Progress
	log  func(job.Event) error
	err  error // the log's first
	left int   // lines about single events

	mu   sync.Mutex           // of what is below
	far  *run.Forecast        // nil: not known
	busy []string             // the jobs under way, in the order they were begun
	step map[string]job.Event // of those, where a training is
}

// newDisplay returns a display on w until close; far may be nil.
func newDisplay(w io.Writer, log func(job.Event) error, far *run.Forecast) *display {
	d := &display{log: log, far: far, left: mostLines, step: map[string]job.Event{}}
	if d.Progress = console.NewProgress(w, d.text); d.OnTerminal() {
		d.left = math.MaxInt
	}
	d.Start()
	return d
}

// heard hears every event once it is logged. Tests set it, to stop a command at one.
var heard = func(job.Event) {}

// event logs and shows one event.
func (d *display) event(e job.Event) {
	if err := d.log(e); err != nil && d.err == nil {
		d.err = fmt.Errorf("write the log: %w", err)
	}
	heard(e)
	e, first := d.note(e)
	training := e.Step == "train" || d.far == nil
	switch {
	case e.Kind == job.Warned, training && (e.Kind == job.Finished || e.Kind == job.Resumed):
		switch d.left--; {
		case d.left > 0:
			d.Say(e.String())
		case d.left == 0:
			d.Say("further events are not shown one by one")
		}
	case d.OnTerminal(): // it is drawn by the clock
	case first:
		d.Show()
	default:
		d.Tick()
	}
}

// note keeps an event in mind, and returns it with a training's last step where one ends, and whether it begins the first job.
func (d *display) note(e job.Event) (_ job.Event, first bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.far != nil {
		d.far.Event(e, d.Now())
	}
	name := e.Step + " " + e.For
	switch e.Kind {
	case job.Started:
		first, d.busy = d.busy == nil, append(d.busy, name)
	case job.Finished:
		d.busy = slices.DeleteFunc(d.busy, func(b string) bool { return b == name })
		e.Train = d.step[name].Train
		delete(d.step, name)
	case job.Progress:
		d.step[name] = e
	}
	return e, first
}

// text returns how far the whole is, and what is being done.
func (d *display) text(now time.Time) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var parts, busy []string
	if d.far != nil {
		parts = append(parts, d.far.At(now))
	}
	for _, name := range d.busy[:min(len(d.busy), mostBusy)] {
		if e, ok := d.step[name]; ok {
			name = e.String()
		}
		busy = append(busy, name)
	}
	if len(busy) > 0 {
		text := "now: " + strings.Join(busy, ", ")
		if more := len(d.busy) - mostBusy; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// close ends the display and returns the log's first fault.
func (d *display) close() error {
	d.Stop()
	return d.err
}
