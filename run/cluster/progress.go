package cluster

import (
	"math"
	"strings"

	"mapo/record"
	"mapo/run/job"
)

// Progress is what a heartbeat tells, for those who watch.
type Progress struct {
	Step    record.Step `json:"step"`            // a training's latest
	Iters   int         `json:"iters,omitempty"` // Step's, which JSON leaves out
	Seconds float64     `json:"seconds"`
	Warning string      `json:"warning,omitempty"`
	Trace
}

// after returns p, updated by an event.
func (p Progress) after(e job.Event) Progress {
	switch e.Kind {
	case job.Progress:
		p.Step, p.Iters = e.Train, e.Train.Iters
	case job.Resumed:
		p.Step.Iter, p.Step.Worst, p.Iters = e.Train.Iter, math.NaN(), e.Train.Iters
	case job.Warned:
		p.Warning = e.Text
	}
	p.Seconds = max(p.Seconds, e.Seconds)
	return p
}

// event returns the progress as a training would have told it.
func (p Progress) event(step, policy string) job.Event {
	e := job.Event{Kind: job.Progress, Step: step, For: policy, Seconds: p.Seconds, Train: p.Step}
	e.Train.Iters = p.Iters
	if p.Step.Phase == "" { // no iteration since it was resumed
		e.Kind = job.Resumed
	}
	return e
}

// activityID names a job on Temporal's pages: its step, its policy and a bit of its key.
func activityID(t job.Task) string {
	step, _, _ := strings.Cut(t.Step, "/")
	return step + " " + t.For + " #" + short(t.Key)
}

// name is what an activity's ID tells of a job.
type name struct{ step, policy, key string }

// parseID inverts activityID, as far as it goes: it returns the zero name where the activity is not a job.
func parseID(id string) name {
	step, rest, _ := strings.Cut(id, " ")
	at := strings.LastIndex(rest, " #")
	if at < 0 {
		return name{}
	}
	return name{step, rest[:at], rest[at+2:]}
}
