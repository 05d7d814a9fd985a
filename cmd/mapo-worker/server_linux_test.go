package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/internal/suite"
)

// TestServer: on a real Temporal server, with one worker and with three, with workers killed all the time, and with a
// store that fails, a run leaves the bytes of one in a single process.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Temporal server")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	w := newWorld(t)
	w.must("run", "spec.yaml", "--out", "whole")
	w.spec("longer.yaml", longer)
	if !suite.Reduced() {
		w.must("run", "longer.yaml", "--out", "longer")
		w.spec("harmed.yaml", small(", pi: 10000, oracle: {follow: 10000}, pi_hat: 10000", ""))
		w.must("run", "harmed.yaml", "--out", "harmed-whole")
		w.spec("endless.yaml", endless)
	}
	t.Run("parts", func(t *testing.T) {
		for _, part := range []struct {
			name string
			run  func(*world)
			long bool // has trainings of many seconds
		}{
			{"queued", (*world).queued, true}, {"detach", (*world).detach, false}, {"kills", (*world).kills, true}, {"away", (*world).away, true},
			{"deadly", (*world).deadly, true}, {"bucket", (*world).bucket, true}, {"disk", (*world).disk, true},
			{"interrupt", (*world).interrupt, true}, {"cancel", (*world).cancel, true},
			{"shared", (*world).shared, false}, {"starts", (*world).starts, false}, {"elastic", (*world).elastic, false},
			{"runs", (*world).runs, false}, {"leash", (*world).leash, false}, {"history", (*world).history, false},
			{"refused", (*world).refused, false},
			{"workers=1", func(w *world) { w.served(1) }, true}, {"workers=3", func(w *world) { w.served(3) }, false},
		} {
			t.Run(part.name, func(t *testing.T) {
				t.Parallel()
				if part.long {
					suite.Long(t, "has trainings of many seconds")
				}
				part.run(w.on(t))
			})
		}
	})
	if continued := w.replayed(); continued < 3 {
		t.Errorf("%d histories go on in a new one, want at least 3", continued)
	}
}

// served is a run with nothing in its way.
func (w *world) served(n int) {
	out := fmt.Sprintf("workers-%d", n)
	var workers []*service
	for range n {
		workers = append(workers, w.worker("store-"+out))
	}
	begin := time.Now()
	w.must(w.run(out)...)
	w.t.Logf("%d workers: %v", n, time.Since(begin).Round(time.Millisecond))
	w.once(workers)
	w.same(out, "whole")
}

// once checks that no job that had ended was begun again.
func (w *world) once(workers []*service) {
	w.t.Helper()
	ended := map[string]time.Time{}
	for _, s := range workers {
		for _, l := range s.said() {
			if job, ok := finished(l.text); ok {
				ended[job] = l.at
			}
		}
	}
	for _, s := range workers {
		for _, l := range s.said() {
			job, ok := strings.CutSuffix(l.text, ": started")
			if ok && l.run == "" {
				w.t.Errorf("%q does not name its run", l.text)
			}
			if at, before := ended[job]; ok && before && l.at.After(at) {
				w.t.Errorf("%s was begun %v after it had ended", job, l.at.Sub(at))
			}
		}
	}
	if len(ended) < 10 {
		w.t.Errorf("%d jobs ended, want at least 10", len(ended))
	}
}

var took = regexp.MustCompile(`^([a-z]+ \S+): [\d.]+ s$`)

// finished is the job whose end a worker tells of.
func finished(text string) (job string, ok bool) {
	m := took.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

var named = regexp.MustCompile(`run (mapo-\S+);`)

// ctrlC presses it, and waits.
func (s *service) ctrlC() {
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	<-s.ended
}

// detach leaves a run by Ctrl-C, cancels it, attaches, starts it again, and from another folder at once.
func (w *world) detach() {
	run := w.mapo(w.run("left")...)
	w.saying(run, "no worker serves")
	run.ctrlC()
	m := named.FindStringSubmatch(run.String())
	if m == nil || !strings.Contains(run.String(), "--attach") || !strings.Contains(run.String(), "mapo worker --temporal") {
		w.t.Fatalf("Ctrl-C: %s", run)
	}
	w.must("cancel", m[1], "--temporal", w.address)
	worker := w.worker("store-left") // a cancelled run needs a worker to end
	run = w.mapo(w.run("left", "--attach")...)
	if err := run.wait(); err == nil || !strings.Contains(run.String(), "was cancelled") {
		w.t.Errorf("attached to a cancelled run: %v\n%s", err, run)
	}
	first := w.mapo(w.run("left", "--resume")...)
	second := w.mapo("run", "spec.yaml", "--out", "second", "--temporal", w.address, "--store", "store-left")
	if err := first.wait(); err != nil {
		w.t.Errorf("started again: %v\n%s", err, first)
	}
	if err := second.wait(); err != nil {
		w.t.Errorf("the same run at once: %v\n%s", err, second)
	}
	w.once([]*service{worker})
	w.same("left", "whole")
	w.same("second", "whole")
}

// interrupt presses Ctrl-C at a worker, which its terminal and mapo both tell it of: it saves a checkpoint.
func (w *world) interrupt() {
	cmd := exec.Command(filepath.Join(w.bin, "mapo"), "worker", "--temporal", w.address, "--store", "store-ctrl", "--create", "--checkpoint-every", "1h")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	first := w.start(cmd)
	run := w.mapo("run", "longer.yaml", "--out", "ctrl", "--temporal", w.address, "--store", "store-ctrl")
	w.training(first)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	if err := first.wait(); err != nil {
		w.t.Errorf("a worker that is told to stop: %v\n%s", err, first)
	}
	second := w.worker("store-ctrl")
	if err := run.wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, run)
	}
	w.same("ctrl", "longer")
	if !strings.Contains(second.String(), "goes on at iteration") {
		w.t.Errorf("no training went on from a checkpoint of the worker that was told to stop\n%s", second)
	}
}

// training waits until a worker is in the middle of one.
func (w *world) training(s *service) {
	w.t.Helper()
	w.saying(s, "train pi-1: started")
	time.Sleep(time.Second)
}

// cancel ends a run with work under way, whose checkpoints it goes on from.
func (w *world) cancel() {
	args := []string{"run", "longer.yaml", "--out", "cancelled", "--temporal", w.address, "--store", "store-cancelled"}
	worker := w.worker("store-cancelled", "--checkpoint-every", "1h")
	run := w.mapo(args...)
	w.training(worker)
	run.ctrlC()
	m := named.FindStringSubmatch(run.String())
	if m == nil {
		w.t.Fatalf("no name: %s", run)
	}
	run = w.mapo(append(args, "--attach")...)
	w.saying(run, "Ctrl-C leaves it running")
	w.must("cancel", m[1], "--temporal", w.address)
	if err := run.wait(); err == nil || !strings.Contains(run.String(), "was cancelled") {
		w.t.Errorf("attached to a run that is cancelled: %v\n%s", err, run)
	}
	w.must(append(args, "--resume")...)
	w.same("cancelled", "longer")
	if !strings.Contains(worker.String(), "goes on at iteration") {
		w.t.Errorf("no training went on from a checkpoint of the run that was cancelled\n%s", worker)
	}
}

// shared has two runs on one store at once, which have jobs in common.
func (w *world) shared() {
	w.spec("more.yaml", small("", ", uncertainty"))
	w.must("run", "more.yaml", "--out", "more-whole")
	w.worker("store-shared")
	w.worker("store-shared")
	first := w.mapo(w.run("shared")...)
	second := w.mapo("run", "more.yaml", "--out", "more", "--temporal", w.address, "--store", "store-shared")
	if err := first.wait(); err != nil {
		w.t.Errorf("%v\n%s", err, first)
	}
	if err := second.wait(); err != nil {
		w.t.Errorf("%v\n%s", err, second)
	}
	w.onceByKey("store-shared")
	w.same("shared", "whole")
	w.same("more", "more-whole")
}
