package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mapo/serve/database"
	"mapo/serve/dbtest"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

const loadConns = 32

// caller sends requests over one connection, at little cost.
type caller struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
}

func dial(addr string) (*caller, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &caller{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

// post sends a body and decodes the reply into out, where that is not nil.
func (c *caller) post(path, body string, out any) (status int, err error) {
	c.out = fmt.Appendf(c.out[:0], "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if out != nil {
		err = json.NewDecoder(res.Body).Decode(out)
	}
	_, rest := io.Copy(io.Discard, res.Body)
	return res.StatusCode, errors.Join(err, rest)
}

// figures are what a load was answered with.
type figures struct {
	rate     float64 // a second
	p50, p99 time.Duration
	cpu      time.Duration // of the processors for each call, client and server
	database time.Duration // the same of the tests' PostgreSQL server; 0 where it did nothing
}

func (f figures) String() string {
	text := fmt.Sprintf("%.0f a second over %d connections, p50 %v, p99 %v; %d µs of processor time each, client and server", f.rate, loadConns, f.p50, f.p99, f.cpu.Microseconds())
	if f.database > 0 {
		text += fmt.Sprintf(", and %d µs the database's server", f.database.Microseconds())
	}
	return text
}

// load calls once from every connection again and again for a while.
func load(t *testing.T, addr string, seconds float64, once func(worker int, c *caller) error) figures {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var group sync.WaitGroup
	cpu, database, began := servetest.CPUTime(), dbtest.ClusterTime(), time.Now()
	end := began.Add(time.Duration(seconds * float64(time.Second)))
	for w := range loadConns {
		group.Go(func() {
			c, err := dial(addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.conn.Close()
			var own []time.Duration
			for now := time.Now(); now.Before(end); {
				if err := once(w, c); err != nil {
					t.Error(err)
					return
				}
				next := time.Now()
				own = append(own, next.Sub(now))
				now = next
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	group.Wait()
	wall, used, there := time.Since(began), servetest.CPUTime()-cpu, dbtest.ClusterTime()-database
	if len(took) == 0 {
		t.Fatal("no call was answered")
	}
	slices.Sort(took)
	at := func(q float64) time.Duration { return took[int(q*float64(len(took)-1))].Round(10 * time.Microsecond) }
	return figures{rate: float64(len(took)) / wall.Seconds(), p50: at(.5), p99: at(.99), cpu: used / time.Duration(len(took)), database: there / time.Duration(len(took))}
}

// bare is the load that a handler bears which reads its request and does nothing: what
// the machine and its other work leave for any server.
func bare(t *testing.T) figures {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write([]byte("{}"))
	}))
	defer s.Close()
	f := load(t, s.Listener.Addr().String(), 2, func(_ int, c *caller) error {
		_, err := c.post("/", `{"history":[{"query":3,"answer":1},{"query":17,"answer":-1}],"seed":7}`, nil)
		return err
	})
	t.Logf("a handler that does nothing: %v", f)
	return f
}

// want fails the test on fewer calls a second, or on a longer p99 (0: any).
func (f figures) want(t *testing.T, rate float64, p99 time.Duration) {
	t.Helper()
	t.Logf("%v; %.2f of what a handler bears that does nothing", f, f.rate/bare(t).rate)
	if f.rate < rate {
		t.Errorf("%.0f a second, want %.0f", f.rate, rate)
	}
	if p99 > 0 && f.p99 > p99 {
		t.Errorf("p99 is %v, want at most %v", f.p99, p99)
	}
}

// long skips what takes long or wants the machine for itself.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("MAPO_LONG") == "" {
		t.Skip("MAPO_LONG is not set")
	}
}

// TestLoadNext: at least 8,000 stateless questions a second, p99 under 20 ms, on two
// cores shared with the clients.
func TestLoadNext(t *testing.T) {
	long(t)
	addr := listen(t, server(t, Options{}, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil)))
	load(t, addr, 10, func(worker int, c *caller) error {
		// Games in the middle, each with its own answers.
		var history []string
		for i := range 2 + worker%17 {
			history = append(history, fmt.Sprintf(`{"query":%d,"answer":%d}`, (worker*3+i*5)%116, 1-2*((worker+i)%2)))
		}
		status, err := c.post("/v1/policies/animals/next", `{"history":[`+strings.Join(history, ",")+`],"seed":7}`, nil)
		if err == nil && status != 200 {
			err = fmt.Errorf("status %d", status)
		}
		return err
	}).want(t, 8000, 20*time.Millisecond)
}

// TestLoadAnswers: at least 2,000 durable answers a second, and a fifth of that behind PgBouncer.
func TestLoadAnswers(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		long(t)
		rate := 2000.
		if strings.HasSuffix(t.Name(), "pgbouncer") {
			rate = 400
		}
		s, set := servetest.Keeping(t, servetest.Opened(t, open), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil))
		addr := listen(t, New(set, s, Options{}))
		var begun [loadConns]wire.View
		load(t, addr, 10, func(worker int, c *caller) error {
			v := &begun[worker]
			path, body, want := "/v1/sessions/"+v.ID+"/answers", fmt.Sprintf(`{"step":%d,"answer":%d}`, v.Step, 1-2*(v.Step%2)), 200
			if v.Query == nil {
				path, body, want = "/v1/sessions", `{"policy":"animals"}`, 201
			}
			*v = wire.View{}
			status, err := c.post(path, body, v)
			if err == nil && status != want {
				err = fmt.Errorf("status %d", status)
			}
			return err
		}).want(t, rate, 0)
	})
}
