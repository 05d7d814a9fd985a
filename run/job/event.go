package job

import (
	"fmt"
	"math"

	"mapo/record"
)

// Kind says what an event is about.
type Kind uint8

const (
	Started  Kind = iota // a job has got a slot
	Resumed              // it goes on from a checkpoint: a training at Train.Iter of Train.Iters, a search, which has neither, after Seconds
	Progress             // Train is a training's latest step
	Sampled              // the same, at the points that the report draws
	Saved                // a checkpoint was saved there
	Finished             // it took Seconds
	Found                // its result was there already
	Warned               // Text
)

var kindNames = [...]string{"started", "resumed", "progress", "step", "saved", "finished", "found", "warning"}

// String returns the kind's word in log.jsonl.
func (k Kind) String() string { return kindNames[k] }

// Event tells how a job gets on.
type Event struct {
	Kind    Kind
	Step    string // train, judge, replay, average, certify or exact
	For     string // the policy's name
	Train   record.Step
	Seconds float64
	Text    string
}

// String returns the event as a log line.
func (e Event) String() string {
	job := e.Step + " " + e.For
	switch e.Kind {
	case Finished:
		text := fmt.Sprintf("%s: %.1f s", job, e.Seconds)
		if e.Train.Iter < e.Train.Iters {
			text += fmt.Sprintf(", out of time at iteration %d of %d", e.Train.Iter, e.Train.Iters)
		}
		if e.Train.Iters > 0 { // what a training measured last
			text += e.worst("")
		}
		return text
	case Progress, Sampled:
		return fmt.Sprintf("%s: %s, iteration %d of %d", job, e.Train.Phase, e.Train.Iter, e.Train.Iters) + e.worst("so far ")
	case Resumed:
		if e.Train.Iters == 0 {
			return fmt.Sprintf("%s: goes on after %.1f s", job, e.Seconds)
		}
		return fmt.Sprintf("%s: goes on at iteration %d", job, e.Train.Iter)
	case Found:
		return job + ": done before"
	case Warned:
		return job + ": warning: " + e.Text
	}
	return job + ": " + e.Kind.String()
}

// worst says what a training measures, "" where it has measured nothing yet.
func (e Event) worst(when string) string {
	if math.IsNaN(e.Train.Worst) {
		return ""
	}
	what := "worst case"
	switch e.For {
	case record.PiHat:
		what = "worst gap"
	case record.BayesLAL:
		what = "mean loss"
	}
	return fmt.Sprintf(", %s %s%.3g", what, when, e.Train.Worst)
}
