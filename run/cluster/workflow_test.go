package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"mapo/game"
	"mapo/internal/suite"
	"mapo/run"
	"mapo/run/folder"
	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/run/store"
)

// tiny is a whole run that takes about a second.
func tiny(t testing.TB) run.Plan {
	t.Helper()
	parts := runtest.Tiny(t)
	return run.Plan{
		Name: "tiny", Title: "A tiny run", Scale: "smoke", Content: "0123abcd", Spec: []byte("problem:\n  thresholds: {d: 5}\n"),
		Problem: parts.Problem, Loss: game.BestIdentification, Levels: []float64{8, 32}, Seed: 1,
		Train: parts.Train, Effort: parts.Effort, Rivals: []string{"uniform", "sgbs:0.1", run.BayesLAL}, Priors: parts.Priors, Games: 200,
	}
}

// written is what a run on store s leaves that must be the same bytes.
func written(t testing.TB, plan run.Plan, s store.Store, f *run.Flow, res *run.Result) map[string]string {
	t.Helper()
	dir := t.TempDir()
	left, err := folder.Open(t.Context(), dir, plan.Spec, false, s)
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close()
	if err := left.Write(f, res); err != nil {
		t.Fatal(err)
	}
	return runtest.Left(t, dir)
}

// inProcess is the run by job.Local.
func inProcess(t testing.TB, plan run.Plan) map[string]string {
	t.Helper()
	s := shared(t)
	f, err := run.New(t.Context(), plan, s, &job.Local{Store: s, Steps: run.Steps(plan.Known()...)})
	if err != nil {
		t.Fatal(err)
	}
	res, err := f.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return written(t, plan, s, f, res)
}

func shared(t testing.TB) store.Store {
	t.Helper()
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loose is a folder's store for runs that fail: the test environment ends before its activities do, which
// t.TempDir would take amiss.
func loose(t testing.TB) store.Store {
	t.Helper()
	dir, err := os.MkdirTemp("", "mapo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is written after it stays
	s, err := store.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quick is an executor that keeps a checkpoint whenever it can.
func quick(s store.Store) *job.Local {
	return &job.Local{Store: s, Steps: run.Steps(), Every: time.Nanosecond}
}

// carry carries plan out on the SDK's test environment, whose clock skips what the workflow sleeps. The plan is kept
// in store s, the jobs are done by local.
func carry(t *testing.T, plan run.Plan, s store.Store, local *job.Local, before func(*testsuite.TestWorkflowEnvironment)) error {
	t.Helper()
	key, err := run.KeepPlan(t.Context(), s, plan)
	if err != nil {
		t.Fatal(err)
	}
	m, err := IdentityOf(t.Context(), s, "test")
	if err != nil {
		t.Fatal(err)
	}
	var tests testsuite.WorkflowTestSuite
	tests.SetLogger(tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := tests.NewTestWorkflowEnvironment()
	env.SetTestTimeout(2 * suite.Patience)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: suite.Patience}) // the jobs take all cores of the same process
	NewWorker(local, m, Slots{run.ClassTrain: 2}).register(env)
	if before != nil {
		before(env)
	}
	env.ExecuteWorkflow(Run, Order{Plan: key, Queue: m.queue(), Heartbeat: time.Minute})
	if !env.IsWorkflowCompleted() {
		t.Fatal("the workflow did not end")
	}
	return env.GetWorkflowError()
}

// asWorkflow is the run by workflow and activities, with a store s and the executor local.
func asWorkflow(t *testing.T, plan run.Plan, s store.Store, local *job.Local) map[string]string {
	t.Helper()
	if err := carry(t, plan, s, local, nil); err != nil {
		t.Fatal(err)
	}
	f, res, err := run.Assemble(t.Context(), plan, s)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, plan, s, f, res)
}

// TestSameBytes: the SDK's test environment gives the bytes of a run in one process.
func TestSameBytes(t *testing.T) {
	plan, s := tiny(t), shared(t)
	runtest.Same(t, "as a workflow", asWorkflow(t, plan, s, quick(s)), inProcess(t, plan))
}

// flaky is a store of whose first 72 calls every ninth fails: the test environment tries an activity ten times at most.
type flaky struct {
	store.Store
	n atomic.Int64
}

func (f *flaky) Get(ctx context.Context, name string) ([]byte, error) {
	if n := f.n.Add(1); n <= 72 && n%9 == 0 {
		_, err := store.Folder("/dev/null/there is no such folder") // a genuine fault
		return nil, err
	}
	return f.Store.Get(ctx, name)
}

func (f *flaky) Put(ctx context.Context, name string, data []byte) error {
	if n := f.n.Add(1); n <= 72 && n%9 == 0 {
		_, err := store.Folder("/dev/null/there is no such folder")
		return err
	}
	return f.Store.Put(ctx, name, data)
}

// TestFlakyStore: faults of the store are tried again until it works, and change no byte.
func TestFlakyStore(t *testing.T) {
	plan, s := tiny(t), shared(t)
	plan.Rivals = []string{"uniform"}
	local := &job.Local{Store: &flaky{Store: s}, Steps: run.Steps(), Every: 20 * time.Millisecond}
	runtest.Same(t, "with a flaky store", asWorkflow(t, plan, s, local), inProcess(t, plan))
}

// forgetful is a store that loses its first three results when they are read a second time, as who plans has read
// them before the job that needs them.
type forgetful struct {
	store.Store
	mu   sync.Mutex
	read map[string]int
	lost int
}

func (f *forgetful) Get(ctx context.Context, name string) ([]byte, error) {
	if strings.HasPrefix(name, "artifacts/") {
		f.mu.Lock()
		defer f.mu.Unlock()
		data, err := f.Store.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		if f.read[name]++; f.read[name] != 2 || f.lost == 3 || !bytes.Contains(data, []byte("Hardest")) {
			return data, nil
		}
		f.lost++
		if err := f.Store.Delete(ctx, name); err != nil {
			return nil, err
		}
	}
	return f.Store.Get(ctx, name)
}

// TestLostResult: a training whose result is lost before others need it is done again, and no byte changes.
func TestLostResult(t *testing.T) {
	plan, s := tiny(t), shared(t)
	plan.Rivals = []string{"uniform"}
	f := &forgetful{Store: s, read: map[string]int{}}
	runtest.Same(t, "with results lost", asWorkflow(t, plan, s, &job.Local{Store: f, Steps: run.Steps(), Every: 20 * time.Millisecond}), inProcess(t, plan))
	if f.lost == 0 {
		t.Error("nothing was lost")
	}
}

// TestJobsFault: a job that fails by itself ends the run with its words, once.
func TestJobsFault(t *testing.T) {
	plan := tiny(t)
	plan.Priors = append(plan.Priors, game.Rows("users", [][]float64{{1}})) // does not fit
	s := loose(t)
	err := carry(t, plan, s, quick(s), nil)
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || !strings.Contains(app.Message(), "prior users does not fit the problem") {
		t.Errorf("%v", err)
	}
}

// TestCancel: a cancelled run saves checkpoints and says that it was cancelled.
func TestCancel(t *testing.T) {
	plan := tiny(t)
	plan.Train.Pi = 1 << 20 // longer than anybody waits
	s := loose(t)
	err := carry(t, plan, s, quick(s), func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Second)
	})
	if !temporal.IsCanceledError(err) {
		t.Errorf("%v, want a cancellation", err)
	}
}

// TestIdentity: of a store only like programs may make use.
func TestIdentity(t *testing.T) {
	s, ctx := shared(t), t.Context()
	for range 2 { // looking makes none
		if _, err := Find(ctx, s, "1.0"); !errors.Is(err, ErrNoIdentity) {
			t.Fatalf("%v, want %v", err, ErrNoIdentity)
		}
	}
	first, err := IdentityOf(ctx, s, "1.0")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := Find(ctx, s, "1.0"); err != nil || found != first {
		t.Errorf("%v, %v, want %v", found, err, first)
	}
	if again, err := IdentityOf(ctx, s, "1.0"); err != nil || again != first {
		t.Errorf("%v, %v, want %v", again, err, first)
	}
	if _, err := IdentityOf(ctx, s, "1.1"); err == nil || !strings.Contains(err.Error(), "use the same program") {
		t.Errorf("another version: %v", err)
	}
	for what, mark := range map[string]Identity{
		"kernel=other": {"x", "1.0", first.Build, "kernel=other"},
		"arch=other":   {"x", "1.0", first.Build, strings.Replace(first.Environment, "arch="+runtime.GOARCH, "arch=other", 1)},
		"program 0123": {"x", "1.0", "uncommitted source, program 0123", first.Environment},
		"go1.25":       {"x", "1.0", "go1.25", first.Environment},
	} {
		other := shared(t)
		data, err := json.Marshal(mark)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.PutNew(ctx, identityName, data); err != nil {
			t.Fatal(err)
		}
		for _, read := range []func(context.Context, store.Store, string) (Identity, error){IdentityOf, Find} {
			if _, err := read(ctx, other, "1.0"); err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("another %s: %v", what, err)
			}
		}
	}
}

// TestBuild: a release and a commit go by their names, anything else by the program's bytes.
func TestBuild(t *testing.T) {
	for version, want := range map[string]bool{"v0.1.0": true, "v0.0.0-20260101-0123456789ab": true, "v0.1.0+dirty": false, "(devel)": false, "": false} {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		if got := committed(info); got != want {
			t.Errorf("version %q: %v, want %v", version, got, want)
		}
		info.Settings = []debug.BuildSetting{{Key: "vcs.modified", Value: "false"}}
		if got := committed(info); got != (want || version == "" || version == "(devel)") {
			t.Errorf("version %q of a commit: %v", version, got)
		}
	}
	one, err := buildOf()
	if err != nil {
		t.Fatal(err)
	}
	if two, err := buildOf(); err != nil || two != one {
		t.Errorf("%q, %v, want %q", two, err, one)
	}
}

func TestParseSlots(t *testing.T) {
	for text, want := range map[string]Slots{
		"2": {"train": 2, "judge": 2}, "train=1,judge=4": {"train": 1, "judge": 4}, "judge=3": {"judge": 3},
		"": nil, "0": nil, "-1": nil, "train": nil, "train=x": nil, "plan=1": nil, "train=1,train=2": nil, "2,train=1": nil, "judge=1,2": nil, "train=1,2": nil, "train=1,": nil,
	} {
		if got, err := ParseSlots(text); !maps.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestActivityID(t *testing.T) {
	for _, task := range []job.Task{
		{Step: "train/1", Key: "0123456789abcdef", For: "pi-1"}, {Step: "certify/1", Key: "0123456789abcdef", For: "r = 8 # 3"},
	} {
		if got, want := parseID(activityID(task)), (name{strings.TrimSuffix(task.Step, "/1"), task.For, "0123456789ab"}); got != want {
			t.Errorf("%v came back as %v, want %v", task, got, want)
		}
	}
	if got := parseID("1"); got != (name{}) {
		t.Error("a number is no job's")
	}
}

func TestUnreachable(t *testing.T) {
	begin := time.Now()
	_, err := Dial(t.Context(), "127.0.0.1:1", "default")
	if err == nil || !strings.Contains(err.Error(), "temporal server start-dev") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if took := time.Since(begin); took > suite.Patience {
		t.Errorf("said after %v", took)
	}
}
