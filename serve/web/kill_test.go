package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/serve/database"
	"mapo/serve/dbtest"
	"mapo/serve/servetest"
	"mapo/serve/wire"
)

// built is the command, built once for all tests that start it.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mapo-built-")
	if err != nil {
		return "", err
	}
	dbtest.Leave(dir)
	bin := filepath.Join(dir, "mapo")
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/mapo").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
})

// mapoProgram is the command.
func mapoProgram(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	bin, err := built()
	must(t, err)
	return bin
}

// process is a server of its own process, always at the same address.
type process struct {
	t    *testing.T
	bin  string
	addr string
	db   string
	path []string
	cmd  *exec.Cmd
	log  written
}

// written is what a process wrote, to be read while it runs.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(text)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func (w *written) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Reset()
}

func newProcess(t *testing.T, bin, db string, paths ...string) *process {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &process{t: t, bin: bin, addr: free.Addr().String(), db: db, path: paths}
	must(t, free.Close())
	t.Cleanup(func() { p.kill() })
	return p
}

func (p *process) start() {
	p.t.Helper()
	p.cmd = p.command()
	must(p.t, p.cmd.Start())
	suite.Await(p.t, func() bool {
		res, err := http.Get("http://" + p.addr + "/healthz")
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil
	}, func() string { return "the server does not start: " + p.log.String() })
}

// says waits until the server's log has a text.
func (p *process) says(text string) {
	p.t.Helper()
	suite.Await(p.t, func() bool { return strings.Contains(p.log.String(), text) }, func() string { return fmt.Sprintf("the log does not say %q: %s", text, p.log.String()) })
}

// progress waits until n has grown by so many.
func progress(t *testing.T, n *atomic.Int64, by int64) {
	t.Helper()
	most := n.Load() + by
	suite.Await(t, func() bool { return n.Load() >= most }, func() string { return fmt.Sprintf("%d, want %d", n.Load(), most) })
}

// command is the server as it is started, with an empty log.
func (p *process) command() *exec.Cmd {
	p.log.Reset()
	cmd := exec.Command(p.bin, append([]string{"serve", "--addr", p.addr}, p.path...)...)
	cmd.Env = append(os.Environ(), "MAPO_DB="+p.db)
	cmd.Stderr = &p.log
	return cmd
}

// kill is kill -9.
func (p *process) kill() {
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		p.cmd = nil
	}
}

// labeller answers sessions and notes what the server has confirmed. What it gets
// no reply to it sends again, as a client does.
type labeller struct {
	t         *testing.T
	addr      string
	name      string
	confirmed map[string]map[int]play.Answer // session → step → answer
	stop      *atomic.Bool
	all       *atomic.Int64 // that all labellers have had confirmed; nil: not counted
}

// send posts until there is a reply, or the labeller is to stop.
func (l *labeller) send(path, body string, out any) (status int) {
	for !l.stop.Load() {
		res, err := http.Post("http://"+l.addr+path, "application/json", strings.NewReader(body))
		if err == nil {
			var data []byte
			data, err = io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err == nil && res.StatusCode < 500 {
				if out != nil && res.StatusCode < 300 {
					if err := json.Unmarshal(data, out); err != nil {
						l.t.Errorf("%s: %v", data, err)
					}
				}
				return res.StatusCode
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return 0
}

// label answers one session after another, or one that is given.
func (l *labeller) label(shared string) {
	draw := rng.New(1).Name(l.name).Stream()
	for !l.stop.Load() {
		v := wire.View{ID: shared}
		if shared == "" {
			if l.send("/v1/sessions", `{"policy": "animals"}`, &v) != http.StatusCreated {
				continue
			}
		} else if l.send("/v1/sessions/"+shared+"/next", "{}", &v) != 200 {
			continue
		}
		for v.Query != nil && !l.stop.Load() {
			answer, step, id := play.OfHalves(2-4*int64(draw.Uint64()%2)), v.Step, v.ID
			v = wire.View{ID: id}
			switch status := l.send("/v1/sessions/"+id+"/answers", fmt.Sprintf(`{"step": %d, "answer": %g, "annotator": %q}`, step, answer.Value(), l.name), &v); {
			case status == 200:
				if suite.Reduced() { // slower players play fewer games
					time.Sleep(10 * time.Millisecond)
				}
				if l.confirmed[id] == nil {
					l.confirmed[id] = map[int]play.Answer{}
				}
				l.confirmed[id][step] = answer
				if l.all != nil {
					l.all.Add(1)
				}
			case status == http.StatusConflict && shared != "": // somebody else has answered
				l.send("/v1/sessions/"+id+"/next", "{}", &v)
			case status != 0:
				l.t.Errorf("%s: an answer to step %d of %s is refused with %d", l.name, step, id, status)
				return
			}
		}
		if shared != "" {
			return
		}
	}
}

// TestKilledServer kills the server again and again while answers come in. No
// confirmed answer is lost, no step is answered twice, and every session can be
// brought to its end.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	bin := mapoProgram(t)
	kills := 3
	if os.Getenv("MAPO_LONG") != "" {
		kills = 50
	}
	for name, db := range map[string]func() string{
		"sqlite":   func() string { return filepath.Join(t.TempDir(), "sessions.db") },
		"postgres": nil,
	} {
		t.Run(name, func(t *testing.T) {
			if db == nil {
				suite.Long(t, "the same again in PostgreSQL")
				db = func() string { return dbtest.PostgresDSN(t) }
			}
			p := newProcess(t, bin, db(), servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil))
			p.start()
			var stop atomic.Bool
			var all atomic.Int64
			var shared wire.View
			(&labeller{t: t, addr: p.addr, stop: &stop}).send("/v1/sessions", `{"policy": "animals"}`, &shared)
			var list []*labeller
			var group sync.WaitGroup
			for w := range 12 {
				l := &labeller{t: t, addr: p.addr, name: fmt.Sprintf("w%d", w), confirmed: map[string]map[int]play.Answer{}, stop: &stop, all: &all}
				list = append(list, l)
				id := ""
				if w < 4 {
					id = shared.ID
				}
				group.Go(func() { l.label(id) })
			}
			pause := rng.New(uint64(time.Now().UnixNano())).Stream()
			for range kills {
				progress(t, &all, 10)
				time.Sleep(time.Duration(400*pause.Float64()) * time.Millisecond)
				p.kill()
				p.start()
			}
			progress(t, &all, 10)
			stop.Store(true)
			group.Wait()
			checkKept(t, p.addr, list)
		})
	}
}

// checkKept compares what the server has with what it has confirmed, and ends
// every session.
func checkKept(t *testing.T, addr string, list []*labeller) {
	t.Helper()
	answers, sessions := 0, map[string]bool{}
	for _, l := range list {
		for id, steps := range l.confirmed {
			sessions[id] = true
			history := map[int]wire.TurnEntry{}
			for _, e := range fetch(t, addr, id).History {
				history[e.Step] = e
			}
			for step, answer := range steps {
				answers++
				if e := history[step]; e.Answer.Answer != answer || e.Annotator != l.name || e.Outcome != database.OutcomeAnswer {
					t.Errorf("session %s: %s was told that step %d is answered %d, and it is %+v", id, l.name, step, answer, e)
				}
			}
		}
	}
	var run atomic.Bool
	end := &labeller{t: t, addr: addr, name: "end", confirmed: map[string]map[int]play.Answer{}, stop: &run}
	for id := range sessions {
		end.label(id)
		v, asked := fetch(t, addr, id), map[int]bool{}
		for i, e := range v.History {
			if e.Step != i+1 || asked[e.Query.Index] {
				t.Errorf("session %s: turn %d is %+v", id, i, e)
			}
			asked[e.Query.Index] = true
		}
		if v.State != wire.StateDone || len(v.History) != 20 {
			t.Errorf("session %s is %s with %d turns", id, v.State, len(v.History))
		}
	}
	t.Logf("%d confirmed answers in %d sessions", answers, len(sessions))
	if answers < 20 {
		t.Error("hardly anything was answered")
	}
}

func fetch(t *testing.T, addr, id string) (v wire.View) {
	t.Helper()
	res, err := http.Get("http://" + addr + "/v1/sessions/" + id)
	must(t, err)
	defer res.Body.Close()
	must(t, json.NewDecoder(res.Body).Decode(&v))
	if res.StatusCode != 200 {
		t.Fatalf("session %s: %d", id, res.StatusCode)
	}
	return v
}

// TestHangup swaps policy files under a running server: on SIGHUP a new one is
// picked up, sessions go on, and a broken one is refused.
func TestHangup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := servetest.Write(t, dir, "t", servetest.Wheels(), nil)
	p := newProcess(t, mapoProgram(t), filepath.Join(dir, "s.db"), path)
	p.start()
	var stop atomic.Bool
	l := &labeller{t: t, addr: p.addr, stop: &stop}
	var v wire.View
	l.send("/v1/sessions", `{"policy": "t"}`, &v)
	hash := func() string {
		res, err := http.Get("http://" + p.addr + "/v1/policies")
		must(t, err)
		defer res.Body.Close()
		var list wire.PolicyList
		must(t, json.NewDecoder(res.Body).Decode(&list))
		return list.Policies[0].Hash
	}
	was := hash()
	servetest.Write(t, dir, "t", servetest.Wheels(), func(c *nn.Contract) { c.Name = "another" })
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	suite.Await(t, func() bool { return hash() != was }, func() string { return "the new policy is not picked up" })
	now := hash()
	cut(t, path)
	must(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.says("is refused, the old one stays")
	if hash() != now {
		t.Error("the broken file has changed the policy")
	}
	if status := l.send("/v1/sessions/"+v.ID+"/answers", `{"step": 1, "answer": 1}`, &v); status != 200 || v.Step != 2 {
		t.Errorf("the session goes on with %d, %+v", status, v)
	}
	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ends the server with %v: %s", err, p.log.String())
	}
	p.cmd = nil
	for _, want := range []string{"policy changed", "is refused, the old one stays", "stopping"} {
		if !strings.Contains(p.log.String(), want) {
			t.Errorf("the log does not say %q: %s", want, p.log.String())
		}
	}
}
