package web

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/serve/database"
	"mapo/serve/dbtest"
	"mapo/serve/outage"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestOutages: which errors a client is to send its request again after, and when.
func TestOutages(t *testing.T) {
	s := server(t, Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	state := func(code string) error { return fmt.Errorf("write: %w", &pgconn.PgError{Code: code}) }
	for _, c := range []struct {
		err    error
		status int
		retry  string
	}{
		{state("57P01"), 503, "2"}, {state("57P02"), 503, "2"}, {state("57P03"), 503, "2"}, {state("57P05"), 503, "2"},
		{state("08006"), 503, "2"}, {state("08P01"), 503, "2"}, {state("53300"), 503, "2"}, {state("58030"), 503, "2"}, {state("25006"), 503, "2"},
		{state("53100"), 507, "10"},
		{state("40P01"), 503, "1"}, {state("57014"), 503, "1"},
		{state("42601"), 500, ""}, {state("23505"), 500, ""}, {state(""), 500, ""},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, 503, "2"},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), 503, "2"}, {driver.ErrBadConn, 503, "2"}, {sql.ErrConnDone, 503, "2"},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), 503, "1"}, {context.Canceled, 503, "1"}, {outage.ErrClosed, 503, "1"},
		{errors.New("a fault"), 500, ""},
	} {
		err := s.problem(c.err)
		var status interface{ GetStatus() int }
		var headers interface{ GetHeaders() http.Header }
		if !errors.As(err, &status) || status.GetStatus() != c.status {
			t.Errorf("%v: %v, want %d", c.err, err, c.status)
		}
		retry := ""
		if errors.As(err, &headers) {
			retry = headers.GetHeaders().Get("Retry-After")
		}
		if retry != c.retry {
			t.Errorf("%v: Retry-After %q, want %q", c.err, retry, c.retry)
		}
	}
	for err, want := range map[error]*outage.Outage{context.DeadlineExceeded: outage.Silent, context.Canceled: nil, outage.ErrClosed: nil, driver.ErrBadConn: outage.NoDatabase} {
		s.ready.by = nil
		_ = s.problem(err)
		if s.ready.by != want {
			t.Errorf("after %v the server is not ready for %+v, want %+v", err, s.ready.by, want)
		}
	}
}

// reply is a response as far as outages matter.
func reply(t *testing.T, h http.Handler, r *http.Request) (code int, retry, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header().Get("Retry-After"), w.Body.String()
}

// ready wants a status of /readyz, and /healthz to be well.
func ready(t *testing.T, h http.Handler, want int) {
	t.Helper()
	if code, _, body := reply(t, h, request("GET", "/readyz", "")); code != want {
		t.Errorf("/readyz: %d %s, want %d", code, body, want)
	}
	if code, _, body := reply(t, h, request("GET", "/healthz", "")); code != 200 {
		t.Errorf("/healthz: %d %s", code, body)
	}
}

// forgotten has /readyz look anew.
func (s *Server) forgotten() {
	s.ready.probed, s.ready.failed = time.Time{}, time.Time{}
}

// fullDisk is a store that has no space for a while.
type fullDisk struct {
	database.Store
	full atomic.Bool
}

var errFull = &pgconn.PgError{Code: "53100"}

func (f *fullDisk) Create(ctx context.Context, n database.Session, first database.Turn) error {
	if f.full.Load() {
		return errFull
	}
	return f.Store.Create(ctx, n, first)
}

func (f *fullDisk) Advance(ctx context.Context, a database.Advance) (bool, error) {
	if f.full.Load() {
		return false, errFull
	}
	return f.Store.Advance(ctx, a)
}

// TestNoSpace: where the database says that the disk is full a client is told so, and the server is not ready for a while,
// although there may be space for a probe.
func TestNoSpace(t *testing.T) {
	store := &fullDisk{Store: servetest.Opened(t, servetest.Stores["sqlite"](t))}
	s, set := servetest.Keeping(t, store, sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	server := New(set, s, Options{})
	h := server.Handler()
	ready(t, h, 200)
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	store.full.Store(true)
	for path, body := range map[string]string{"/v1/sessions/" + v.ID + "/answers": `{"step": 1, "answer": 1}`, "/v1/sessions": `{"policy": "t"}`} {
		if code, retry, body := reply(t, h, request("POST", path, body)); code != 507 || retry != "10" || !strings.Contains(body, "disk of the sessions is full") {
			t.Errorf("%s: %d, Retry-After %q, %s", path, code, retry, body)
		}
	}
	ready(t, h, 503)
	store.full.Store(false)
	if code, _, body := reply(t, h, request("POST", "/v1/sessions", `{"policy": "t"}`)); code != 201 {
		t.Errorf("with space again: %d %s", code, body)
	}
	server.forgotten()
	ready(t, h, 200)
}

// TestLockedSQLite: where another program holds the file for long, all who wait are told within one wait, not each after
// those before it.
func TestLockedSQLite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a time limit")
	}
	path := filepath.Join(t.TempDir(), "s.db")
	s, set := servetest.Keeping(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenSQLite(t.Context(), path) }), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	server := New(set, s, Options{})
	h := server.Handler()
	other, err := sql.Open("sqlite", path)
	must(t, err)
	defer other.Close()
	conn, err := other.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	began := time.Now()
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if code, retry, body := reply(t, h, request("POST", "/v1/sessions", `{"policy": "t"}`)); code != 503 || retry == "" {
				t.Errorf("%d, Retry-After %q, %s", code, retry, body)
			}
		})
	}
	group.Wait()
	if took := time.Since(began); took > suite.Patience || answerTime > responseTime/2 {
		t.Errorf("it took %v; the database has %v to answer, and a reply %v", took, answerTime, responseTime)
	}
	ready(t, h, 503)
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	suite.Await(t, func() bool {
		code, _, _ := reply(t, h, request("POST", "/v1/sessions", `{"policy": "t"}`))
		return code == 201
	}, func() string { return "no session is begun once the database is free" })
	server.forgotten()
	ready(t, h, 200)
}

// TestFrozenDatabase: a database that stands still ends in a reply, long before the time to write one is over; when it
// goes on the same request succeeds.
func TestFrozenDatabase(t *testing.T) {
	suite.Long(t, "waits for a time limit")
	t.Parallel()
	own, err := dbtest.NewPostgres() // its own: others go on
	dbtest.Installed(t, err)
	t.Cleanup(func() { own.Stop(syscall.SIGKILL) })
	s, set := servetest.Keeping(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenPostgres(t.Context(), own.Dsn("postgres")) }), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil))
	server := New(set, s, Options{})
	h, addr := server.Handler(), listen(t, server)
	v := servetest.Begin(t, s, wire.NewSession{Policy: "animals"})
	frozen := own.Processes()
	if len(frozen) < 3 {
		t.Skip("the database's processes cannot be listed without /proc")
	}
	signal := func(how syscall.Signal) {
		for _, pid := range frozen {
			_ = syscall.Kill(pid, how)
		}
	}
	signal(syscall.SIGSTOP)
	defer signal(syscall.SIGCONT)
	began := time.Now()
	post := func() (int, string) {
		res, err := http.Post("http://"+addr+"/v1/sessions/"+v.ID+"/answers", "application/json", strings.NewReader(`{"step": 1, "answer": 1}`))
		must(t, err)
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode, res.Header.Get("Retry-After")
	}
	if code, retry := post(); code != 503 || retry == "" {
		t.Errorf("%d, Retry-After %q", code, retry)
	}
	t.Logf("a frozen database is told after %v", time.Since(began)) // later than responseTime no reply comes at all
	ready(t, h, 503)
	signal(syscall.SIGCONT)
	suite.Await(t, func() bool { code, _ := post(); return code == 200 }, func() string { return "no reply after the frost" })
	server.forgotten()
	ready(t, h, 200)
}

// TestKilledDatabase kills PostgreSQL again and again, one connection or all of it, while the Python client labels. The
// client notices nothing, no confirmed answer is lost, and no request ends in a fault of the server's.
func TestKilledDatabase(t *testing.T) {
	suite.Long(t, "kills a database again and again")
	t.Parallel()
	bin := mapoProgram(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		dbtest.Installed(t, dbtest.ErrMissing("python3"))
	}
	own, err := dbtest.NewPostgres()
	dbtest.Installed(t, err)
	t.Cleanup(func() { own.Stop(syscall.SIGKILL) })
	p := newProcess(t, bin, own.Dsn("postgres"), servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil))
	p.start()
	cmd := exec.Command(python, "-B", filepath.Join("testdata", "label.py"), "../../clients/python", "http://"+p.addr, "animals", "8")
	var said strings.Builder
	cmd.Stderr = &said
	end, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := make(chan string, 100_000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	byName := map[string]*labeller{}
	confirmed := func(n int) { // waits for so many more
		t.Helper()
		for range n {
			select {
			case line, ok := <-lines:
				if !ok {
					t.Fatalf("the client ended: %s", said.String())
				}
				note(t, byName, line)
			case <-time.After(suite.Patience):
				t.Fatalf("the client makes no progress: %s\n%s", said.String(), p.log.String())
			}
		}
	}
	confirmed(100)
	for n := range 2 {
		list := own.Processes()
		_ = syscall.Kill(list[len(list)-1], syscall.SIGKILL) // a connection's: the others end, too (57P02)
		confirmed(100)
		own.Stop([]os.Signal{syscall.SIGKILL, syscall.SIGQUIT}[n])
		time.Sleep(time.Second)
		must(t, own.Start())
		confirmed(100)
	}
	must(t, end.Close())
	for line := range lines {
		note(t, byName, line)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the client failed: %v\n%s", err, said.String())
	}
	var list []*labeller
	for _, l := range byName {
		list = append(list, l)
	}
	checkKept(t, p.addr, list)
	only503(t, p)
}

// only503 checks that an outage was answered by no fault of the server's.
func only503(t *testing.T, p *process) {
	t.Helper()
	res, err := http.Get("http://" + p.addr + "/metrics")
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	if !strings.Contains(string(text), `status="503"`) || strings.Contains(string(text), `status="500"`) {
		t.Errorf("an outage is answered by other statuses than 503:\n%s\n%s", text, p.log.String())
	}
}

// note takes a line of label.py's.
func note(t *testing.T, byName map[string]*labeller, line string) {
	t.Helper()
	var said struct {
		Session, Annotator string
		Step               int
		Answer             wire.Reply
	}
	must(t, json.Unmarshal([]byte(line), &said))
	l := byName[said.Annotator]
	if l == nil {
		l = &labeller{t: t, name: said.Annotator, confirmed: map[string]map[int]play.Answer{}}
		byName[said.Annotator] = l
	}
	if l.confirmed[said.Session] == nil {
		l.confirmed[said.Session] = map[int]play.Answer{}
	}
	l.confirmed[said.Session][said.Step] = said.Answer.Answer
}
