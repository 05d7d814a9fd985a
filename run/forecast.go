package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mapo/record"
	"mapo/run/job"
)

// Forecast tells how far a run is and about how long the rest takes, from the events of its jobs.
// It knows the jobs before they are submitted, from a rehearsal, and learns what each kind costs
// from those that were carried out. It may not be called concurrently.
type Forecast struct {
	jobs    []*planned
	seconds float64   // seconds a training may take; 0: any
	last    time.Time // up to which the time of running jobs is counted
}

// NewForecast returns the forecast of what algorithm does with plan, such as [Flow.Run]. It costs
// milliseconds.
func NewForecast(ctx context.Context, plan Plan, algorithm func(context.Context, *Flow) error) (*Forecast, error) {
	jobs, err := rehearse(ctx, plan, algorithm)
	return &Forecast{jobs: jobs, seconds: plan.Seconds}, err
}

// Event takes note of an event at a moment.
func (f *Forecast) Event(e job.Event, now time.Time) {
	f.pass(now)
	switch e.Kind {
	case job.Started:
		f.find(e).begun = true
	case job.Found:
		j := f.find(e)
		j.begun, j.ended, j.from, j.at = true, true, 1, 1
	case job.Finished:
		if j := f.running(e); j != nil {
			j.ended, j.at = true, 1
		}
	case job.Resumed, job.Progress:
		if j := f.running(e); j != nil && e.Step == "train" {
			j.at = max(j.at, f.trained(e))
			if e.Kind == job.Resumed {
				j.from = j.at
			}
		}
	}
}

// trained returns the share of a training that is done, in (0, 1): where time is limited by what
// comes first, the last iteration or the end of the time.
func (f *Forecast) trained(e job.Event) float64 {
	share := float64(e.Train.Iter) / float64(max(1, e.Train.Iters))
	if f.seconds > 0 {
		share = max(share, e.Seconds/f.seconds)
	}
	return min(share, 0.99)
}

// pass shares the time since the last event among the jobs that ran: two at once have half the
// machine each.
func (f *Forecast) pass(now time.Time) {
	var running []*planned
	for _, j := range f.jobs {
		if j.begun && !j.ended {
			running = append(running, j)
		}
	}
	for _, j := range running {
		j.spent += now.Sub(f.last).Seconds() / float64(len(running))
	}
	f.last = now
}

// running returns the job under way that e is about, nil where there is none.
func (f *Forecast) running(e job.Event) *planned {
	for _, j := range f.jobs {
		if j.begun && !j.ended && j.step == e.Step && j.policy == e.For {
			return j
		}
	}
	return nil
}

// find returns the job that e begins. A benchmark's holder that was not expected takes the place of
// one that was, or is one job more; jobs that come after the benchmarks end the wait for holders.
func (f *Forecast) find(e job.Event) *planned {
	var instead *planned
	for i, j := range f.jobs {
		switch {
		case j.begun || j.step != e.Step:
		case j.policy == e.For:
			if e.Step == "train" && e.For == PiHat {
				f.jobs = slices.Concat(slices.DeleteFunc(slices.Clone(f.jobs[:i]), func(j *planned) bool { return !j.begun && j.settling() }), f.jobs[i:])
			}
			return j
		case instead == nil && j.settling():
			instead = j
		}
	}
	one := &planned{step: e.Step, policy: e.For, class: e.Step + " "}
	if instead != nil && one.settling() {
		instead.policy = e.For
		return instead
	}
	n := 0.
	for _, j := range f.jobs {
		if j.step == e.Step {
			one.work, n = one.work+j.work, n+1
		}
	}
	one.work /= max(1, n)
	f.jobs = append(f.jobs, one)
	return one
}

// Jobs returns how many jobs are done, and how many there are: an estimate, as which policies are
// looked at twice depends on results.
func (f *Forecast) Jobs() (done, all int) {
	for _, j := range f.jobs {
		if j.ended {
			done++
		}
	}
	return done, len(f.jobs)
}

// Left returns about how long the rest takes; false where nothing has been timed yet.
func (f *Forecast) Left(now time.Time) (time.Duration, bool) {
	f.pass(now)
	seconds := 0.
	for _, j := range f.jobs {
		if j.ended {
			continue
		}
		pace, known := f.pace(j.class)
		if !known {
			return 0, false
		}
		whole := j.work * pace
		if j.step == "train" && f.seconds > 0 {
			whole = min(whole, f.seconds)
		}
		rest := whole * (1 - j.at)
		if j.begun && j.step != "train" { // it does not tell how far it is
			rest = max(rest/10, rest-j.spent)
		}
		seconds += rest
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// pace returns the seconds of the machine for a unit of work, of jobs of the same class, else of the
// same step, else of all.
func (f *Forecast) pace(class string) (float64, bool) {
	step, _, _ := strings.Cut(class, " ")
	for _, like := range []func(j *planned) bool{
		func(j *planned) bool { return j.class == class },
		func(j *planned) bool { return j.step == step },
		func(*planned) bool { return true },
	} {
		spent, work := 0., 0.
		for _, j := range f.jobs {
			if like(j) && j.share() > 0 {
				spent, work = spent+j.spent, work+j.work*j.share()
			}
		}
		if work > 0 && spent > 0 {
			return spent / work, true
		}
	}
	return 0, false
}

// At returns a line such as "job 3 of 14, about 11 min left", as of a moment.
func (f *Forecast) At(now time.Time) string {
	done, all := f.Jobs()
	text := fmt.Sprintf("job %d of %d", min(done+1, all), all)
	if left, known := f.Left(now); known {
		text += ", " + record.About(left) + " left"
	}
	return text
}
