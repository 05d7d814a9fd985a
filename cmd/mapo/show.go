package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"mapo/flow"
)

// quiet is the least time between two lines about one training's progress.
const quiet = 5 * time.Second

// display shows a flow's events: on a terminal a bar per policy in training and
// a line of what is being judged, else plain lines. It hands all on to the log.
type display struct {
	w    io.Writer
	log  func(flow.Event) error
	err  error // the log's first
	last map[string]time.Time

	bars   *mpb.Progress // nil: plain lines
	status *mpb.Bar
	row    map[string]*row
	mu     sync.Mutex // of busy and of the rows' numbers, which mpb reads when it draws
	busy   []string
}

// row is a training's bar and what stands beside it.
type row struct {
	bar     *mpb.Bar
	what    string // worst case, or for π̂ worst gap
	worst   float64
	seen    bool // an iteration has been told of
	iter    int
	iters   int
	from    int     // the iteration at which this process took it up
	begun   float64 // and the seconds spent by then
	seconds float64
}

func newDisplay(w io.Writer, log func(flow.Event) error) *display {
	d := &display{w: w, log: log, last: map[string]time.Time{}, row: map[string]*row{}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.bars = mpb.New(mpb.WithOutput(w), mpb.WithWidth(100))
		d.status = d.bars.New(0, mpb.NopStyle(), mpb.BarPriority(1000), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return d.doing() })))
	}
	return d
}

// event shows one event. The executor calls it one at a time.
func (d *display) event(e flow.Event) {
	if err := d.log(e); err != nil && d.err == nil {
		d.err = fmt.Errorf("write the log: %w", err)
	}
	if d.bars != nil {
		d.draw(e)
		return
	}
	switch key := e.Step + e.For; e.Kind {
	case flow.Sampled, flow.Saved:
		return
	case flow.Found:
		if e.Step != "train" {
			return
		}
	case flow.Progress:
		if time.Since(d.last[key]) < quiet {
			return
		}
		d.last[key] = time.Now()
	case flow.Started:
		d.last[key] = time.Now()
	}
	fmt.Fprintln(plain{d.w}, e)
}

// draw brings the bars up to date. It must not hold mu while it calls mpb, whose
// drawing asks for mu.
func (d *display) draw(e flow.Event) {
	job := e.Step + " " + e.For
	switch e.Kind {
	case flow.Started:
		d.do(func() { d.busy = append(d.busy, job) })
		if e.Step == "train" {
			d.bar(e.For)
		}
	case flow.Finished:
		d.do(func() { d.busy = slices.DeleteFunc(d.busy, func(s string) bool { return s == job }) })
		if e.Step == "train" {
			d.bar(e.For).bar.SetTotal(-1, true)
		}
	case flow.Warned:
		_, _ = fmt.Fprintln(plain{d.bars}, e) // above the bars
	case flow.Resumed, flow.Progress:
		if e.Step != "train" {
			return
		}
		r := d.bar(e.For)
		if r.iters == 0 {
			r.bar.SetTotal(int64(e.Train.Iters), false)
		}
		d.do(func() { r.update(e) })
		r.bar.SetCurrent(int64(e.Train.Iter))
	}
}

// do changes what the drawing reads.
func (d *display) do(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// bar is the row of a policy's training, made when it is first heard of.
func (d *display) bar(policy string) *row {
	r := d.row[policy]
	if r != nil {
		return r
	}
	r = &row{what: "worst case"}
	if policy == flow.PiHat {
		r.what = "worst gap"
	}
	d.row[policy] = r
	r.bar = d.bars.AddBar(0,
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("train %-10s", policy))),
		mpb.AppendDecorators(decor.Percentage(decor.WC{W: 5}), decor.Any(func(decor.Statistics) (text string) {
			d.do(func() { text = r.beside() })
			return text
		})))
	return r
}

func (r *row) update(e flow.Event) {
	r.iter, r.iters, r.seconds = e.Train.Iter, e.Train.Iters, e.Seconds
	if e.Kind == flow.Resumed {
		r.from, r.begun = r.iter, r.seconds
		return
	}
	r.worst, r.seen = e.Train.Worst, true
}

// beside is the current worst-case estimate and the time left.
func (r *row) beside() string {
	if !r.seen {
		return "  starting"
	}
	text := fmt.Sprintf("  %s %.3f", r.what, r.worst)
	done := float64(r.iter - r.from)
	if left := r.iters - r.iter; left > 0 && done > 0 {
		rest := time.Duration(float64(left) * (r.seconds - r.begun) / done * float64(time.Second))
		text += fmt.Sprintf("  %s left", rest.Round(time.Second))
	}
	return text
}

// doing is the line of what has no bar.
func (d *display) doing() string {
	var rest []string
	d.do(func() { rest = slices.Clone(d.busy) })
	rest = slices.DeleteFunc(rest, func(s string) bool { return strings.HasPrefix(s, "train ") })
	if len(rest) == 0 {
		return ""
	}
	return "now: " + strings.Join(rest, ", ")
}

// close ends the bars and returns the log's first fault.
func (d *display) close() error {
	if d.bars != nil {
		d.status.Abort(true)
		for _, r := range d.row {
			if !r.bar.Completed() {
				r.bar.Abort(false)
			}
		}
		d.bars.Wait()
	}
	return errors.Join(d.err)
}
