package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mapo/internal/suite"
	"mapo/run/runtest"
)

// small is a run of some seconds with every kind of job, its trainings so much longer.
func small(longer string, rivals string) string {
	return fmt.Sprintf(`problem:
  thresholds: {d: 5}
budget: 4
levels: [8, 32]
train: {preset: smoke%s}
evaluate:
  rivals: [uniform, bayes-lal%s]
  priors: ["flip:0.8"]
`, longer, rivals)
}

// longer is a run with one training, of some seconds.
const longer = `problem:
  thresholds: {d: 5}
budget: 4
levels: [8]
train: {preset: smoke, pi: 12000}
evaluate: {rivals: [uniform]}
`

// world is the programs, a Temporal server and a folder with a spec.
type world struct {
	t              *testing.T
	bin, dir       string
	address        string
	server         *exec.Cmd
	temporal, file string
}

// TestMain lets more parts run at once than there are cores: most of their time they wait.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "6"); err != nil { // -parallel overrides it
		panic(err)
	}
	os.Exit(suite.InMemory(sharing{m}).Run())
}

// sharing is the tests, and the end of what they share.
type sharing struct{ *testing.M }

// Run runs the tests and returns their exit code.
func (s sharing) Run() int {
	code := s.M.Run()
	if programs.dir != "" {
		_ = os.RemoveAll(programs.dir)
	}
	return code
}

// programs is the folder of both commands, built once for all tests.
var programs struct {
	once sync.Once
	dir  string
	err  error
}

// built returns the folder of the commands.
func built(t *testing.T) string {
	t.Helper()
	programs.once.Do(func() {
		if programs.dir, programs.err = os.MkdirTemp("", "mapo-built-"); programs.err != nil {
			return
		}
		if out, err := exec.Command("go", "build", "-o", programs.dir, "../mapo", "../mapo-worker").CombinedOutput(); err != nil {
			programs.err = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	if programs.err != nil {
		t.Fatal(programs.err)
	}
	return programs.dir
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
	w := &world{t: t, bin: built(t), dir: t.TempDir(), temporal: temporal}
	w.spec("spec.yaml", small("", ""))
	w.serveOwn()
	return w
}

// on is the world as a part of the test sees it.
func (w *world) on(t *testing.T) *world {
	part := *w
	part.t = t
	return &part
}

// serveOwn starts a server that is w's alone, until its test ends.
func (w *world) serveOwn() {
	w.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.address = free.Addr().String()
	free.Close()
	w.file = filepath.Join(w.t.TempDir(), "temporal.db")
	w.serve()
	w.t.Cleanup(w.down)
}

// spec writes one.
func (w *world) spec(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// serve starts the server on its file, and waits for it.
func (w *world) serve() {
	w.t.Helper()
	_, port, _ := net.SplitHostPort(w.address)
	w.server = exec.Command(w.temporal, "server", "start-dev", "--ip", "127.0.0.1", "--port", port, "--headless", "--db-filename", w.file, "--log-level", "never")
	if err := w.server.Start(); err != nil {
		w.t.Fatal(err)
	}
	suite.Await(w.t, func() bool {
		c, err := net.Dial("tcp", w.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, func() string { return "the Temporal server does not come up" })
}

func (w *world) down() {
	_ = w.server.Process.Kill() // it may be down
	_ = w.server.Wait()
}

// mapo starts a command.
func (w *world) mapo(args ...string) *service {
	w.t.Helper()
	return w.start(exec.Command(filepath.Join(w.bin, "mapo"), args...))
}

// must runs a command to its end.
func (w *world) must(args ...string) string {
	w.t.Helper()
	s := w.mapo(args...)
	if err := s.wait(); err != nil {
		w.t.Fatalf("mapo %v: %v\n%s", args, err, s)
	}
	return s.String()
}

// run is the arguments of a run of spec.yaml on a store of its own.
func (w *world) run(out string, more ...string) []string {
	return append([]string{"run", "spec.yaml", "--out", out, "--temporal", w.address, "--store", "store-" + out, "--heartbeat", "1m"}, more...)
}

// service is a command under way, most often a worker, and what it has said when.
type service struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // how it ended

	mu    sync.Mutex
	lines []line
	died  time.Time // killed, if not zero
}

// line is one, without the time and the run that a worker writes before it.
type line struct {
	at        time.Time
	run, text string
}

var stamped = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* (?:(mapo-\S+) )?(.*)`)

func lineOf(text string) line {
	l := line{at: time.Now(), text: strings.TrimSpace(text)}
	if m := stamped.FindStringSubmatch(l.text); m != nil {
		l.run, l.text = m[1], m[2]
	}
	return l
}

// Write takes the lines of a command, which it writes whole.
func (s *service) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text := range strings.Lines(string(p)) {
		s.lines = append(s.lines, lineOf(text))
	}
	return len(p), nil
}

// said is what it has said.
func (s *service) said() []line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

// String is all it has said.
func (s *service) String() string {
	var b strings.Builder
	for _, l := range s.said() {
		fmt.Fprintln(&b, l.text)
	}
	return b.String()
}

// wait is how it ended, once it has.
func (s *service) wait() error {
	<-s.ended
	return s.err
}

// saying waits until a line of the command has text in it.
func (w *world) saying(s *service, text string) {
	w.t.Helper()
	w.until(s, text, func() bool { return strings.Contains(s.String(), text) })
}

// until waits for something that must come about before a command ends.
func (w *world) until(s *service, what string, come func() bool) {
	w.t.Helper()
	suite.Await(w.t, func() bool {
		ended := false
		select {
		case <-s.ended:
			ended = true // come is asked once more: it may have come just before
		default:
		}
		come := come()
		if ended && !come {
			w.t.Fatalf("before %q the command ended: %v\n%s", what, s.err, s)
		}
		return come
	}, func() string { return fmt.Sprintf("%q does not come\n%s", what, s) })
}

// worker starts a worker, directly: a kill must hit it and not what started it. It waits until the worker serves.
func (w *world) worker(store string, more ...string) *service {
	w.t.Helper()
	args := append([]string{"serve", "--temporal", w.address, "--store", store, "--create", "--slots", "2", "--checkpoint-every", "100ms"}, more...)
	s := w.start(exec.Command(filepath.Join(w.bin, "mapo-worker"), args...))
	w.saying(s, "serving")
	return s
}

func (w *world) start(cmd *exec.Cmd) *service {
	w.t.Helper()
	s := &service{cmd: cmd, ended: make(chan struct{})}
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.dir, s, s
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		s.err = cmd.Wait()
		close(s.ended)
	}()
	w.t.Cleanup(s.kill)
	return s
}

// kill is kill -9.
func (s *service) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	s.mu.Lock()
	if s.died.IsZero() {
		s.died = time.Now()
	}
	s.mu.Unlock()
	<-s.ended
}

// same fails where the runs in two folders left different bytes.
func (w *world) same(got, want string) {
	w.t.Helper()
	runtest.Same(w.t, got, runtest.Left(w.t, filepath.Join(w.dir, got)), runtest.Left(w.t, filepath.Join(w.dir, want)))
}
