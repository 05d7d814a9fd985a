package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mapo/run/job"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

const lookEvery = time.Second // between two looks at a run

// seen is what was last told of a job.
type seen struct {
	job     name
	since   time.Time // under way since, as far as was seen; zero: not yet
	attempt int32
	iter    int
	seconds float64
	warning string
	gone    bool
}

// Watch tells of a run until it ends, and returns its error. A server that cannot be reached for a while is waited for.
func (c *Client) Watch(ctx context.Context, id string, m Identity) error {
	c.seen, c.waits = map[string]*seen{}, map[string]*wait{}
	away := false
	for {
		d, err := c.Temporal.DescribeWorkflowExecution(ctx, id, "")
		var missing *serviceerror.NotFound
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &missing):
			return known(id, err)
		case err != nil && !away:
			away = true
			c.warn("the Temporal server does not answer: waiting for it")
		case err == nil && away:
			away = false
			c.warn("the Temporal server answers again")
		}
		if err == nil {
			c.look(ctx, d.PendingActivities)
			if d.WorkflowExecutionInfo.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
				return c.ended(ctx, id)
			}
			c.lonely(ctx, d.PendingActivities, d.PendingWorkflowTask, m)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookEvery):
		}
	}
}

// ended returns how a run came out.
func (c *Client) ended(ctx context.Context, id string) error {
	err := c.Temporal.GetWorkflow(ctx, id, "").Get(ctx, nil)
	var app *temporal.ApplicationError
	var ended *temporal.TerminatedError
	switch {
	case err == nil:
		return nil
	case temporal.IsCanceledError(err):
		return fmt.Errorf("%s was cancelled; start it again: it resumes from its checkpoints", id)
	case errors.As(err, &ended):
		return fmt.Errorf("%s was terminated; start it again: it resumes from its checkpoints", id)
	case errors.As(err, &app):
		return errors.New(app.Message())
	}
	return fmt.Errorf("%s: %w", id, err)
}

func (c *Client) tell(e job.Event) {
	if c.Events != nil {
		c.Events(e)
	}
}

func (c *Client) warn(text string) {
	c.tell(job.Event{Kind: job.Warned, Step: "run", For: "on the cluster", Text: text})
}

// look tells what has changed in the jobs under way.
func (c *Client) look(ctx context.Context, now []*workflow.PendingActivityInfo) {
	for _, s := range c.seen {
		s.gone = true
	}
	for _, a := range now {
		s := c.seen[a.ActivityId]
		if s == nil {
			s = &seen{attempt: 1, job: parseID(a.ActivityId)}
			c.seen[a.ActivityId] = s
		}
		s.gone = false
		c.one(s, a)
	}
	for id, s := range c.seen {
		if s.gone {
			delete(c.seen, id)
			c.finished(ctx, s)
		}
	}
}

// finished tells of a job that is not under way any more, where it has a result: it may have been cancelled.
func (c *Client) finished(ctx context.Context, s *seen) {
	if s.since.IsZero() {
		return
	}
	if there, err := job.HasResult(ctx, c.Store, s.job.key); err == nil && there {
		// Its last heartbeat may be older than its end.
		c.tell(job.Event{Kind: job.Finished, Step: s.job.step, For: s.job.policy, Seconds: max(s.seconds, time.Since(s.since).Seconds())})
	}
}

// one tells of one job, and where planning fails.
func (c *Client) one(s *seen, a *workflow.PendingActivityInfo) {
	var p Progress
	known := a.HeartbeatDetails != nil && converter.GetDefaultDataConverter().FromPayloads(a.HeartbeatDetails, &p) == nil
	if a.Attempt > s.attempt {
		s.attempt = a.Attempt
		if text := reason(a.GetLastFailure()); text != "" {
			c.tell(s.event(job.Warned, fmt.Sprintf("attempt %d, as %s", a.Attempt, text)))
		}
	}
	if s.job.step == "" {
		return
	}
	if a.State == enums.PENDING_ACTIVITY_STATE_STARTED && s.since.IsZero() {
		s.since = time.Now()
		c.tell(s.event(job.Started, ""))
	}
	if !known {
		return
	}
	if p.Warning != s.warning {
		s.warning = p.Warning
		c.tell(s.event(job.Warned, p.Warning))
	}
	s.seconds = max(s.seconds, p.Seconds)
	if p.Step.Iter != s.iter && p.Iters > 0 {
		s.iter = p.Step.Iter
		c.tell(p.event(s.job.step, s.job.policy))
	}
}

// event returns one of the job, or of planning.
func (s *seen) event(kind job.Kind, text string) job.Event {
	if s.job.step == "" {
		return job.Event{Kind: kind, Step: "planning", For: "the run", Text: text}
	}
	return job.Event{Kind: kind, Step: s.job.step, For: s.job.policy, Text: text}
}

// reason says why an attempt has ended, "" where that is of no interest.
func reason(f *failure.Failure) string {
	switch {
	case f == nil, f.GetApplicationFailureInfo().GetType() == suspectType:
		return ""
	case f.GetTimeoutFailureInfo().GetTimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT:
		return "the worker died or fell silent: no heartbeat came in time"
	case f.GetTimeoutFailureInfo() != nil:
		return "it took too long"
	case f.GetApplicationFailureInfo().GetType() == stoppingType:
		return "the worker was stopped"
	}
	return "the last one failed: " + f.GetMessage()
}
