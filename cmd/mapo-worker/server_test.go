package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/rng"
)

// small is a run of some seconds with every kind of job.
const small = `problem:
  thresholds: {d: 5}
budget: 4
levels: [8, 32]
train: {preset: smoke}
evaluate:
  rivals: [uniform, bayes-lal]
  priors: ["flip:0.8"]
`

// world is the programs, a Temporal server and a folder with a spec.
type world struct {
	t              *testing.T
	bin, dir       string
	address        string
	server         *exec.Cmd
	temporal, file string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	temporal, err := exec.LookPath("temporal")
	if err != nil {
		const want = "no temporal in $PATH: go install github.com/temporalio/cli/cmd/temporal@v1.5.1"
		if os.Getenv("MAPO_CI") != "" {
			t.Fatal(want)
		}
		t.Skip(want)
	}
	w := &world{t: t, bin: t.TempDir(), dir: t.TempDir(), temporal: temporal}
	for _, name := range []string{"mapo", "mapo-worker"} {
		if out, err := exec.Command("go", "build", "-o", w.bin, "../"+name).CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(w.dir, "spec.yaml"), []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.address = free.Addr().String()
	free.Close()
	w.file = filepath.Join(w.dir, "temporal.db")
	w.serve()
	t.Cleanup(func() { w.down() })
	return w
}

// serve starts the server on its file, and waits for it.
func (w *world) serve() {
	w.t.Helper()
	_, port, _ := net.SplitHostPort(w.address)
	w.server = exec.Command(w.temporal, "server", "start-dev", "--ip", "127.0.0.1", "--port", port, "--headless", "--db-filename", w.file, "--log-level", "never")
	if err := w.server.Start(); err != nil {
		w.t.Fatal(err)
	}
	for range 600 {
		if c, err := net.Dial("tcp", w.address); err == nil {
			c.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.t.Fatal("the Temporal server does not come up")
}

func (w *world) down() {
	_ = w.server.Process.Kill() // it may be down
	_ = w.server.Wait()
}

// mapo starts a command.
func (w *world) mapo(args ...string) (*exec.Cmd, *bytes.Buffer) {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "mapo"), args...)
	cmd.Dir = w.dir
	said := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return cmd, said
}

// must runs a command to its end.
func (w *world) must(args ...string) string {
	w.t.Helper()
	cmd, said := w.mapo(args...)
	if err := cmd.Wait(); err != nil {
		w.t.Fatalf("mapo %v: %v\n%s", args, err, said)
	}
	return said.String()
}

func (w *world) run(out string, more ...string) []string {
	return append([]string{"run", "spec.yaml", "--out", out, "--temporal", w.address, "--store", "store-" + out, "--heartbeat", "3s"}, more...)
}

// worker starts a worker, directly: a kill must hit it and not what started it.
func (w *world) worker(store string) *exec.Cmd {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "mapo-worker"), "serve", "--temporal", w.address, "--store", store, "--slots", "2", "--checkpoint-every", "100ms")
	cmd.Dir = w.dir
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

var lastField = regexp.MustCompile(`(?m),[^,\n]*$`)

// left is what a run must leave alike: policies, and results.csv but for seconds.
func (w *world) left(out string) map[string]string {
	w.t.Helper()
	paths, _ := filepath.Glob(filepath.Join(w.dir, out, "policies", "*"))
	files := map[string]string{}
	for _, path := range append(paths, filepath.Join(w.dir, out, "results.csv")) {
		data, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		if strings.HasSuffix(path, ".csv") {
			data = lastField.ReplaceAll(data, nil)
		}
		files[filepath.Base(path)] = string(data)
	}
	return files
}

func (w *world) same(got, want string) {
	w.t.Helper()
	a, b := w.left(got), w.left(want)
	for name := range b {
		if a[name] != b[name] {
			w.t.Errorf("%s: %s differs from %s's", got, name, want)
		}
	}
	if len(a) != len(b) || len(b) < 4 {
		w.t.Errorf("%s has %d files, %s %d", got, len(a), want, len(b))
	}
}

// TestServer: on a real Temporal server, with one worker and with three, and with workers killed all the time, a run
// leaves the bytes of one in a single process.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Temporal server")
	}
	w := newWorld(t)
	w.must("run", "spec.yaml", "--out", "whole")
	for _, n := range []int{1, 3} {
		out := fmt.Sprintf("workers-%d", n)
		var workers []*exec.Cmd
		for range n {
			workers = append(workers, w.worker("store-"+out))
		}
		begin := time.Now()
		w.must(w.run(out)...)
		t.Logf("%d workers: %v", n, time.Since(begin).Round(time.Millisecond))
		for _, cmd := range workers {
			kill(cmd)
		}
		w.same(out, "whole")
	}
	t.Run("kills", func(t *testing.T) { w.t = t; w.kills() })
	w.t = t
	t.Run("detach", func(t *testing.T) { w.t = t; w.detach() })
	w.t = t
	t.Run("refused", func(t *testing.T) { w.t = t; w.refused() })
	w.t = t
}

// kills kills one of two workers again and again, at random moments, and restarts the server once.
func (w *world) kills() {
	kills := 3
	if os.Getenv("MAPO_LONG") != "" {
		kills = 20
	}
	r := rng.New(uint64(time.Now().UnixNano())).Stream()
	workers := []*exec.Cmd{w.worker("store-killed"), w.worker("store-killed")}
	cmd, said := w.mapo(w.run("killed")...)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	done := 0
	for i := range kills {
		select {
		case err := <-ended:
			ended <- err
		case <-time.After(time.Duration(r.Float64() * float64(2*time.Second))):
			kill(workers[i%2])
			workers[i%2] = w.worker("store-killed")
			done++
			if i == kills/2 {
				w.down()
				w.serve()
			}
			continue
		}
		break
	}
	if err := <-ended; err != nil {
		w.t.Fatalf("%v\n%s", err, said)
	}
	for _, cmd := range workers {
		kill(cmd)
	}
	w.t.Logf("%d kills", done)
	w.same("killed", "whole")
}

var named = regexp.MustCompile(`run (mapo-\S+);`)

// detach leaves a run by Ctrl-C, starts it again from another folder, watches it, cancels it and goes on.
func (w *world) detach() {
	interrupt := func(cmd *exec.Cmd, said *bytes.Buffer) string {
		w.t.Helper()
		for range 600 { // said is written by another goroutine: the process's end is what makes it safe to read
			time.Sleep(100 * time.Millisecond)
			if log, err := os.ReadFile(filepath.Join(w.dir, "left", "log.jsonl")); err == nil && bytes.Contains(log, []byte("no worker serves")) {
				break
			}
		}
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
		return said.String()
	}
	said := interrupt(w.mapo(w.run("left")...)) // nobody serves it yet
	m := named.FindStringSubmatch(said)
	if m == nil || !strings.Contains(said, "--attach") || !strings.Contains(said, "mapo worker --temporal") {
		w.t.Fatalf("Ctrl-C: %s", said)
	}
	w.must("cancel", m[1], "--temporal", w.address)
	worker := w.worker("store-left") // a cancelled run needs a worker to end
	defer kill(worker)
	cmd, out := w.mapo(w.run("left", "--attach")...)
	if err := cmd.Wait(); err == nil || !strings.Contains(out.String(), "was cancelled") {
		w.t.Errorf("attached to a cancelled run: %v\n%s", err, out)
	}
	first, _ := w.mapo(w.run("left", "--resume")...)
	second, said2 := w.mapo("run", "spec.yaml", "--out", "second", "--temporal", w.address, "--store", "store-left")
	if err := first.Wait(); err != nil {
		w.t.Errorf("started again: %v", err)
	}
	if err := second.Wait(); err != nil {
		w.t.Errorf("the same run at once: %v\n%s", err, said2)
	}
	w.same("left", "whole")
	w.same("second", "whole")
}

// refused: what cannot work is said within 10 s.
func (w *world) refused() {
	for _, c := range []struct {
		want string
		env  string
		args []string
	}{
		{"no Temporal server answers", "", []string{"worker", "--temporal", "127.0.0.1:1", "--store", "store-left"}},
		{"no Temporal server answers", "", []string{"run", "spec.yaml", "--out", "none", "--temporal", "127.0.0.1:1", "--store", "store-none"}},
		{"has no namespace", "", []string{"worker", "--temporal", w.address, "--store", "store-left", "--namespace", "other"}},
		{"results would not be the same bytes", "MAPO_KERNEL=go", []string{"worker", "--temporal", w.address, "--store", "store-left"}},
		{"there is no such run", "", []string{"cancel", "mapo-none", "--temporal", w.address}},
		{"--temporal needs --store", "", []string{"run", "spec.yaml", "--temporal", w.address}},
	} {
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, filepath.Join(w.bin, "mapo"), c.args...)
		cmd.Dir = w.dir
		cmd.Env = append(os.Environ(), c.env)
		begin := time.Now()
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil || !strings.Contains(string(out), c.want) {
			w.t.Errorf("mapo %v: %v, %s; want %q", c.args, err, out, c.want)
		}
		if took := time.Since(begin); took > 10*time.Second {
			w.t.Errorf("mapo %v: said after %v", c.args, took)
		}
	}
}
