package cluster

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"mapo/record"
	"mapo/run"
	"mapo/run/job"
)

// stopTime is how long a worker that is told to stop waits for its jobs' checkpoints.
const stopTime = time.Minute

// Worker does jobs.
type Worker struct {
	Local *job.Local // with the store; its cores are shared by the jobs under way
	Queue string     // the store's
	Slots Slots      // of the classes served besides planning

	Log func(id, text string) // called concurrently; nil: no log

	client  client.Client // nil until Serve
	plans   planners
	suspect sync.Mutex // held by the one job under way that may be what killed workers before; see job
}

// Slots is how many jobs a worker does at once, by class.
type Slots map[string]int

// NewWorker returns a worker on the store of l, whose identity is m. It lets l do as many jobs at
// once as there are slots.
func NewWorker(l *job.Local, m Identity, slots Slots) *Worker {
	l.Jobs = 0
	for _, n := range slots {
		l.Jobs += n
	}
	return &Worker{Local: l, Queue: m.queue(), Slots: slots, plans: planners{store: l.Store}}
}

// ParseSlots reads slots as a user writes them: a number for every class, or CLASS=NUMBER,… for those to serve.
func ParseSlots(text string) (Slots, error) {
	known := []string{run.ClassTrain, run.ClassJudge}
	slots := Slots{}
	for part := range strings.SplitSeq(text, ",") {
		class, number, single := strings.Cut(part, "=")
		classes := []string{class}
		if !single {
			classes, number = known, part
		}
		n, err := strconv.Atoi(number)
		told := func(c string) bool { return slots[c] != 0 }
		if err != nil || n < 1 || !slices.Contains(known, classes[0]) || slices.ContainsFunc(classes, told) {
			return nil, fmt.Errorf("slots are %q, want a number such as 2, or %s=1,%s=4", text, known[0], known[1])
		}
		for _, c := range classes {
			slots[c] = n
		}
	}
	return slots, nil
}

// Classes returns those served, sorted.
func (s Slots) Classes() []string { return slices.Sorted(maps.Keys(s)) }

// registry is what a worker's parts are told to: a worker.Worker, or the SDK's test environment.
type registry interface {
	RegisterWorkflowWithOptions(w any, o workflow.RegisterOptions)
	RegisterActivityWithOptions(a any, o activity.RegisterOptions)
}

func (w *Worker) register(r registry) {
	r.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: runName})
	r.RegisterActivityWithOptions(w.next, activity.RegisterOptions{Name: nextName})
	r.RegisterActivityWithOptions(w.job, activity.RegisterOptions{Name: jobName})
}

// Serve does jobs until ctx ends, then waits for their checkpoints.
func (w *Worker) Serve(ctx context.Context, c client.Client) (err error) {
	w.client = c
	fatal := make(chan error, 1+len(w.Slots))
	var parts []stopper
	defer func() { stopAll(parts) }()
	for _, class := range append(w.Slots.Classes(), classPlan) {
		o := worker.Options{
			WorkerStopTimeout:     stopTime,
			Identity:              w.identity(),
			DisableWorkflowWorker: class != classPlan,
			OnFatalError:          func(err error) { fatal <- err },
		}
		if class != classPlan {
			o.MaxConcurrentActivityExecutionSize = w.Slots[class]
		}
		part := worker.New(c, queueOf(w.Queue, class), o)
		if class == classPlan {
			w.register(part)
		} else {
			part.RegisterActivityWithOptions(w.job, activity.RegisterOptions{Name: jobName})
		}
		if err := part.Start(); err != nil {
			return fmt.Errorf("cluster: start: %w", err)
		}
		parts = append(parts, part)
	}
	go w.hearServer(ctx, c)
	select {
	case <-ctx.Done():
		return nil
	case err := <-fatal:
		return fmt.Errorf("cluster: %w", err)
	}
}

// stopper is a part of a worker under way. Stop tells its jobs to stop, and waits for them.
type stopper interface{ Stop() }

// stopAll stops parts at once. One after another, the jobs of the last would hear of it only when
// those before it have saved their checkpoints, and it would begin further jobs meanwhile.
func stopAll(parts []stopper) {
	var all sync.WaitGroup
	for _, p := range parts {
		all.Go(p.Stop)
	}
	all.Wait()
}

const hearEvery = 5 * time.Second // between two looks whether the server is there

// hearServer logs when the server does not answer, and when it does again.
func (w *Worker) hearServer(ctx context.Context, c client.Client) {
	away := time.Time{}
	for ctx.Err() == nil {
		_, err := c.CheckHealth(ctx, &client.CheckHealthRequest{})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && away.IsZero():
			away = time.Now()
			w.log("", "the Temporal server does not answer: waiting for it")
		case err == nil && !away.IsZero():
			w.log("", fmt.Sprintf("the Temporal server answers again, after %.0f s", time.Since(away).Seconds()))
			away = time.Time{}
		}
		select {
		case <-ctx.Done():
		case <-time.After(hearEvery):
		}
	}
}

// identity names the worker on Temporal's pages and tells watchers what it serves.
func (w *Worker) identity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%d@%s %s", os.Getpid(), host, strings.Join(w.Slots.Classes(), ","))
}

// job does one job, as an activity of the workflow.
func (w *Worker) job(ctx context.Context, t job.Task) (err error) {
	defer caught(activityID(t), &err)
	p := &pulse{send: w.sender(ctx), progress: Progress{Step: record.Step{Worst: math.NaN()}, Trace: earlier(ctx)}}
	at, err := p.reached(ctx, w.Local.Store, t.Key)
	if err != nil {
		return err
	}
	p.progress.Trace = p.progress.Trace.after(at)
	if p.progress.Lost >= mostLost {
		return deadly(activityID(t))
	}
	free := func() {}
	if p.progress.Lost > 0 {
		if !w.suspect.TryLock() {
			return p.wait(ctx)
		}
		free = sync.OnceFunc(w.suspect.Unlock)
		defer free()
	}
	ctx, done := alive(ctx, p)
	defer done()
	id := activity.GetInfo(ctx).WorkflowExecution.ID
	err = w.Local.Do(ctx, t, func(e job.Event) {
		p.set(e)
		if e.Kind == job.Saved {
			free()
		}
		if e.Kind != job.Progress && e.Kind != job.Sampled && e.Kind != job.Saved {
			w.log(id, e.String())
		}
	})
	if job.Lacking(err) && activity.GetInfo(ctx).Attempt >= lostAfter {
		return temporal.NewNonRetryableApplicationError(err.Error(), lostType, err)
	}
	return verdict(ctx, err)
}

// lostAfter is the attempt from which on what is missing counts as lost, not as late: some seconds after the first.
const lostAfter = 4

// log writes a line about a run, or about the worker itself where run is empty.
func (w *Worker) log(id, text string) {
	if w.Log != nil {
		w.Log(id, text)
	}
}
