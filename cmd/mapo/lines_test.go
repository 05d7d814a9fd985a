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
	now := time.Unix(0, 0)
	l := &lines{w: &b, now: func() time.Time { return now }, left: mostLines, ends: make(chan struct{}), far: &forecast{of: new(run.Forecast)}}
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
	l.close()
	n := strings.Count(b.String(), "\n")
	if most := 60*hours + mostLines + 1; n > most || n < 60*hours-2 {
		t.Errorf("%d lines, want one a minute and at most %d:\n%s", n, most, b.String())
	}
	if !strings.Contains(b.String(), "further events are not shown") || !strings.Contains(b.String(), "\njob ") || !strings.Contains(b.String(), ", iteration ") {
		t.Errorf("it says\n%.2000s", b.String())
	}
}

func TestListed(t *testing.T) {
	parts := []string{"judge pi-1", "judge pi-2", "judge pi-3"}
	for columns, want := range map[int]string{40: "judge pi-1, judge pi-2, judge pi-3", 33: "judge pi-1, judge pi-2 and 1 more", 30: "judge pi-1 and 2 more", 10: "3 jobs"} {
		if got := listed(parts, len(parts), func(text string) bool { return len(text) <= columns }); got != want {
			t.Errorf("in %d columns: %q, want %q", columns, got, want)
		}
	}
	if got := listed(nil, 2, nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
