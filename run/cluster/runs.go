package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
)

// words are what users read of a run's state.
var words = map[enums.WorkflowExecutionStatus]string{
	enums.WORKFLOW_EXECUTION_STATUS_RUNNING: "running", enums.WORKFLOW_EXECUTION_STATUS_COMPLETED: "finished", enums.WORKFLOW_EXECUTION_STATUS_FAILED: "failed",
	enums.WORKFLOW_EXECUTION_STATUS_CANCELED: "cancelled", enums.WORKFLOW_EXECUTION_STATUS_TERMINATED: "terminated", enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT: "timed out",
	enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW: "running",
}

// List writes a table of the server's runs, those that started last first, at most so many.
func (c *Client) List(ctx context.Context, w io.Writer, most int) error {
	var token []byte
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tSTATE\tSTARTED\tTOOK")
	n := 0
	for {
		r, err := c.Temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Query: fmt.Sprintf("WorkflowType = '%s' AND ExecutionStatus != 'ContinuedAsNew'", runName), PageSize: int32(min(most-n, 1000)), NextPageToken: token,
		})
		if err != nil {
			return fmt.Errorf("list the runs: %w", err)
		}
		for _, e := range r.Executions {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", e.Execution.WorkflowId, words[e.Status], beganOf(e).Local().Format(time.DateTime), tookOf(e))
		}
		n += len(r.Executions)
		if token = r.NextPageToken; len(token) == 0 || n >= most {
			return t.Flush()
		}
	}
}

// beganOf returns when a run was started, in its first history.
func beganOf(e *workflow.WorkflowExecutionInfo) time.Time {
	began := e.StartTime.AsTime()
	if p := e.GetMemo().GetFields()[beganMemo]; p != nil {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &began) // as the server has it otherwise
	}
	return began
}

// tookOf returns how long a run took, or has taken so far.
func tookOf(e *workflow.WorkflowExecutionInfo) time.Duration {
	end := time.Now()
	if e.CloseTime != nil {
		end = e.CloseTime.AsTime()
	}
	return end.Sub(beganOf(e)).Round(time.Second)
}

// Status writes how a run stands: its state, and the jobs under way or why it ended.
func (c *Client) Status(ctx context.Context, w io.Writer, id string) error {
	d, err := c.Temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return known(id, err)
	}
	e := d.WorkflowExecutionInfo
	fmt.Fprintf(w, "%s: %s, started %s, %v\n", id, words[e.Status], beganOf(e).Local().Format(time.DateTime), tookOf(e))
	if e.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		if err := c.ended(ctx, id); err != nil {
			fmt.Fprintln(w, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		return nil
	}
	var lines []string
	waiting := 0
	for _, a := range d.PendingActivities {
		job := parseID(a.ActivityId)
		switch {
		case job.step == "":
		case a.State == enums.PENDING_ACTIVITY_STATE_STARTED:
			lines = append(lines, "  "+underWay(job, a))
		default:
			waiting++
		}
	}
	slices.Sort(lines)
	fmt.Fprintf(w, "jobs under way: %d, waiting: %d\n", len(lines), waiting)
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	return nil
}

// underWay returns one job's line.
func underWay(job name, a *workflow.PendingActivityInfo) string {
	text := job.step + " " + job.policy
	var p Progress
	if a.HeartbeatDetails != nil && converter.GetDefaultDataConverter().FromPayloads(a.HeartbeatDetails, &p) == nil && p.Iters > 0 {
		text += fmt.Sprintf(", iteration %d of %d", p.Step.Iter, p.Iters)
	}
	host, _, _ := strings.Cut(a.LastWorkerIdentity, " ")
	text += fmt.Sprintf(", %v on %s", time.Since(a.LastStartedTime.AsTime()).Round(time.Second), host)
	if a.Attempt > 1 {
		text += fmt.Sprintf(", attempt %d", a.Attempt)
	}
	return text
}

// Cancel asks a run to stop: its jobs save checkpoints.
func (c *Client) Cancel(ctx context.Context, id string) error {
	if err := c.running(ctx, id); err != nil {
		return err
	}
	return known(id, c.Temporal.CancelWorkflow(ctx, id, ""))
}

// Terminate ends a run at once, with or without workers. Jobs under way stop at their next heartbeat.
func (c *Client) Terminate(ctx context.Context, id string) error {
	if err := c.running(ctx, id); err != nil {
		return err
	}
	return known(id, c.Temporal.TerminateWorkflow(ctx, id, "", "mapo runs terminate"))
}

// running returns why a run cannot be ended: it is not there, or has ended.
func (c *Client) running(ctx context.Context, id string) error {
	d, err := c.Temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return known(id, err)
	}
	if s := d.WorkflowExecutionInfo.Status; s != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return fmt.Errorf("%s has ended already: %s", id, words[s])
	}
	return nil
}
