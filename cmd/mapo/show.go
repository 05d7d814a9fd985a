package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"mapo/run"
	"mapo/run/job"
)

// display shows a flow's events as [lines] and hands them on to the log.
type display struct {
	log  func(job.Event) error
	err  error // the log's first
	view *lines
}

// newDisplay returns a display on w; far may be nil.
func newDisplay(w io.Writer, log func(job.Event) error, far *forecast) *display {
	return &display{log: log, view: newLines(w, far)}
}

// heard hears every event once it is logged. Tests set it, to stop a command at one.
var heard = func(job.Event) {}

// event shows one event. The executor calls it one at a time.
func (d *display) event(e job.Event) {
	if err := d.log(e); err != nil && d.err == nil {
		d.err = fmt.Errorf("write the log: %w", err)
	}
	heard(e)
	d.view.event(e)
}

// close ends the display and returns the log's first fault.
func (d *display) close() error {
	d.view.close()
	return d.err
}

// forecast is a [run.Forecast] that may be asked while events come; nil tells nothing.
type forecast struct {
	mu   sync.Mutex
	of   *run.Forecast
	at   time.Time
	text string
}

// foresee returns the forecast of what algorithm does with plan.
func foresee(ctx context.Context, plan run.Plan, algorithm func(context.Context, *run.Flow) error) (*forecast, error) {
	of, err := run.NewForecast(ctx, plan, algorithm)
	return &forecast{of: of}, err
}

// event takes note of e.
func (f *forecast) event(e job.Event) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of.Event(e, time.Now())
}

// String returns the forecast in a line, made anew once a second.
func (f *forecast) String() string {
	if f == nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); now.Sub(f.at) >= time.Second {
		f.at, f.text = now, f.of.At(now)
	}
	return f.text
}
