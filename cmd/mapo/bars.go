package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"mapo/run"
	"mapo/run/job"
)

// bars shows events on a terminal.
type bars struct {
	far  *forecast
	all  *mpb.Progress
	tail []*mpb.Bar // the lines below the bars
	row  map[string]*row
	mu   sync.Mutex // of busy and of the rows' numbers, which mpb reads when it draws
	busy []string
}

// row is a training's bar and what stands beside it.
type row struct {
	bar     *mpb.Bar
	what    string // worst case, or for π̂ worst gap
	worst   float64
	seen    bool // an iteration has been told of
	ended   bool
	iter    int
	iters   int
	from    int     // the iteration at which this process took it up
	begun   float64 // and the seconds spent by then
	seconds float64
	most    float64 // seconds it may take; 0: any
}

const whole = 1000 // of a bar

func newBars(file *os.File, far *forecast) *bars {
	d := &bars{far: far, row: map[string]*row{}}
	d.all = mpb.New(mpb.WithOutput(file), mpb.WithWidth(40))
	line := func(priority int, text func(columns int) string) {
		d.tail = append(d.tail, d.all.New(0, mpb.NopStyle(), mpb.BarPriority(priority), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string { return text(s.AvailableWidth) }))))
	}
	line(1000, func(columns int) string { return d.doing(columns) })
	if far != nil {
		line(1001, func(int) string { return far.String() })
	}
	return d
}

// event brings the bars up to date. It must not hold mu while it calls mpb, whose
// drawing asks for mu.
func (d *bars) event(e job.Event) {
	d.far.event(e)
	name := e.Step + " " + e.For
	switch e.Kind {
	case job.Started:
		d.do(func() { d.busy = append(d.busy, name) })
		if e.Step == "train" {
			d.bar(e.For)
		}
	case job.Finished:
		d.do(func() { d.busy = slices.DeleteFunc(d.busy, func(s string) bool { return s == name }) })
		if e.Step == "train" {
			r := d.bar(e.For)
			d.do(func() { r.ended = true })
			r.bar.SetTotal(whole, true)
		}
	case job.Warned:
		_, _ = fmt.Fprintln(plain{d.all}, e) // above the bars
	case job.Resumed, job.Progress:
		if e.Step != "train" {
			return
		}
		r := d.bar(e.For)
		var share float64
		d.do(func() {
			r.update(e)
			share = r.share()
		})
		r.bar.SetCurrent(int64(share * whole))
	}
}

// do changes what the drawing reads.
func (d *bars) do(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// bar returns the row of a policy's training, made when it is first heard of.
func (d *bars) bar(policy string) *row {
	r := d.row[policy]
	if r != nil {
		return r
	}
	r = &row{what: "worst case", most: d.far.mostTime()}
	if policy == run.PiHat {
		r.what = "worst gap"
	}
	d.row[policy] = r
	r.bar = d.all.AddBar(whole+1, // ends when the job does
		mpb.PrependDecorators(decor.Name(fmt.Sprintf("train %-10s", policy))),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) (text string) {
			d.do(func() { text = r.beside() })
			return text
		})))
	return r
}

func (r *row) update(e job.Event) {
	r.iter, r.iters, r.seconds = e.Train.Iter, e.Train.Iters, e.Seconds
	if e.Kind == job.Resumed {
		r.from, r.begun = r.iter, r.seconds
		return
	}
	r.worst, r.seen = e.Train.Worst, true
}

// share returns how far the training is, in [0, 1]: of its iterations, or of its time where that ends first.
func (r *row) share() float64 {
	share := float64(r.iter) / float64(max(1, r.iters))
	if r.most > 0 {
		share = max(share, r.seconds/r.most)
	}
	return min(share, 1)
}

// beside returns how far it is, the current worst-case estimate and the time left. Only a training
// that has ended is at 100 %.
func (r *row) beside() string {
	switch {
	case r.ended && r.iter < r.iters:
		return fmt.Sprintf("100 %%  %s %.3f  out of time at %d of %d", r.what, r.worst, r.iter, r.iters)
	case r.ended:
		return fmt.Sprintf("100 %%  %s %.3f", r.what, r.worst)
	case !r.seen:
		return "  0 %  starting"
	}
	text := fmt.Sprintf("%3.0f %%  %s %.3f", min(99, 100*r.share()), r.what, r.worst)
	done := float64(r.iter - r.from)
	if left := float64(r.iters - r.iter); left > 0 && done > 0 {
		rest := left * (r.seconds - r.begun) / done
		if r.most > 0 {
			rest = max(0, min(rest, r.most-r.seconds))
		}
		text += fmt.Sprintf("  %s left", time.Duration(rest*float64(time.Second)).Round(time.Second))
	}
	return text
}

// doing returns the line of what has no bar.
func (d *bars) doing(columns int) string {
	var rest []string
	d.do(func() { rest = slices.Clone(d.busy) })
	rest = slices.DeleteFunc(rest, func(s string) bool { return strings.HasPrefix(s, "train ") })
	if len(rest) == 0 {
		return ""
	}
	const now = "now: "
	return now + listed(rest, len(rest), func(text string) bool { return len(now)+len(text) <= columns })
}

// close ends the bars.
func (d *bars) close() {
	for _, line := range d.tail {
		line.Abort(true)
	}
	for _, r := range d.row {
		if !r.bar.Completed() {
			r.bar.Abort(false)
		}
	}
	d.all.Wait()
}
