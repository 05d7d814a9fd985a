package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mapo/run"
	"mapo/run/job"
)

// TestLinesAreFew plays a run of a hundred trainings and a thousand other jobs that lasts three hours:
// at most ten lines are about the start and about single events, the rest come once a minute.
func TestLinesAreFew(t *testing.T) {
	const hours = 3
	var b strings.Builder
	now := time.Now()
	l := newDisplay(&b, func(job.Event) error { return nil }, new(run.Forecast))
	_ = l.close() // no clock of its own
	l.Now = func() time.Time { return now }
	for i := range 1100 {
		step, name := "judge", fmt.Sprint(i)
		if i%11 == 0 {
			step = "train"
		}
		l.event(job.Event{Kind: job.Started, Step: step, For: name})
		for iter := range 10 {
			now = now.Add(hours * time.Hour / 11000)
			e := job.Event{Kind: job.Saved, Step: step, For: name}
			if step == "train" {
				e.Kind, e.Train.Iter, e.Train.Iters = job.Progress, iter, 10
			}
			l.event(e)
		}
		if i%100 == 0 {
			l.event(job.Event{Kind: job.Warned, Step: step, For: name, Text: "doubtful"})
		}
		l.event(job.Event{Kind: job.Finished, Step: step, For: name})
	}
	n := strings.Count(b.String(), "\n")
	if most := 60*hours + mostLines + 1; n > most || n < 60*hours-2 {
		t.Errorf("%d lines, want one a minute and at most %d:\n%s", n, most, b.String())
	}
	if !strings.Contains(b.String(), "further events are not shown") || !strings.Contains(b.String(), "\njob ") || !strings.Contains(b.String(), ", iteration ") {
		t.Errorf("it says\n%.2000s", b.String())
	}
}

// TestDisplayCounts: of the jobs under way the first are named and the others counted.
func TestDisplayCounts(t *testing.T) {
	d := &display{busy: []string{"judge pi-1", "judge pi-2", "judge pi-3"}}
	if got, want := d.text(time.Now()), "now: judge pi-1, judge pi-2 and 1 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := new(display).text(time.Now()); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
