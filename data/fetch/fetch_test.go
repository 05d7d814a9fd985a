package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mapo/internal/suite"
)

// body is what the good server has.
var body = bytes.Repeat([]byte("0123456789abcdef"), 20_000)

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// answers makes a server that gives one answer after another, the last one for
// ever, and counts its requests.
func answers(t *testing.T, list ...http.HandlerFunc) (address string, asked func() []string) {
	t.Helper()
	s, asked := answering(list...)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, asked
}

// answering is the server of answers before it is started.
func answering(list ...http.HandlerFunc) (s *httptest.Server, asked func() []string) {
	var ranges []string
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := min(len(ranges), len(list)-1)
		ranges = append(ranges, r.Header.Get("Range"))
		list[i](w, r)
	}))
	return s, func() []string { s.Close(); return ranges }
}

// pipes is a listener whose connections are pipes in this process, so that a test with a clock of its own can wait for them.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	ended chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.ended) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// whole serves data as a good server does, with ranges and a version.
func whole(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+hash(data)[:8]+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// cut announces all of data and ends the connection after n bytes.
func cut(data []byte, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+hash(data)[:8]+`"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:n])
		panic(http.ErrAbortHandler)
	}
}

// stalls sends n bytes and then nothing, until the client goes away.
func stalls(data []byte, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+hash(data)[:8]+`"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:n])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
}

// raw writes an answer as it stands and ends the connection.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = conn.Write([]byte(text))
		_ = conn.Close()
	}
}

func getter() *Getter {
	return &Getter{Stall: suite.Patience, Wait: time.Nanosecond}
}

// Whatever happens on the way, the file arrives whole. The clock stands still while a byte is on its way, so that only a server
// that says nothing is silent.
func TestGetArrives(t *testing.T) {
	n := len(body)
	for _, c := range []struct {
		why   string
		list  []http.HandlerFunc
		asked string // the ranges of the requests
	}{
		{"a good server", []http.HandlerFunc{whole(body)}, "[]"},
		{"a connection that ends early is resumed", []http.HandlerFunc{cut(body, n/2), whole(body)}, fmt.Sprintf("[ bytes=%d-]", n/2)},
		{"so is one that stalls", []http.HandlerFunc{stalls(body, n/4), whole(body)}, fmt.Sprintf("[ bytes=%d-]", n/4)},
		{"also before its first byte", []http.HandlerFunc{stalls(body, 0), whole(body)}, "[ ]"},
		{"a busy server", []http.HandlerFunc{status(503), status(429), whole(body)}, "[  ]"},
		{"a server without ranges", []http.HandlerFunc{cut(body, n/2), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `"other"`)
			_, _ = w.Write(body)
		}}, fmt.Sprintf("[ bytes=%d-]", n/2)},
		{"a file that changes on the way starts afresh", []http.HandlerFunc{cut(bytes.ToUpper(body), n/2), whole(body)}, fmt.Sprintf("[ bytes=%d-]", n/2)},
		{"a server that goes on at another place", []http.HandlerFunc{cut(body, n/2), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", n-1, n))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(body[7:])
		}, whole(body)}, fmt.Sprintf("[ bytes=%d- ]", n/2)},
		{"a server that has less than before", []http.HandlerFunc{cut(body, n/2), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes */3")
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}, whole(body)}, fmt.Sprintf("[ bytes=%d- ]", n/2)},
		{"no version, so no resuming", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(n))
			_, _ = w.Write(body[:n/2])
			panic(http.ErrAbortHandler)
		}, whole(body)}, "[ ]"},
		{"chunks that are cut", []http.HandlerFunc{raw("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n0123"), whole(body)}, "[ bytes=4-]"},
		{"no HTTP at all", []http.HandlerFunc{raw("hello\r\n\r\n"), whole(body)}, "[ ]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			s, asked := answering(c.list...)
			net := &pipes{conns: make(chan net.Conn), ended: make(chan struct{})}
			s.Listener.Close()
			s.Listener = net
			s.Start()
			g := getter()
			g.Client = &http.Client{Transport: &http.Transport{DialContext: net.dial}}
			f := File{Name: "f.zip", URLs: []string{s.URL}, Size: int64(n), SHA256: hash(body)}
			fetched, err := g.Get(context.Background(), f, dir, false)
			got, _ := os.ReadFile(filepath.Join(dir, "f.zip"))
			if err != nil || !fetched || !bytes.Equal(got, body) {
				t.Errorf("%s: %v, %d bytes", c.why, err, len(got))
			}
			if got := fmt.Sprint(asked()); got != c.asked {
				t.Errorf("%s: asked for %s, want %s", c.why, got, c.asked)
			}
			if names := list(t, dir); names != "f.zip f.zip.sha256" {
				t.Errorf("%s leaves %s", c.why, names)
			}
		})
	}
}

// list is what a folder holds.
func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// A download that goes wrong says why and leaves the good file that is there.
func TestGetNeverReplacesGood(t *testing.T) {
	n := len(body)
	wrong := bytes.ToUpper(body)
	lies := func(size int) http.HandlerFunc {
		return raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", size, body))
	}
	for _, c := range []struct {
		why  string
		list []http.HandlerFunc
		file File
		want string
	}{
		{"wrong bytes", []http.HandlerFunc{whole(wrong)}, File{SHA256: hash(body)}, "its sha256 is " + hash(wrong) + ", want " + hash(body) + ": these are other bytes"},
		{"a page in place of the file", []http.HandlerFunc{whole([]byte("<html>"))}, File{Size: int64(n)}, "the server has 6 bytes, want 320000: it is another file"},
		{"a length that is too short", []http.HandlerFunc{lies(n / 2)}, File{Size: int64(n)}, "the server has 160000 bytes, want 320000"},
		{"a short length where none is known", []http.HandlerFunc{lies(n / 2)}, File{SHA256: hash(body)}, "its sha256 is"},
		{"a length that is too long", []http.HandlerFunc{lies(2 * n)}, File{}, "the connection ended early; gave up after 5 tries: run the command again to go on"},
		{"more than there should be", []http.HandlerFunc{raw("HTTP/1.1 200 OK\r\n\r\n" + string(body))}, File{Size: 100}, "the server sends more than 100 bytes: it is another file"},
		{"an end without a word", []http.HandlerFunc{raw("HTTP/1.0 200 OK\r\n\r\n" + string(body[:n/2]))}, File{Size: int64(n)}, "160000 bytes came, want 320000"},
		{"nothing", []http.HandlerFunc{raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}, File{}, "the server sent an empty file"},
		{"always silent", []http.HandlerFunc{stalls(body, 0)}, File{}, "the server said nothing for 300ms; gave up after 4 tries"},
		{"always broken", []http.HandlerFunc{status(500)}, File{}, "the server answers 500 Internal Server Error; gave up after 4 tries"},
		{"not there", []http.HandlerFunc{status(404)}, File{}, "the server answers 404 Not Found"},
		{"its own reader says no", []http.HandlerFunc{whole(body)}, File{Check: func(string) error { return errors.New("f:1: no table") }}, "what came is not the file wanted; nothing was replaced: f:1: no table"},
	} {
		dir := t.TempDir()
		address, _ := answers(t, c.list...)
		good := []byte("the good one")
		if err := os.WriteFile(filepath.Join(dir, "f.zip"), good, 0o644); err != nil {
			t.Fatal(err)
		}
		c.file.Name, c.file.URLs = "f.zip", []string{address}
		g := getter()
		if c.why == "always silent" {
			g.Stall = 300 * time.Millisecond
		}
		fetched, err := g.Get(context.Background(), c.file, dir, false)
		if err == nil || fetched || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "f.zip")); !bytes.Equal(got, good) {
			t.Errorf("%s: the good file is now %.40q", c.why, got)
		}
	}
}

// What is there and good is not fetched again; a changed file is.
func TestGetKeepsGood(t *testing.T) {
	dir := t.TempDir()
	address, asked := answers(t, whole(body))
	f := File{Name: "f.zip", URLs: []string{address}}
	get := func(again, want bool) {
		t.Helper()
		if fetched, err := getter().Get(context.Background(), f, dir, again); err != nil || fetched != want {
			t.Errorf("fetched %v, %v", fetched, err)
		}
	}
	get(false, true)
	record, err := os.ReadFile(filepath.Join(dir, "f.zip.sha256"))
	if err != nil || string(record) != hash(body)+"  f.zip\n" {
		t.Errorf("the record is %q, %v", record, err)
	}
	get(false, false)
	get(true, true)
	if err := os.WriteFile(filepath.Join(dir, "f.zip"), body[1:], 0o644); err != nil {
		t.Fatal(err)
	}
	get(false, true)
	if n := len(asked()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

// A download that is stopped goes on in another process where it was.
func TestGetGoesOn(t *testing.T) {
	dir := t.TempDir()
	address, asked := answers(t, stalls(body, 100_000), whole(body))
	f := File{Name: "f.zip", URLs: []string{address}, SHA256: hash(body)}
	ctx, cancel := context.WithCancel(context.Background())
	g := getter()
	g.Progress = func(p Progress) {
		if p.Done == 100_000 {
			if p.Total != int64(len(body)) {
				t.Errorf("%d of %d", p.Done, p.Total)
			}
			other := getter()
			if _, err := other.Get(context.Background(), f, dir, false); err == nil || !strings.Contains(err.Error(), "is being fetched by another process: wait for it") {
				t.Errorf("two at once: %v", err)
			}
			cancel()
		}
	}
	if _, err := g.Get(ctx, f, dir, false); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if names := list(t, dir); names != ".part-f.zip .part-f.zip.version" {
		t.Errorf("a stopped download leaves %s", names)
	}
	if _, err := getter().Get(context.Background(), f, dir, false); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "f.zip")); !bytes.Equal(got, body) || fmt.Sprint(asked()) != "[ bytes=100000-]" {
		t.Errorf("%d bytes, asked for %v", len(got), asked())
	}
}

// A kill between the last byte and the check costs nothing.
func TestGetFindsItselfDone(t *testing.T) {
	dir := t.TempDir()
	address, asked := answers(t, whole(body))
	for name, data := range map[string][]byte{".part-f.zip": body, ".part-f.zip.version": []byte(`"` + hash(body)[:8] + `"`)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := File{Name: "f.zip", URLs: []string{address}}
	if _, err := getter().Get(context.Background(), f, dir, false); err != nil {
		t.Error(err)
	}
	if got := asked(); len(got) != 1 || got[0] != fmt.Sprintf("bytes=%d-", len(body)) {
		t.Errorf("asked for %q", got)
	}
}

func TestGetTriesOtherAddresses(t *testing.T) {
	gone, _ := answers(t, status(404))
	here, _ := answers(t, whole(body))
	f := File{Name: "f.zip", URLs: []string{gone, here}}
	if _, err := getter().Get(context.Background(), f, t.TempDir(), false); err != nil {
		t.Error(err)
	}
	page, _ := answers(t, raw("HTTP/1.0 200 OK\r\n\r\n<p>We have moved</p>")) // of no announced length
	for _, first := range []string{page, "http://127.0.0.1:1/f"} {
		g, dir := getter(), t.TempDir()
		f := File{Name: "f.zip", URLs: []string{first, here}, Size: int64(len(body)), SHA256: hash(body)}
		if _, err := g.Get(context.Background(), f, dir, false); err != nil {
			t.Errorf("the second address has the file: %v", err)
		}
		f.URLs = []string{first, page}
		if _, err := g.Get(context.Background(), f, dir, true); err == nil || !strings.Contains(err.Error(), "nothing was replaced") {
			t.Errorf("the second address has another file: %v", err)
		}
	}
	f.URLs = []string{"http://127.0.0.1:1/f"} // nobody listens there
	if _, err := getter().Get(context.Background(), f, t.TempDir(), false); err == nil || !strings.Contains(err.Error(), "refused; gave up after 4 tries") {
		t.Error(err)
	}
	secure := httptest.NewTLSServer(http.RedirectHandler(here, http.StatusFound))
	t.Cleanup(secure.Close)
	g := getter()
	g.Client = secure.Client()
	g.Client.CheckRedirect = stayEncrypted
	f.URLs = []string{secure.URL}
	if _, err := g.Get(context.Background(), f, t.TempDir(), false); err == nil || !strings.Contains(err.Error(), "the server sends on from https to http://") {
		t.Error(err)
	}
}

func TestSets(t *testing.T) {
	for _, s := range Sets() {
		if s.Terms == "" || s.Use == "" || len(s.Files) == 0 {
			t.Errorf("%s: %+v", s.Name, s)
		}
		for _, f := range s.From("http://x/y/").Files {
			if f.URLs[0] != "http://x/y/"+f.Name || filepath.Base(f.Name) != f.Name {
				t.Errorf("%s: %q", f.Name, f.URLs)
			}
		}
		for _, f := range s.Files {
			if !strings.HasPrefix(f.URLs[0], "https://") || !strings.HasSuffix(f.URLs[0], f.Name) || f.Check == nil {
				t.Errorf("%+v", f)
			}
		}
	}
}
