package cluster

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdk "go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/timestamppb"

	"mapo/internal/suite"
	"mapo/record"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/run/store"
)

// TestTrace: lost attempts are counted since the checkpoint last moved on.
func TestTrace(t *testing.T) {
	for _, c := range []struct {
		why    string
		before Trace
		at     int
		want   int
	}{
		{"the first attempt", Trace{}, -1, 0},
		{"one ended", Trace{At: -1}, -1, 0},
		{"one was lost", Trace{Busy: true, At: -1}, -1, 1},
		{"one more was lost", Trace{Busy: true, At: 7, Lost: 1}, 7, 2},
		{"one ended after a lost one", Trace{At: 7, Lost: 1}, 7, 1},
		{"one was lost after progress", Trace{Busy: true, At: 7, Lost: 2}, 8, 1},
		{"one ended after progress", Trace{At: 7, Lost: 2}, 8, 0},
	} {
		if got := c.before.after(c.at); got != (Trace{Busy: true, At: c.at, Lost: c.want}) {
			t.Errorf("%s: %+v, want %d lost", c.why, got, c.want)
		}
	}
}

// activities is the SDK's environment for one activity, without its log.
func activities() *testsuite.TestActivityEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	return suite.NewTestActivityEnvironment()
}

// attempt is one at a job, after one that left the trace.
func attempt(t *testing.T, w *Worker, task job.Task, before Trace) (left []Trace, err error) {
	t.Helper()
	env := activities()
	env.RegisterActivity(w.job)
	env.SetHeartbeatDetails(Progress{Trace: before})
	env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		var p Progress
		if err := details.Get(&p); err != nil {
			t.Error(err)
		}
		left = append(left, p.Trace)
	})
	_, err = env.ExecuteActivity(w.job, task)
	return left, err
}

// TestDeadlyJob: a job that has lost three workers fails and is named; one that has lost fewer is done, but not beside
// another such job.
func TestDeadlyJob(t *testing.T) {
	s, plan := shared(t), tiny(t)
	tasks, err := run.Next(t.Context(), plan, s)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(tasks, func(t job.Task) bool { return run.ClassOf(t.Step) == run.ClassJudge })
	task := tasks[at]
	w := NewWorker(&job.Local{Store: s, Steps: run.Steps()}, Identity{}, Slots{run.ClassJudge: 1})
	var app *temporal.ApplicationError

	_, err = attempt(t, w, task, Trace{Busy: true, At: -1, Lost: 2})
	if !errors.As(err, &app) || app.Type() != deadlyType || !app.NonRetryable() || !strings.Contains(app.Message(), activityID(task)) {
		t.Errorf("after three lost workers: %v", err)
	}
	w.suspect.Lock()
	left, err := attempt(t, w, task, Trace{Busy: true, At: -1})
	if !errors.As(err, &app) || app.Type() != suspectType || app.NonRetryable() {
		t.Errorf("beside another suspect: %v", err)
	}
	if want := []Trace{{At: -1, Lost: 1}}; !slices.Equal(left, want) {
		t.Errorf("beside another suspect: left %+v, want %+v", left, want)
	}
	w.suspect.Unlock()
	left, err = attempt(t, w, task, Trace{Busy: true, At: -1, Lost: 1})
	if err != nil {
		t.Errorf("after two lost workers: %v", err)
	}
	if len(left) == 0 || left[0] != (Trace{Busy: true, At: -1, Lost: 2}) {
		t.Errorf("left %+v", left)
	}
	if !w.suspect.TryLock() {
		t.Error("the suspect has ended, and others still wait for it")
	}
}

// TestSlowStore: a store that is slow to say how far a job is does not make its worker seem dead,
// and a lost attempt before that still counts.
func TestSlowStore(t *testing.T) {
	s, plan := shared(t), tiny(t)
	tasks, err := run.Next(t.Context(), plan, s)
	if err != nil {
		t.Fatal(err)
	}
	slow := slowList{s, make(chan struct{})}
	w := NewWorker(&job.Local{Store: slow, Steps: run.Steps()}, Identity{}, Slots{run.ClassJudge: 1})
	env := activities()
	env.RegisterActivity(w.job)
	before := Trace{Busy: true, At: -1, Lost: 1}
	env.SetHeartbeatDetails(Progress{Trace: before})
	var first Progress
	var once sync.Once
	env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		once.Do(func() {
			if err := details.Get(&first); err != nil {
				t.Error(err)
			}
			close(slow.heard)
		})
	})
	if _, err = env.ExecuteActivity(w.job, tasks[0]); err != nil {
		t.Error(err)
	}
	if first.Trace != before {
		t.Errorf("the first heartbeat has %+v, want %+v", first.Trace, before)
	}
}

// slowList is a store that lists nothing before a heartbeat was heard.
type slowList struct {
	store.Store
	heard chan struct{}
}

func (s slowList) List(ctx context.Context, prefix string) ([]string, error) {
	select {
	case <-s.heard:
	case <-time.After(suite.Patience):
		return nil, errors.New("no heartbeat came")
	}
	return s.Store.List(ctx, prefix)
}

// TestStopAll: the jobs of all classes are told to stop at once.
func TestStopAll(t *testing.T) {
	var told sync.WaitGroup
	told.Add(3)
	all := make(chan struct{})
	go func() {
		told.Wait()
		close(all)
	}()
	part := stopFunc(func() {
		told.Done()
		select {
		case <-all:
		case <-time.After(suite.Patience):
			t.Error("a part stops before all were told to")
		}
	})
	stopAll([]stopper{part, part, part})
}

// stopFunc is a part that stops by a function.
type stopFunc func()

func (f stopFunc) Stop() { f() }

// TestPanic: a job that panics fails and is named; tried again, it would panic again.
func TestPanic(t *testing.T) {
	s, plan := shared(t), tiny(t)
	tasks, err := run.Next(t.Context(), plan, s)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWorker(&job.Local{Store: panics{s}, Steps: run.Steps()}, Identity{}, Slots{run.ClassJudge: 1})
	_, err = attempt(t, w, tasks[0], Trace{})
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || !app.NonRetryable() || !strings.Contains(app.Message(), activityID(tasks[0])) {
		t.Error(err)
	}
}

// panics is a store with a fault of mapo's.
type panics struct{ store.Store }

func (panics) Get(context.Context, string) ([]byte, error) { panic("a planted fault") }

// TestWaitingClasses: only jobs that a worker could begin wait, and only while none of their class is under way.
func TestWaitingClasses(t *testing.T) {
	pending := func(id string, state enums.PendingActivityState, in time.Duration) *workflow.PendingActivityInfo {
		a := &workflow.PendingActivityInfo{ActivityId: id, State: state}
		if in != 0 {
			a.NextAttemptScheduleTime = timestamppb.New(time.Now().Add(in))
		}
		return a
	}
	const started, scheduled = enums.PENDING_ACTIVITY_STATE_STARTED, enums.PENDING_ACTIVITY_STATE_SCHEDULED
	for _, c := range []struct {
		why  string
		now  []*workflow.PendingActivityInfo
		task enums.PendingWorkflowTaskState
		want []string
	}{
		{why: "nothing"},
		{why: "a training waits", now: []*workflow.PendingActivityInfo{pending("train pi-1 #0", scheduled, 0)}, want: []string{run.ClassTrain}},
		{why: "behind another of the run", now: []*workflow.PendingActivityInfo{pending("train pi-1 #0", scheduled, 0), pending("train pi-2 #1", started, 0)}},
		{why: "a judge waits beside a training", now: []*workflow.PendingActivityInfo{pending("judge pi-1 #0", scheduled, 0), pending("train pi-2 #1", started, 0)}, want: []string{run.ClassJudge}},
		{why: "until it is tried again", now: []*workflow.PendingActivityInfo{pending("judge pi-1 #0", scheduled, time.Minute)}},
		{why: "planning", now: []*workflow.PendingActivityInfo{pending("5", scheduled, 0)}, want: []string{classPlan}},
		{why: "the workflow", task: enums.PENDING_WORKFLOW_TASK_STATE_SCHEDULED, want: []string{classPlan}},
		{why: "the workflow is at work", task: enums.PENDING_WORKFLOW_TASK_STATE_STARTED},
	} {
		got := waitingClasses(c.now, &workflow.PendingWorkflowTaskInfo{State: c.task})
		if len(got) != len(c.want) || len(c.want) > 0 && !got[c.want[0]] {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// TestOne: a watcher is told in words of mapo, and of no iteration before there is one.
func TestOne(t *testing.T) {
	details := func(p Progress) *common.Payloads {
		data, err := converter.GetDefaultDataConverter().ToPayloads(p)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	timeout := &failure.Failure{Message: "activity Heartbeat timeout", FailureInfo: &failure.Failure_TimeoutFailureInfo{
		TimeoutFailureInfo: &failure.TimeoutFailureInfo{TimeoutType: enums.TIMEOUT_TYPE_HEARTBEAT}}}
	var told []string
	c := &Client{Events: func(e job.Event) { told = append(told, e.String()) }}
	s := &seen{attempt: 1, job: parseID("train pi-1 #0")}
	nan := math.NaN()
	for _, a := range []*workflow.PendingActivityInfo{
		{Attempt: 1, HeartbeatDetails: details(Progress{Step: record.Step{Worst: nan}})},
		{Attempt: 1, HeartbeatDetails: details(Progress{Step: record.Step{Phase: "pi", Iter: 3, Worst: nan}, Iters: 9})},
		{Attempt: 1, HeartbeatDetails: details(Progress{Step: record.Step{Phase: "pi", Iter: 4, Worst: .5}, Iters: 9})},
		{Attempt: 2, HeartbeatDetails: details(Progress{Step: record.Step{Worst: nan}}), LastFailure: timeout},
		{Attempt: 2, HeartbeatDetails: details(Progress{Step: record.Step{Iter: 2, Worst: nan}, Iters: 9, Warning: "a checkpoint is corrupt"})},
	} {
		c.one(s, a)
	}
	want := []string{
		"train pi-1: pi, iteration 3 of 9", "train pi-1: pi, iteration 4 of 9, worst case so far 0.5",
		"train pi-1: warning: attempt 2, as the worker died or fell silent: no heartbeat came in time",
		"train pi-1: warning: a checkpoint is corrupt", "train pi-1: goes on at iteration 2",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}

// TestAnew: a run whose history is full goes on in a new one, from the checkpoints, to the same bytes.
func TestAnew(t *testing.T) {
	plan, s := tiny(t), shared(t)
	histories := 0
	for ; ; histories++ {
		err := carry(t, plan, s, quick(s), func(env *testsuite.TestWorkflowEnvironment) { env.SetCurrentHistoryLength(mostEvents) })
		var anew *sdk.ContinueAsNewError
		if errors.As(err, &anew) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if histories < 3 {
		t.Errorf("it went on in a new history %d times", histories)
	}
	f, res, err := run.Assemble(t.Context(), plan, s)
	if err != nil {
		t.Fatal(err)
	}
	runtest.Same(t, "in many histories", written(t, plan, s, f, res), inProcess(t, plan))
}

// TestPlanners: a worker keeps the planners of the last runs, and drops one that has failed or whose results were lost.
func TestPlanners(t *testing.T) {
	s, plan, ctx := shared(t), tiny(t), t.Context()
	p := planners{store: s}
	ask := func(seed uint64, lost int) *run.Planner {
		t.Helper()
		plan.Seed = seed
		key, err := run.KeepPlan(ctx, s, plan)
		if err != nil {
			t.Fatal(err)
		}
		if tasks, err := p.next(ctx, question{Plan: key, Lost: lost}); err != nil || len(tasks) == 0 {
			t.Fatal(tasks, err)
		}
		return p.have[key].planner
	}
	first := ask(1, 0)
	if ask(1, 0) != first {
		t.Error("the same question made a new planner")
	}
	if ask(1, 1) == first {
		t.Error("a result was lost, and the planner stays")
	}
	for seed := range uint64(mostPlanners + 3) {
		ask(seed+2, 0)
	}
	if len(p.have) != mostPlanners {
		t.Errorf("%d planners are kept, want %d", len(p.have), mostPlanners)
	}
	if _, err := p.next(ctx, question{Plan: store.KeyOf("plan", nil)}); err == nil {
		t.Error("a plan that is not there")
	}
}

// TestLostPlanner: planning that has lost three workers fails.
func TestLostPlanner(t *testing.T) {
	env := activities()
	w := NewWorker(&job.Local{Store: shared(t), Steps: run.Steps()}, Identity{}, Slots{run.ClassJudge: 1})
	env.RegisterActivity(w.next)
	env.SetHeartbeatDetails(Progress{Trace: Trace{Busy: true, Lost: 2}})
	_, err := env.ExecuteActivity(w.next, question{})
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != deadlyType {
		t.Error(err)
	}
}
