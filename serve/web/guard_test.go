package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"mapo/data/dataset"
	"mapo/internal/suite"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

const (
	askToken   = "ask-token-0123456789"
	adminToken = "admin-token-0123456789"
)

// request is one from the machine itself.
func request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "localhost:8080"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	return r
}

func status(h http.Handler, r *http.Request) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestElsewhere: a web page elsewhere cannot drive the server.
func TestElsewhere(t *testing.T) {
	h := server(t, Options{Hosts: []string{"labels.example"}}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)).Handler()
	const next, all = "/v1/policies/t/next", "/v1/policies"
	for _, c := range []struct {
		why    string
		r      *http.Request
		status int
	}{
		{"a program", request("POST", next, "{}"), 200},
		{"its own page", request("POST", next, "{}", "Origin", "http://localhost:8080", "Sec-Fetch-Site", "same-origin"), 200},
		{"an address", request("GET", all, "", "Host", "[::1]:8080"), 200},
		{"a name it was given", request("GET", all, "", "Host", "LABELS.example"), 200},
		{"another name: DNS rebinding", request("GET", all, "", "Host", "evil.example:8080"), 421},
		{"no name", request("GET", all, "", "Host", ""), 421},
		{"another origin", request("POST", next, "{}", "Origin", "http://evil.example"), 403},
		{"another port", request("POST", next, "{}", "Origin", "http://localhost:9999"), 403},
		{"another port, its browser says", request("POST", next, "{}", "Origin", "http://localhost:9999", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"), 403},
		{"its own page, a proxy has changed the host", request("POST", next, "{}", "Origin", "http://localhost:9999", "Sec-Fetch-Site", "same-origin"), 200},
		{"its own page's script, a proxy has changed the host", request("GET", all, "", "Origin", "http://localhost", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "script"), 200},
		{"a page under a name it was given", request("POST", next, "{}", "Origin", "http://Labels.example:81"), 200},
		{"a page under a longer name", request("POST", next, "{}", "Origin", "http://labels.example.evil.example"), 403},
		{"a page that claims a name before its host", request("POST", next, "{}", "Origin", "http://labels.example@evil.example"), 403},
		{"a page elsewhere under a name it was given", request("POST", next, "{}", "Origin", "http://labels.example:81", "Sec-Fetch-Site", "cross-site"), 403},
		{"rebinding, as its browser sees it", request("POST", next, "{}", "Host", "evil.example:8080", "Origin", "http://evil.example:8080", "Sec-Fetch-Site", "same-origin"), 421},
		{"a file or a sandbox", request("POST", next, "{}", "Origin", "null"), 403},
		{"another origin reads", request("GET", all, "", "Origin", "http://evil.example"), 403},
		{"a script's tag elsewhere", request("GET", all, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"), 403},
		{"a frame elsewhere", request("GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"), 403},
		{"a link elsewhere", request("GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), 200},
		{"a form elsewhere", request("POST", next, "{}", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"), 403},
		{"a simple request", request("POST", next, "{}", "Content-Type", "text/plain"), 415},
		{"a form", request("POST", next, "{}", "Content-Type", "application/x-www-form-urlencoded"), 415},
		{"no type", request("POST", next, "{}", "Content-Type", ""), 415},
		{"a type in other letters", request("POST", next, "{}", "Content-Type", "Application/JSON"), 200},
		{"a type and its charset", request("POST", next, "{}", "Content-Type", "application/json; charset=utf-8"), 200},
		{"a wrong method", request("PUT", next, "{}", "Content-Type", "application/json"), 405},
	} {
		if code, body := status(h, c.r); code != c.status {
			t.Errorf("%s: %d %s, want %d", c.why, code, body, c.status)
		}
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, request("PUT", next, "{}", "Content-Type", "application/json")); w.Header().Get("Allow") != "POST" {
		t.Errorf("what is allowed is %q, want POST", w.Header().Get("Allow"))
	}
}

// TestTokens: with tokens set nothing is readable without one, and what is for
// admins is for them alone.
func TestTokens(t *testing.T) {
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	server := New(set, s, Options{AskTokens: []string{askToken}, AdminTokens: []string{adminToken}})
	h := server.Handler()
	id := servetest.Begin(t, s, wire.NewSession{Policy: "t"}).ID
	paths := []struct{ method, path, body string }{
		{"GET", "/", ""}, {"GET", "/docs", ""}, {"GET", "/openapi.json", ""}, {"GET", "/openapi.yaml", ""}, {"GET", "/metrics", ""}, {"GET", "/static/style.css", ""},
		{"GET", "/play/t", ""}, {"GET", "/policies/t", ""}, {"GET", "/label/" + id, ""}, {"GET", "/nothing", ""},
		{"GET", "/v1/policies", ""}, {"GET", "/v1/policies/t", ""}, {"POST", "/v1/policies/t/next", "{}"}, {"GET", "/v1/policies/none", ""},
		{"GET", "/v1/sessions", ""}, {"HEAD", "/v1/sessions", ""}, {"POST", "/v1/sessions", `{"policy": "t"}`}, {"GET", "/v1/sessions/" + id, ""}, {"GET", "/v1/sessions/" + id + "/export", ""},
		{"POST", "/v1/sessions/" + id + "/answers", `{"step": 1, "answer": 1}`}, {"POST", "/v1/sessions/" + id + "/undo", `{"step": 2}`},
		{"POST", "/v1/sessions/" + id + "/guess", `{"step": 1, "right": true}`},
		{"POST", "/v1/sessions/" + id + "/next", `{}`}, {"DELETE", "/v1/sessions/" + id, ""},
	}
	admins := func(method, path string) bool {
		return path == "/metrics" || method == "DELETE" || (method != "POST" && path == "/v1/sessions")
	}
	for _, p := range paths {
		for _, c := range []struct {
			why, header, value string
			want               int // 0: not 401 or 403
		}{
			{"no token", "X", "", 401},
			{"a wrong token", "Authorization", "Bearer " + askToken + "x", 401},
			{"part of a token", "Authorization", "Bearer " + askToken[:10], 401},
			{"no token at all", "Authorization", "Bearer ", 401},
			{"another scheme", "Authorization", "Basic " + askToken, 401},
			{"a token as a cookie", "Cookie", "mapo=" + adminToken, 401},
			{"the right to ask", "Authorization", "Bearer " + askToken, map[bool]int{true: 403}[admins(p.method, p.path)]},
			{"the right to ask, as a cookie", "Cookie", "mapo=" + cookieOf(askToken), map[bool]int{true: 403}[admins(p.method, p.path)]},
			{"admin rights", "Authorization", "Bearer " + adminToken, 0},
		} {
			code, body := status(h, request(p.method, p.path, p.body, c.header, c.value))
			if bad := code == 401 || code == 403; (c.want == 0 && bad) || (c.want != 0 && code != c.want) {
				t.Errorf("%s %s with %s: %d, want %d: %s", p.method, p.path, c.why, code, c.want, body)
			}
			if c.want == 401 && (strings.Contains(body, "threshold") || strings.Contains(body, id)) {
				t.Errorf("%s %s with %s: %s", p.method, p.path, c.why, body)
			}
		}
	}
	if code, body := status(h, request("GET", "/healthz", "")); code != http.StatusNoContent || body != "" {
		t.Errorf("health without a token: %d %q", code, body)
	}
	if code, body := status(h, request("GET", "/", "", "Accept", "text/html")); code != 401 || !strings.Contains(body, "A token is needed") {
		t.Errorf("a browser without a token sees %d %s", code, body)
	}
}

// TestHeaders: every response, of whatever kind, keeps a page to this server.
func TestHeaders(t *testing.T) {
	h := server(t, Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)).Handler()
	for _, r := range []*http.Request{request("GET", "/", ""), request("GET", "/v1/policies", ""), request("GET", "/none", ""), request("GET", "/", "", "Host", "evil.example")} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", r.URL, w.Header())
		}
	}
}

// TestRate: bursts pass, what is over the rate waits, and others are not touched.
func TestRate(t *testing.T) {
	l, now := newLimiter(10, 20), servetest.SomeTime
	passed := 0
	for range 100 {
		if l.allow("a", now) {
			passed++
		}
	}
	if passed != 20 || !l.allow("b", now) || l.allow("a", now) {
		t.Errorf("%d of a burst passed, want 20", passed)
	}
	if now = now.Add(time.Second / 10); !l.allow("a", now) || l.allow("a", now) {
		t.Error("a tenth of a second is not worth one request")
	}
	for i := range 3 * maxClients {
		l.allow(fmt.Sprint(i), now)
	}
	if len(l.clients) > maxClients {
		t.Errorf("%d clients are remembered", len(l.clients))
	}
	h := allowing(server(t, Options{Rate: 1}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)), 3).Handler()
	var last int
	for range 4 {
		last, _ = status(h, request("GET", "/v1/policies", ""))
	}
	if last != 429 {
		t.Errorf("the fourth request at once: %d", last)
	}
}

// allowing gives a server that limits clients a limit that no time within a test raises: so many requests of each.
func allowing(s *Server, requests float64) *Server {
	s.limit = newLimiter(1e-12, requests)
	return s
}

// listen serves on loopback until the test ends, and returns the address.
func listen(t testing.TB, s *Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

// endless is a body without end.
type endless struct{ left int64 }

func (e *endless) Read(b []byte) (int, error) {
	n := min(int64(len(b)), e.left)
	if n == 0 {
		return 0, io.EOF
	}
	for i := range b[:n] {
		b[i] = ' '
	}
	e.left -= n
	return int(n), nil
}

// TestLargeBodies: a gigabyte, announced or not, is refused, and memory stays
// flat.
func TestLargeBodies(t *testing.T) {
	addr := listen(t, server(t, Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, length := range []int64{1 << 30, -1} {
		r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/v1/policies/t/next", &endless{1 << 30})
		must(t, err)
		r.ContentLength = length
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // the server hung up while it was still being sent to
		}
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("length %d: %d", length, res.StatusCode)
		}
		_ = res.Body.Close()
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("%d MB were allocated", grown>>20)
	}
}

// TestManyFaults: a body with much wrong in it, or something long, gets a short reply: of many
// faults the first few are told, and what no request can need is not looked into.
func TestManyFaults(t *testing.T) {
	h := server(t, Options{MaxBody: 1 << 20}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)).Handler()
	long, words := strings.Repeat("é", 100_000), strings.Repeat("é", 500)
	for what, c := range map[string]struct {
		body   string
		status int
	}{
		"unknown keys":        {manyKeys(mostKeys), 422},
		"too many keys":       {manyKeys(50_000), 413},
		"turns of none":       {`{"history": [` + strings.Repeat(`{},`, 50) + `{}]}`, 422},
		"too many turns":      {`{"history": [` + strings.Repeat(`{},`, 50_000) + `{}]}`, 413},
		"turns of many":       {`{"history": [` + strings.Repeat(`{"query": [1, 2], "answer": {}},`, 12) + `{}]}`, 422},
		"words for answers":   {`{"history": [` + strings.Repeat(`{"query": 0, "answer": "`+words+`"},`, 12) + `{}]}`, 422},
		"a long answer":       {`{"history": [{"query": 0, "answer": "` + long + `"}]}`, 413},
		"a seed of words":     {`{"seed": "` + words + `"}`, 422},
		"a long seed":         {`{"seed": "` + long + `"}`, 413},
		"a key of words":      {`{"` + words + `": 1}`, 422},
		"a long key":          {`{"` + long + `": 1}`, 413},
		"a query of words":    {`{"history": [{"query": "` + words + `", "answer": 1}]}`, 422},
		"a query's long text": {`{"history": [{"query": "` + long + `", "answer": 1}]}`, 413},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request("POST", "/v1/policies/t/next", c.body))
		if w.Code != c.status || w.Body.Len() > 10_000 || !utf8.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d and %d bytes, want %d, beginning %.300s", what, w.Code, w.Body.Len(), c.status, w.Body)
		}
	}
}

// TestSlowClients: a client that sends its request by the byte holds a connection for a while, and no other client waits
// for it.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	for _, long := range []time.Duration{headerTime, 2 * suite.Patience} {
		s := server(t, Options{MaxConns: 64}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
		s.headerTime = long
		addr := listen(t, s)
		var conns []net.Conn
		for range 40 {
			c, err := net.Dial("tcp", addr)
			must(t, err)
			defer c.Close()
			_, err = c.Write([]byte("POST /v1/policies/t/next HTTP/1.1\r\nHost: localhost\r\nX-Slow: "))
			must(t, err)
			conns = append(conns, c)
		}
		began := time.Now()
		res, err := http.Get("http://" + addr + "/v1/policies")
		must(t, err)
		_ = res.Body.Close()
		if took := time.Since(began); res.StatusCode != 200 || took > suite.Patience {
			t.Errorf("%d after %v", res.StatusCode, took)
		}
		if long != headerTime {
			return
		}
		must(t, conns[0].SetReadDeadline(time.Now().Add(headerTime+suite.Patience)))
		if _, err := bufio.NewReader(conns[0]).ReadByte(); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Error("the slow connection is still open")
		}
	}
}

// TestGarbageOnTheWire: what is no HTTP at all.
func TestGarbageOnTheWire(t *testing.T) {
	addr := listen(t, server(t, Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)))
	for _, text := range []string{
		"\x00\x01\x02\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n",
		"POST /v1/policies/t/next HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: -5\r\n\r\n",
		"POST /v1/policies/t/next HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"POST /v1/policies/t/next HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET http://evil.example/v1/policies HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		c, err := net.Dial("tcp", addr)
		must(t, err)
		_, _ = c.Write([]byte(text))
		must(t, c.SetReadDeadline(time.Now().Add(suite.Patience)))
		line, _ := bufio.NewReader(c).ReadString('\n')
		if !strings.HasPrefix(line, "HTTP/1.1 4") && !strings.HasPrefix(line, "HTTP/1.0 4") && !strings.HasPrefix(line, "HTTP/1.1 505") {
			t.Errorf("%.60q is answered %q", text, line)
		}
		_ = c.Close()
	}
}

// readFirst is a store that does something before it reads a session.
type readFirst struct {
	database.Store
	first func()
}

func (s readFirst) Load(ctx context.Context, id string) (database.Session, []database.Turn, error) {
	s.first()
	return s.Store.Load(ctx, id)
}

// serveAfter serves a policy t and, at the path, a session, which it reads after it has done first.
func serveAfter(t *testing.T, o Options, first func()) (s *Server, path string) {
	t.Helper()
	store := servetest.Opened(t, servetest.Stores["sqlite"](t))
	all, set := servetest.Keeping(t, readFirst{store, first}, sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	return New(set, all, o), "/v1/sessions/" + servetest.Begin(t, all, wire.NewSession{Policy: "t"}).ID
}

// TestGrace: a request under way when the server stops is answered.
func TestGrace(t *testing.T) {
	entered, refused := make(chan bool), make(chan bool)
	s, slow := serveAfter(t, Options{}, func() {
		close(entered)
		<-refused
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	go func() {
		<-entered
		stop()
		for { // until it takes no more connections
			c, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				break
			}
			_ = c.Close()
			time.Sleep(time.Millisecond)
		}
		close(refused)
	}()
	res, err := http.Get("http://" + ln.Addr().String() + slow)
	must(t, err)
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || !json.Valid(text) {
		t.Errorf("%d %q, %v", res.StatusCode, text, err)
	}
	must(t, res.Body.Close())
	must(t, <-done)
}

// TestPanic: a handler that panics is answered with 500, its text stays in the log,
// and the server goes on.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	s, path := serveAfter(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, func() { panic("the secret") })
	code, body := status(s.Handler(), request("GET", path, ""))
	if code != 500 || strings.Contains(body, "secret") || !strings.Contains(log.String(), "the secret") {
		t.Errorf("%d %s, log %s", code, body, log.String())
	}
}

// TestMetrics: routes are counted by their patterns, whatever clients ask for.
func TestMetrics(t *testing.T) {
	path := servetest.Write(t, t.TempDir(), "t", dataset.Thresholds(3, 4), nil)
	p, err := policies.Open(path)
	must(t, err)
	h := server(t, Options{}, path).Handler()
	for i := range 50 {
		get(t, h, fmt.Sprintf("/v1/policies/%d", i), new(any))
	}
	servetest.Post(t, h, "/v1/policies/t/next", "{}", new(any))
	code, text := status(h, request("GET", "/metrics", ""))
	for _, want := range []string{
		`mapo_requests_total{route="GET /v1/policies/{id}",status="404"} 50`, `mapo_requests_total{route="POST /v1/policies/{id}/next",status="200"} 1`,
		`mapo_policy_info{hash="` + p.Hash(), "go_goroutines",
	} {
		if code != 200 || !strings.Contains(text, want) {
			t.Errorf("%d, metrics lack %s", code, want)
		}
	}
}

// newSessionOver begins a session at a server and returns the reply.
func newSessionOver(t testing.TB, origin string) string {
	t.Helper()
	res, err := http.Post(origin+"/v1/sessions", "application/json", strings.NewReader(`{"policy": "animals"}`))
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return string(text)
}

// TestRoutesDeclareRights: every route says which right a request must carry, and one that does not stops the start.
func TestRoutesDeclareRights(t *testing.T) {
	s, _ := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	server := New(s.Policies(), s, Options{})
	var none, admin []string
	for pattern, need := range server.routes.rights {
		switch need {
		case rightNone:
			none = append(none, pattern)
		case rightAdmin:
			admin = append(admin, pattern)
		case rightAsk:
		default:
			t.Errorf("%s needs the right %d", pattern, need)
		}
	}
	slices.Sort(none)
	slices.Sort(admin)
	if want := []string{"GET /healthz", "GET /readyz", "POST /login", "POST /logout"}; !slices.Equal(none, want) {
		t.Errorf("these need no right: %q, want %q", none, want)
	}
	if want := []string{"DELETE /v1/sessions/{id}", "GET /metrics", "GET /v1/policies/{id}/review", "GET /v1/sessions", "POST /v1/policies/{id}/review"}; !slices.Equal(admin, want) {
		t.Errorf("these are for admins: %q, want %q", admin, want)
	}
	for of, want := range map[string]right{ // by HEAD as by GET, and by another method as by those that something is for
		"HEAD /v1/sessions": rightAdmin, "POST /metrics": rightAdmin, "PUT /v1/policies/t/review": rightAdmin, "DELETE /v1/policies/t/games/k": rightAsk,
		"GET /login": rightNone, "GET /nothing": rightAsk, "GET //metrics": rightAdmin, "CONNECT /metrics": rightAdmin,
	} {
		method, path, _ := strings.Cut(of, " ")
		if need := server.routes.right(request(method, path, "")); need != want {
			t.Errorf("%s needs the right %d, want %d", of, need, want)
		}
	}
	for path, item := range server.api.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "DELETE": item.Delete} {
			if need := server.routes.rights[method+" "+path]; op != nil && (need == rightAdmin) != slices.Contains(op.Tags, tagAdmin) {
				t.Errorf("%s %s needs the right %d and is described under %q", method, path, need, op.Tags)
			}
		}
	}
	for name, make := range map[string]func(){
		"page":             func() { server.routes.HandleFunc("GET /new", server.health) },
		"page with a zero": func() { server.routes.handle(0, "GET /newer", server.health) },
		"operation of the API": func() {
			huma.Get(server.api, "/v1/new", func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
		},
		"operation with a zero": func() {
			stored(server, 0, server.operation("GET", "/v1/newer", "newer", "", ""), func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "declares no right") {
					t.Errorf("a route without a right is made: %s", got)
				}
			}()
			make()
		})
	}
}
