package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"mapo/run/job"
	"mapo/run/store"
)

// A job may kill its worker: by more memory than there is, or by a fault that ends the process. Without a limit it would
// be tried again forever, and take the other jobs of each worker with it. So every attempt at an activity leaves a Trace
// in its heartbeats, which the server hands to the next one:
//
//   - An attempt that ends, in whatever way, says so. One that does not was lost with its worker.
//   - After mostLost lost attempts between which the checkpoint did not move on, the run fails and names the job.
//   - A job of which an attempt was lost is a suspect until its checkpoint moves on. A worker does one suspect at a time,
//     so that those that died beside the guilty one get on without it.

// Trace is what an attempt at an activity tells the next one, in its heartbeats.
type Trace struct {
	Busy bool `json:"busy,omitempty"` // the attempt has not ended
	At   int  `json:"at"`             // the checkpoint it started from, as store.Reached gives it
	Lost int  `json:"lost,omitempty"` // attempts lost before it since the checkpoint moved on
}

// mostLost is how many attempts at a job may be lost without progress.
const mostLost = 3

// after returns the trace of the attempt that follows t, the checkpoint being at.
func (t Trace) after(at int) Trace {
	lost := t.Lost
	if at != t.At {
		lost = 0
	}
	if t.Busy {
		lost++
	}
	return Trace{Busy: true, At: at, Lost: lost}
}

// earlier returns the trace that earlier attempts have left.
func earlier(ctx context.Context) Trace {
	var p Progress
	if !activity.HasHeartbeatDetails(ctx) || activity.GetHeartbeatDetails(ctx, &p) != nil {
		return Trace{}
	}
	return p.Trace
}

// Types of errors, as a watcher meets them.
const (
	deadlyType   = "deadly"
	suspectType  = "suspect"
	stoppingType = "stopping"
	storeType    = "store"
	jobType      = "job"
)

// deadly returns the error of an activity that has cost mostLost workers.
func deadly(what string) error {
	return temporal.NewNonRetryableApplicationError(fmt.Sprintf("%s: %d workers in a row died or fell silent while doing this job, without progress in between. "+
		"Read their logs and check their memory; then start the run again: it resumes from its checkpoints", what, mostLost), deadlyType, nil)
}

// caught makes a panic of an activity its error. Tried again, it would only come again.
func caught(what string, err *error) {
	if r := recover(); r != nil {
		*err = temporal.NewNonRetryableApplicationError(fmt.Sprintf("%s: mapo has a fault: %v", what, r), jobType, nil)
	}
}

// suspectWait is the time after which a suspect looks for a worker again that is not busy with another one.
const suspectWait = 2 * time.Second

// wait ends an attempt that has not begun, as another suspect is under way on this worker.
func (p *pulse) wait(ctx context.Context) error {
	p.end(ctx)
	return temporal.NewApplicationErrorWithOptions("another job that may have killed a worker is under way here", suspectType, temporal.ApplicationErrorOptions{NextRetryDelay: suspectWait})
}

// errStopping is the cause of a job's end where its worker stops.
var errStopping = errors.New("the worker stops")

// pulse is the progress last told.
type pulse struct {
	send     func(context.Context, Progress) error // see sender
	mu       sync.Mutex
	progress Progress
}

func (p *pulse) set(e job.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = p.progress.after(e)
}

// end notes that the attempt has ended.
func (p *pulse) end(ctx context.Context) {
	p.mu.Lock()
	p.progress.Busy = false
	p.mu.Unlock()
	p.beat(ctx)
}

// beat sends a heartbeat. The SDK's own would end the job as soon as the server does not answer for a second or two, though
// nothing is wrong with the job. So the SDK is called only to end it, where the server has answered that it is to end.
func (p *pulse) beat(ctx context.Context) {
	p.mu.Lock()
	now := p.progress
	p.mu.Unlock()
	if p.send == nil || final(p.send(ctx, now)) {
		activity.RecordHeartbeat(ctx, now)
	}
}

// beatTime is how long the server has to answer a heartbeat.
const beatTime = 5 * time.Second

// sender sends an activity's heartbeats; nil in the SDK's test environment, which has no server.
func (w *Worker) sender(ctx context.Context) func(context.Context, Progress) error {
	if w.client == nil {
		return nil
	}
	token := activity.GetInfo(ctx).TaskToken
	return func(ctx context.Context, p Progress) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beatTime)
		defer cancel()
		return w.client.RecordActivityHeartbeat(ctx, token, p)
	}
}

// final reports whether a heartbeat's error means that the activity is to end: it was cancelled, or the server has given
// it to another worker.
func final(err error) bool {
	var gone *serviceerror.NotFound
	return temporal.IsCanceledError(err) || errors.As(err, &gone) || errors.Is(err, activity.ErrActivityPaused) || errors.Is(err, activity.ErrActivityReset)
}

// alive does as beating, sends a heartbeat at once, and notes in the end that the attempt has ended.
func alive(ctx context.Context, p *pulse) (_ context.Context, done func()) {
	p.beat(ctx) // should the worker die now, the next attempt knows of this one
	within, still := beating(ctx, p)
	return within, func() {
		still()
		p.end(ctx)
	}
}

// beating sends heartbeats until done is called, be the job silent for long, and ends the context it returns where the
// worker is told to stop.
func beating(ctx context.Context, p *pulse) (_ context.Context, done func()) {
	every := min(max(activity.GetInfo(ctx).HeartbeatTimeout/6, 50*time.Millisecond), 2*time.Second) // so that watchers see, and cancelled jobs hear, soon
	stop := activity.GetWorkerStopChannel(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-stop:
				cancel(errStopping)
				return
			case <-tick.C:
				p.beat(ctx)
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		wg.Wait()
	}
}

// reached returns the job's highest checkpoint as [store.Reached] does. Until the store answers,
// heartbeats have the trace of earlier attempts as it was. The error is the activity's.
func (p *pulse) reached(ctx context.Context, s store.Store, key store.Key) (int, error) {
	ctx, done := beating(ctx, p)
	defer done()
	at, err := store.Reached(ctx, s, key)
	return at, verdict(ctx, err)
}

// verdict says whether a job that failed is tried again: where its worker stops or the store is at fault it is, where
// the job itself is it would only fail again.
func verdict(ctx context.Context, err error) error {
	var fault *store.Fault
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errStopping):
		return temporal.NewApplicationError(errStopping.Error(), stoppingType)
	case ctx.Err() != nil:
		return ctx.Err() // cancelled, or the server has given the job to another
	case errors.As(err, &fault), job.Lacking(err):
		return temporal.NewApplicationErrorWithCause(err.Error(), storeType, err)
	}
	return temporal.NewNonRetryableApplicationError(err.Error(), jobType, err)
}
