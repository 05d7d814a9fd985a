// Package cluster carries out a run on many machines, through Temporal (https://temporal.io).
//
// The run is a workflow that knows no more than names: again and again it asks what can be done next
// ([flow.Next], an activity) and has it done (an activity a job, on the queue of the job's class). Inputs, results
// and checkpoints are in the store, which all machines reach; the store is the truth, and heartbeats say only
// that somebody is at work. So two attempts at one job, which Temporal does not rule out, write the same bytes.
//
//   - [Run] (workflow.go): the workflow.
//   - [Worker] (worker.go): does the jobs.
//   - [Client] (client.go): starts, watches and cancels runs.
//   - [Server] (server.go): reaches a Temporal server, with the settings of Temporal's own command.
//   - [Identity] (identity.go): what all who serve a store must have in common.
package cluster

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"mapo/flow"
	"mapo/store"
)

// Order is a workflow's input.
type Order struct {
	Plan      store.Key     // as flow.KeepPlan gave it
	Queue     string        // the store's; the classes' are made of it
	Heartbeat time.Duration // a worker not heard of for so long is taken for lost
}

// Names of the workflow and of its activities, as Temporal's pages show them.
const (
	runName  = "mapo run"
	nextName = "next"
	jobName  = "job"
)

// classPlan is the class of the work that takes no cores: the workflow's own, and finding out what is next.
const classPlan = "plan"

// queueOf is the queue of a class: one each, so that machines can serve what they are good for.
func queueOf(queue, class string) string { return queue + "-" + class }

// lostType marks the error of a job that needs a result or an input which is not in the store, or not sound. Whose
// result was lost is then done again.
const lostType = "lost"

// mostTimes is how often a job may be begun though its result, or what it needs, was there: more often, the store
// loses results.
const mostTimes = 20

// Run is the workflow: what can be done next is started, until nothing is left.
func Run(ctx workflow.Context, o Order) error {
	var (
		running = map[store.Key]bool{}
		begun   = map[store.Key]int{}
		failed  error
		fresh   bool // a result was lost: whoever plans from then on, none is taken from memory
		jobs    = workflow.NewSelector(ctx)
	)
	for {
		var tasks []flow.Task
		if err := workflow.ExecuteActivity(options(ctx, o, classPlan, ""), nextName, o.Plan, fresh).Get(ctx, &tasks); err != nil {
			failed = err
		}
		for _, t := range tasks {
			if running[t.Key] || failed != nil {
				continue
			}
			if begun[t.Key]++; begun[t.Key] > mostTimes {
				failed = temporal.NewNonRetryableApplicationError(fmt.Sprintf("the result of %s, or what it needs, was lost from the store %d times", activityID(t), mostTimes), lostType, nil)
				break
			}
			running[t.Key] = true
			jobs.AddFuture(workflow.ExecuteActivity(options(ctx, o, t.Class(), activityID(t)), jobName, t), func(f workflow.Future) {
				delete(running, t.Key)
				err := f.Get(ctx, nil)
				var app *temporal.ApplicationError
				switch {
				case errors.As(err, &app) && app.Type() == lostType:
					fresh = true
				case err != nil && failed == nil:
					failed = err
				}
			})
		}
		if failed == nil && len(running) > 0 {
			jobs.Select(ctx)
			for jobs.HasPending() {
				jobs.Select(ctx)
			}
		}
		for temporal.IsCanceledError(failed) && len(running) > 0 {
			jobs.Select(ctx) // those at work save their checkpoints
		}
		if failed != nil || len(running) == 0 && len(tasks) == 0 {
			return failed // jobs still at work, where one has failed, hear of the end with their next heartbeat
		}
	}
}

// options are an activity's. Faults of the store and lost workers are tried again without end; a job that fails
// by itself fails the run.
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
