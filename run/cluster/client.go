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
	"go.temporal.io/sdk/client"

	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
)

// ErrNoRun is wrapped by the error for a run that the server does not know.
var ErrNoRun = errors.New("there is no such run")

// Client starts, watches, lists and ends runs.
type Client struct {
	Temporal client.Client
	Store    store.Store     // for Watch: what is there of the jobs
	Events   func(job.Event) // called one at a time; nil: not called
	Most     int             // Order.Events of the runs it starts

	seen  map[string]*seen
	waits map[string]*wait
}

// ID returns a run's name on the server. It is the same for the same run on the same store, so that
// starting it again watches the first.
func ID(plan run.Plan, key store.Key, m Identity) string {
	sum := sha256.Sum256([]byte(m.ID + string(key)))
	return "mapo-" + plan.Name + "-" + plan.Content + "-" + hex.EncodeToString(sum[:6])
}

// Start starts the run of that name, or finds it under way.
func (c *Client) Start(ctx context.Context, id string, key store.Key, m Identity, heartbeat time.Duration) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: queueOf(m.queue(), classPlan), StaticSummary: id, Memo: map[string]any{beganMemo: time.Now()},
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, runName, Order{Plan: key, Queue: m.queue(), Heartbeat: heartbeat, Events: c.Most})
	if err != nil {
		return fmt.Errorf("cluster: start %s: %w", id, err)
	}
	return nil
}

// beganMemo names when a run was started, which its later histories have too.
const beganMemo = "began"

// known returns err, or an error that wraps [ErrNoRun] where the server does not know the run.
func known(id string, err error) error {
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return fmt.Errorf("%s: %w on this server", id, ErrNoRun)
	}
	return err
}
