package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
)

// Order is a workflow's input.
type Order struct {
	Plan      store.Key     // as run.KeepPlan gave it
	Queue     string        // the store's; the classes' are made of it
	Heartbeat time.Duration // a worker that sends none for so long is considered dead
	Events    int           // in a history, from which on the run goes on in a new one; 0: 10,000
	Lost      int           // results lost from the store so far
}

// mostEvents is the default of Order.Events. Temporal ends a run at 51,200.
const mostEvents = 10_000

// Names of the workflow and of its activities, as Temporal's pages show them.
const (
	runName  = "mapo run"
	nextName = "next"
	jobName  = "job"
)

// classPlan is the class of the work that takes no cores: the workflow's own, and finding out what is next.
const classPlan = "plan"

// queueOf returns the queue of a class: one each, so that machines can serve what they are good for.
func queueOf(queue, class string) string { return queue + "-" + class }

// lostType marks the error of a job that needs a result or an input which is missing in the store, or corrupt. The
// result that was lost is then computed again.
const lostType = "lost"

// mostTimes is how often a job may be started though its result, or what it needs, was there: more often, the store
// loses results.
const mostTimes = 20

// Run executes the workflow: it starts what can be done next, until nothing is left.
func Run(ctx workflow.Context, o Order) error {
	r := state{Order: o, running: map[store.Key]bool{}, begun: map[store.Key]int{}, jobs: workflow.NewSelector(ctx)}
	jobs, stop := workflow.WithCancel(ctx)
	for {
		var tasks []job.Task
		if err := workflow.ExecuteActivity(options(ctx, o, classPlan, ""), nextName, r.question()).Get(ctx, &tasks); err != nil {
			r.failed = err
		}
		for _, t := range tasks {
			r.start(jobs, t)
		}
		if r.failed == nil {
			if len(r.running) == 0 {
				return nil
			}
			r.jobs.Select(ctx)
			for r.jobs.HasPending() {
				r.jobs.Select(ctx)
			}
		}
		switch {
		case temporal.IsCanceledError(r.failed):
			r.drain(ctx)
			return r.failed
		case r.failed != nil: // jobs under way hear of the end with their next heartbeat
			return r.failed
		case workflow.GetInfo(ctx).GetCurrentHistoryLength() >= cmp.Or(o.Events, mostEvents):
			stop()
			return r.anew(ctx)
		}
	}
}

// run is a workflow under way.
type state struct {
	Order
	running map[store.Key]bool
	begun   map[store.Key]int
	failed  error
	jobs    workflow.Selector
}

// question returns what planning is asked.
func (r *state) question() question {
	q := question{Plan: r.Plan, Lost: r.Lost}
	for _, key := range slices.Sorted(maps.Keys(r.running)) {
		q.Running = append(q.Running, short(key))
	}
	return q
}

// start starts a job, unless the run has failed.
func (r *state) start(ctx workflow.Context, t job.Task) {
	if r.running[t.Key] || r.failed != nil {
		return
	}
	if r.begun[t.Key]++; r.begun[t.Key] > mostTimes {
		r.failed = temporal.NewNonRetryableApplicationError(fmt.Sprintf("the result of %s, or what it needs, was lost from the store %d times", activityID(t), mostTimes), lostType, nil)
		return
	}
	r.running[t.Key] = true
	r.jobs.AddFuture(workflow.ExecuteActivity(options(ctx, r.Order, run.ClassOf(t.Step), activityID(t)), jobName, t), func(f workflow.Future) {
		delete(r.running, t.Key)
		err := f.Get(ctx, nil)
		var app *temporal.ApplicationError
		switch {
		case errors.As(err, &app) && app.Type() == lostType:
			r.Lost++
		case err != nil && r.failed == nil:
			r.failed = err
		}
	})
}

// drain waits for the jobs under way, which were cancelled and save their checkpoints.
func (r *state) drain(ctx workflow.Context) {
	for len(r.running) > 0 {
		r.jobs.Select(ctx)
	}
}

// anew goes on in a new history. Jobs cannot move there: they were cancelled and save their checkpoints, from which the
// new history's go on.
func (r *state) anew(ctx workflow.Context) error {
	r.drain(ctx)
	switch {
	case r.failed != nil && !temporal.IsCanceledError(r.failed):
		return r.failed
	case ctx.Err() != nil: // the run itself was cancelled meanwhile
		return ctx.Err()
	}
	return workflow.NewContinueAsNewError(ctx, runName, r.Order)
}

// options returns an activity's. Faults of the store and dead workers are tried again; a job that fails by itself, or that
// kills its workers, fails the run.
func options(ctx workflow.Context, o Order, class, id string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ActivityID:          id,
		TaskQueue:           queueOf(o.Queue, class),
		StartToCloseTimeout: 90 * 24 * time.Hour, // a training may take weeks: heartbeats tell whether it is alive
		HeartbeatTimeout:    o.Heartbeat,
		WaitForCancellation: true,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second},
	})
}
