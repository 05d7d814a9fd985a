package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"

	"mapo/run"
)

const (
	lonelyTime = 5 * time.Second  // without a worker before it is said
	stickyTime = 5 * time.Second  // that a workflow's task waits for the worker that had the last one
	repeatTime = time.Minute      // between two of the same words
	pollTime   = 70 * time.Second // a worker with a free slot asks for work at least every 60 s
)

// wait is a class's jobs waiting while none is under way.
type wait struct {
	since time.Time
	text  string // what was last said of it, and when
	said  time.Time
}

// lonely says, now and then, why a class's jobs wait.
func (c *Client) lonely(ctx context.Context, now []*workflow.PendingActivityInfo, task *workflow.PendingWorkflowTaskInfo, m Identity) {
	waiting := waitingClasses(now, task)
	for _, class := range []string{classPlan, run.ClassTrain, run.ClassJudge} {
		if !waiting[class] {
			delete(c.waits, class)
			continue
		}
		w := c.waits[class]
		if w == nil {
			w = &wait{since: time.Now()}
			c.waits[class] = w
		}
		least := lonelyTime
		if class == classPlan {
			least += stickyTime
		}
		if time.Since(w.since) < least {
			continue
		}
		if text := c.whyWaiting(ctx, class, m); text != "" && (text != w.text || time.Since(w.said) > repeatTime) {
			w.text, w.said = text, time.Now()
			c.warn(text)
		}
	}
}

// waitingClasses returns the classes with jobs that a worker could begin, while none is under way.
func waitingClasses(now []*workflow.PendingActivityInfo, task *workflow.PendingWorkflowTaskInfo) map[string]bool {
	waiting, busy := map[string]bool{}, map[string]bool{}
	for _, a := range now {
		class := classPlan
		if id := parseID(a.ActivityId); id.step != "" {
			class = run.ClassOf(id.step)
		}
		switch {
		case a.State == enums.PENDING_ACTIVITY_STATE_STARTED:
			busy[class] = true
		case a.State == enums.PENDING_ACTIVITY_STATE_SCHEDULED && !a.NextAttemptScheduleTime.AsTime().After(time.Now()):
			waiting[class] = true
		}
	}
	if task != nil && task.State == enums.PENDING_WORKFLOW_TASK_STATE_SCHEDULED {
		waiting[classPlan] = true
	}
	for class := range busy {
		delete(waiting, class)
	}
	return waiting
}

// whyWaiting says why a class's jobs wait, "" where it cannot be found out. Workers always have room for planning, so
// where that waits there is none. The other classes' may be busy, and a busy one does not ask for work: it is known by
// its asking for planning.
func (c *Client) whyWaiting(ctx context.Context, class string, m Identity) string {
	const start = "start one of this version, %v: mapo worker --temporal HOST:PORT --store URL%s"
	if class == classPlan {
		return "no worker serves this store: " + fmt.Sprintf(start, m, "")
	}
	live := map[string]bool{}
	for _, queue := range []string{class, classPlan} {
		d, err := c.Temporal.DescribeTaskQueue(ctx, queueOf(m.queue(), queue), enums.TASK_QUEUE_TYPE_ACTIVITY)
		if err != nil {
			return ""
		}
		for _, p := range d.Pollers {
			_, served, _ := strings.Cut(p.Identity, " ") // see Worker.identity
			if time.Since(p.LastAccessTime.AsTime()) < pollTime && (queue == class || slices.Contains(strings.Split(served, ","), class)) {
				live[p.Identity] = true
			}
		}
	}
	if len(live) == 0 {
		return fmt.Sprintf("no worker serves %q jobs: ", class) + fmt.Sprintf(start, m, " --slots "+class+"=1")
	}
	return fmt.Sprintf("%s jobs are queued behind other runs: the workers that serve them, %d of them, are busy", class, len(live))
}
