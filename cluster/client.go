package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"mapo/flow"
	"mapo/store"
)

const (
	lookEvery  = time.Second     // between two looks at a run
	lonelyTime = 5 * time.Second // without a worker before it is said
)

// ErrNoRun is wrapped by the error for a run that the server does not know.
var ErrNoRun = errors.New("there is no such run")

// Client starts, watches and cancels runs.
type Client struct {
	Temporal client.Client
	Events   func(flow.Event) // called one at a time; nil: nobody listens
	seen     map[string]*seen
	asked    time.Time // when workers were last looked for
}

// seen is what was last told of a job.
type seen struct {
	step, policy string
	job          bool      // or looking for what is next
	since        time.Time // seen at work; zero: not yet
	attempt      int32
	iter         int
	seconds      float64
	gone         bool
}

// ID is a run's name on the server: starting the same run on the same store again is watching the first.
func ID(plan flow.Plan, key store.Key, m Identity) string {
	sum := sha256.Sum256([]byte(m.ID + string(key)))
	return "mapo-" + plan.Name + "-" + plan.Content + "-" + hex.EncodeToString(sum[:6])
}

// Start starts the run of that name, or finds it under way.
func (c *Client) Start(ctx context.Context, id string, key store.Key, m Identity, heartbeat time.Duration) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: queueOf(m.queue(), classPlan), StaticSummary: id,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, runName, Order{key, m.queue(), heartbeat})
	if err != nil {
		return fmt.Errorf("cluster: start %s: %w", id, err)
	}
	return nil
}

// Cancel asks a run to stop; its jobs save checkpoints.
func (c *Client) Cancel(ctx context.Context, id string) error {
	return known(id, c.Temporal.CancelWorkflow(ctx, id, ""))
}

// known is err, as ErrNoRun where the server does not know the run.
func known(id string, err error) error {
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return fmt.Errorf("%s: %w under way on this server", id, ErrNoRun)
	}
	return err
}

// Watch tells of a run until it ends, and returns its error. A server that cannot be reached for a while is waited for.
func (c *Client) Watch(ctx context.Context, id string, m Identity) error {
	c.seen = map[string]*seen{}
	silent := time.Time{}
	for {
		d, err := c.Temporal.DescribeWorkflowExecution(ctx, id, "")
		var missing *serviceerror.NotFound
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &missing):
			return known(id, err)
		case err != nil && silent.IsZero():
			silent = time.Now()
			c.warn(fmt.Sprintf("the Temporal server does not answer (%v): waiting for it", err))
		case err == nil:
			silent = time.Time{}
			c.look(d.PendingActivities)
			if d.WorkflowExecutionInfo.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
				return c.ended(ctx, id)
			}
			c.lonely(ctx, d.PendingActivities, m)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookEvery):
		}
	}
}

// ended is how a run came out.
func (c *Client) ended(ctx context.Context, id string) error {
	err := c.Temporal.GetWorkflow(ctx, id, "").Get(ctx, nil)
	var app *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case temporal.IsCanceledError(err):
		return fmt.Errorf("%s was cancelled; start it again, and it goes on from its checkpoints", id)
	case errors.As(err, &app):
		return errors.New(app.Message())
	}
	return fmt.Errorf("%s: %w", id, err)
}

func (c *Client) tell(e flow.Event) {
	if c.Events != nil {
		c.Events(e)
	}
}

func (c *Client) warn(text string) {
	c.tell(flow.Event{Kind: flow.Warned, Step: "run", For: "on the cluster", Text: text})
}

// look tells what has changed in the jobs under way.
func (c *Client) look(now []*workflow.PendingActivityInfo) {
	for _, s := range c.seen {
		s.gone = true
	}
	for _, a := range now {
		s := c.seen[a.ActivityId]
		if s == nil {
			s = &seen{attempt: 1}
			s.step, s.policy, s.job = parseID(a.ActivityId)
			c.seen[a.ActivityId] = s
		}
		s.gone = false
		c.one(s, a)
	}
	for id, s := range c.seen {
		if s.gone {
			delete(c.seen, id)
			if s.job && !s.since.IsZero() { // its last heartbeat may be older than its end
				c.tell(flow.Event{Kind: flow.Finished, Step: s.step, For: s.policy, Seconds: max(s.seconds, time.Since(s.since).Seconds())})
			}
		}
	}
}

// one tells of one job, and where looking for what is next fails.
func (c *Client) one(s *seen, a *workflow.PendingActivityInfo) {
	if !s.job {
		if a.Attempt > s.attempt {
			s.attempt = a.Attempt
			c.warn(fmt.Sprintf("what is next could not be found out, attempt %d: %s", a.Attempt, a.GetLastFailure().GetMessage()))
		}
		return
	}
	if a.State == enums.PENDING_ACTIVITY_STATE_STARTED && s.since.IsZero() {
		s.since = time.Now()
		c.tell(flow.Event{Kind: flow.Started, Step: s.step, For: s.policy})
	}
	if a.Attempt > s.attempt {
		s.attempt = a.Attempt
		c.tell(flow.Event{Kind: flow.Warned, Step: s.step, For: s.policy, Text: fmt.Sprintf("attempt %d: %s", a.Attempt, a.GetLastFailure().GetMessage())})
	}
	var p Progress
	if a.HeartbeatDetails == nil || converter.GetDefaultDataConverter().FromPayloads(a.HeartbeatDetails, &p) != nil {
		return
	}
	s.seconds = max(s.seconds, p.Seconds)
	if p.Iter != s.iter {
		s.iter = p.Iter
		c.tell(p.event(s.step, s.policy))
	}
}

// lonely says, now and then, that nobody serves a run whose jobs all wait.
func (c *Client) lonely(ctx context.Context, now []*workflow.PendingActivityInfo, m Identity) {
	for _, a := range now {
		if a.State == enums.PENDING_ACTIVITY_STATE_STARTED {
			c.asked = time.Now()
			return
		}
	}
	if c.asked.IsZero() {
		c.asked = time.Now()
	}
	if time.Since(c.asked) < lonelyTime {
		return
	}
	c.asked = time.Now().Add(time.Minute - lonelyTime)
	for _, class := range []string{classPlan, flow.ClassTrain, flow.ClassJudge} {
		d, err := c.Temporal.DescribeTaskQueue(ctx, queueOf(m.queue(), class), enums.TASK_QUEUE_TYPE_ACTIVITY)
		if err == nil && len(d.Pollers) == 0 {
			c.warn(fmt.Sprintf("no worker serves %q: start one of this version, %v: mapo worker --temporal HOST:PORT --store URL", class, m))
			return
		}
	}
}
