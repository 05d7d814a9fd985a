package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"mapo/internal/suite"
	"mapo/run/cluster"
)

// deadly has a job that kills its worker whenever it begins. After three workers the run fails and names it. A run
// beside it, whose jobs die with the same workers, ends with the same bytes as ever.
func (w *world) deadly() {
	w.spec("deadly.yaml", small(", pi: 10001", ""))
	deadly := w.mapo("run", "deadly.yaml", "--out", "deadly", "--temporal", w.address, "--store", "store-deadly", "--heartbeat", "10s")
	w.saying(deadly, "Ctrl-C leaves it running")
	id := named.FindStringSubmatch(deadly.String())[1]
	beside := w.mapo("run", "longer.yaml", "--out", "beside", "--temporal", w.address, "--store", "store-deadly", "--heartbeat", "10s")
	kills := 0
	for now := w.worker("store-deadly"); ; {
		begun := func() bool {
			for _, l := range now.said() {
				if l.run == id && l.text == "train pi-1: started" {
					return true
				}
			}
			return false
		}
		select {
		case <-deadly.ended:
		case <-time.After(10 * time.Millisecond):
			if begun() {
				now.kill()
				kills++
				now = w.worker("store-deadly")
			}
			continue
		}
		break
	}
	if err := deadly.wait(); err == nil || !strings.Contains(deadly.String(), "train pi-1 #") || !strings.Contains(deadly.String(), "3 workers in a row") {
		w.t.Errorf("a job that kills its worker: %v\n%s", err, deadly)
	}
	if kills != 3 {
		w.t.Errorf("%d workers were killed, want 3", kills)
	}
	if err := beside.wait(); err != nil {
		w.t.Errorf("the run beside it: %v\n%s", err, beside)
	}
	w.same("beside", "longer")
	for _, s := range []*service{deadly, beside} {
		for _, raw := range []string{"NaN", "of 0", "eartbeat timeout"} {
			if strings.Contains(s.String(), raw) {
				w.t.Errorf("%q was told:\n%s", raw, s)
			}
		}
	}
	if !strings.Contains(deadly.String(), "the worker died or fell silent") {
		w.t.Errorf("lost workers were not told of:\n%s", deadly)
	}
}

// endless is a run whose training has no end that a test waits for.
const endless = `problem:
  thresholds: {d: 5}
budget: 4
levels: [8]
train: {preset: smoke, pi: 100000000}
evaluate: {rivals: [uniform]}
`

// queued: what is said of jobs that wait is true: all workers busy with another run, none of the class, none at all though
// the server still lists one.
func (w *world) queued() {
	one := w.worker("store-queued", "--slots", "1")
	first := w.mapo("run", "endless.yaml", "--out", "endless", "--temporal", w.address, "--store", "store-queued", "--heartbeat", "1m")
	w.training(one)
	second := w.mapo("run", "longer.yaml", "--out", "queued", "--temporal", w.address, "--store", "store-queued", "--heartbeat", "1m")
	w.saying(second, "train jobs are queued behind other runs")
	if strings.Contains(second.String(), "no worker serves") {
		w.t.Errorf("said of a busy worker:\n%s", second)
	}
	w.must("runs", "terminate", w.id(first), "--temporal", w.address)
	if err := first.wait(); err == nil || !strings.Contains(first.String(), "was terminated") {
		w.t.Errorf("a terminated run: %v\n%s", err, first)
	}
	if err := second.wait(); err != nil {
		w.t.Errorf("%v\n%s", err, second)
	}
	one.kill()
	third := w.mapo("run", "spec.yaml", "--out", "nobody", "--temporal", w.address, "--store", "store-queued", "--heartbeat", "1m")
	w.saying(third, "no worker serves this store")
	if strings.Contains(third.String(), "queued behind") {
		w.t.Errorf("said of a dead worker:\n%s", third)
	}
	w.worker("store-queued", "--slots", "judge=1")
	w.saying(third, `no worker serves "train" jobs`)
	w.worker("store-queued", "--slots", "train=1")
	if err := third.wait(); err != nil {
		w.t.Errorf("%v\n%s", err, third)
	}
	w.same("nobody", "whole")
}

// id is a run's, once it has been told.
func (w *world) id(run *service) string {
	w.t.Helper()
	w.saying(run, "Ctrl-C leaves it running")
	return named.FindStringSubmatch(run.String())[1]
}

// detached is what --detach says.
var detached = regexp.MustCompile(`(?m)^started (mapo-\S+)$`)

// runs starts a run and leaves it at once, and looks at it, cancels and terminates it.
func (w *world) runs() {
	at := []string{"--temporal", w.address}
	out := w.must(w.run("detached", "--detach")...)
	m := detached.FindStringSubmatch(out)
	if m == nil || !strings.Contains(out, "--attach") {
		w.t.Fatalf("--detach: %s", out)
	}
	id := m[1]
	if _, err := os.Stat(filepath.Join(w.dir, "detached")); err == nil {
		w.t.Error("--detach made a run folder")
	}
	says := func(want string, args ...string) {
		w.t.Helper()
		if out := w.must(append(args, at...)...); !regexp.MustCompile(want).MatchString(out) {
			w.t.Errorf("mapo %v: %q, want %q", args, out, want)
		}
	}
	listed := func(state string) { // the server's list lags a little
		w.t.Helper()
		suite.Await(w.t, func() bool {
			return regexp.MustCompile(id + ` +` + state).MatchString(w.must(append([]string{"runs", "list"}, at...)...))
		}, func() string { return fmt.Sprintf("runs list: %s is not %s", id, state) })
	}
	listed("running")
	says(id+": running", "runs", "status", id)
	says("terminated "+id, "runs", "terminate", id)
	listed("terminated")
	w.must(w.run("detached", "--detach")...)
	says("cancelled "+id, "runs", "cancel", id)
	w.worker("store-detached")
	listed("cancelled")
	says("was cancelled", "runs", "status", id)
	w.must(w.run("detached", "--detach")...)
	w.must(w.run("detached", "--attach")...)
	says(id+": finished", "runs", "status", id)
	w.same("detached", "whole")
	for _, args := range [][]string{{"runs", "cancel", id}, {"runs", "terminate", id}, {"cancel", id}} {
		s := w.mapo(append(args, at...)...)
		if err := s.wait(); err == nil || !strings.Contains(s.String(), "has ended already: finished") {
			w.t.Errorf("mapo %v of a finished run: %v, %s", args, err, s)
		}
	}
}

// leash kills mapo: the mapo-worker that it has started ends.
func (w *world) leash() {
	mapo := w.mapo("worker", "--temporal", w.address, "--store", "store-leash", "--create")
	w.saying(mapo, "serving")
	pid := mapo.cmd.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	child := strings.TrimSpace(string(children))
	for _, task := range w.tasks(pid) { // any thread may have started it
		if more, _ := os.ReadFile(filepath.Join(task, "children")); child == "" {
			child = strings.TrimSpace(string(more))
		}
	}
	if err != nil || child == "" {
		w.t.Fatalf("mapo worker has no child: %v", err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	suite.Await(w.t, func() bool {
		stat, err := os.ReadFile("/proc/" + child + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, func() string { return "mapo-worker outlives mapo" })
}

func (w *world) tasks(pid int) []string {
	list, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// away stops a server of its own for some seconds: the worker and the watcher say so, and when it is back. The training goes
// on all the time.
func (w *world) away() {
	w.serveOwn()
	one := w.worker("store-away")
	run := w.mapo("run", "endless.yaml", "--out", "away", "--temporal", w.address, "--store", "store-away", "--heartbeat", "5m")
	w.training(one)
	w.down()
	w.saying(one, "the Temporal server does not answer")
	w.saying(run, "the Temporal server does not answer")
	w.serve()
	w.saying(one, "the Temporal server answers again")
	w.saying(run, "the Temporal server answers again")
	_, before, _ := strings.Cut(run.String(), "answers again")
	w.until(run, "an iteration", func() bool {
		_, after, _ := strings.Cut(run.String(), "answers again")
		return strings.Contains(strings.TrimPrefix(after, before), ", iteration ")
	})
	if said := one.String() + run.String(); strings.Contains(said, "goes on at iteration") || strings.Contains(said, "attempt") {
		w.t.Errorf("the training did not go on while the server was away:\n%s", said)
	}
	w.must("runs", "cancel", w.id(run), "--temporal", w.address)
	if err := run.wait(); err == nil || !strings.Contains(run.String(), "was cancelled") {
		w.t.Errorf("cancelled after the server was away: %v\n%s", err, run)
	}
	w.replayed()
}

// history has a run go on in a new history every 40 events.
func (w *world) history() {
	w.must(w.run("history", "--detach")...)
	plans, err := filepath.Glob(filepath.Join(w.dir, "store-history", "plans", "*"))
	if err != nil || len(plans) != 1 {
		w.t.Fatalf("%d plans, %v", len(plans), err)
	}
	w.must("runs", "terminate", strings.Fields(w.must(w.run("history", "--detach")...))[1], "--temporal", w.address)
	one := w.worker("store-history")
	follow := w.start(exec.Command(filepath.Join(w.bin, "mapo-worker"), "follow", "--plan", filepath.Base(plans[0]), "--events", "40",
		"--temporal", w.address, "--store", "store-history", "--heartbeat", "1m"))
	if err := follow.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, follow)
	}
	w.must(w.run("history", "--attach")...)
	w.once([]*service{one})
	w.same("history", "whole")
}

// replayed replays every history on the server: the workflow is deterministic. It returns how many have gone on in a new
// one.
func (w *world) replayed() (continued int) {
	w.t.Helper()
	c, err := client.Dial(client.Options{HostPort: w.address})
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(cluster.Run, workflow.RegisterOptions{Name: "mapo run"})
	events := 0
	list, err := c.ListWorkflow(w.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range list.Executions {
		var h history.History
		for it := c.GetWorkflowHistory(w.t.Context(), e.Execution.WorkflowId, e.Execution.RunId, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); it.HasNext(); {
			event, err := it.Next()
			if err != nil {
				w.t.Fatal(err)
			}
			h.Events = append(h.Events, event)
		}
		events += len(h.Events)
		if e.Status == enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW {
			continued++
			if e.Memo.GetFields()["began"] == nil {
				w.t.Errorf("%s does not say when it was started", e.Execution.WorkflowId)
			}
		}
		if err := replayer.ReplayWorkflowHistory(nil, &h); err != nil {
			w.t.Errorf("replay of %s, %v: %v", e.Execution.WorkflowId, e.Status, err)
		}
	}
	w.t.Logf("%d histories with %d events, %d of which go on in a new one", len(list.Executions), events, continued)
	return continued
}
