package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"mapo/game"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// wordy is a game whose texts are longer in JSON than they are.
func wordy() *game.Problem {
	p := servetest.Wheels()
	p.AskOnce = false
	for i := range p.X {
		p.X[i] = fmt.Sprintf("%d %s", i, strings.Repeat("ä\u2028😀\"\\", 40*i))
	}
	return p
}

// escapes is text in JSON, as long as it can be.
func escapes(text string) string {
	var out strings.Builder
	for _, unit := range utf16Of(text) {
		fmt.Fprintf(&out, `\u%04X`, unit)
	}
	return `"` + out.String() + `"`
}

func utf16Of(text string) (units []uint16) {
	for _, r := range text {
		if r > 0xffff {
			r -= 0x10000
			units = append(units, 0xd800+uint16(r>>10), 0xdc00+uint16(r&0x3ff))
			continue
		}
		units = append(units, uint16(r))
	}
	return units
}

// longest is the longest game of p: don't know to every query, then answers to those
// with the longest texts, which stand last.
func longest(p *game.Problem) string {
	var history []string
	for _, text := range p.X {
		history = append(history, `{"query": `+escapes(text)+`, "answer": null}`)
	}
	for i := range p.T {
		if !p.AskOnce {
			i = 0
		}
		history = append(history, `{"query": `+escapes(p.X[len(p.X)-1-i])+`, "answer": -1}`)
	}
	var mask []string
	for i := range p.X {
		mask = append(mask, fmt.Sprint(i))
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(`{"history": [`+strings.Join(history, ",")+`], "mask": [`+strings.Join(mask, ",")+`], "seed": 9007199254740991, "top": 1000000}`), "", "        "); err != nil {
		panic(err)
	}
	return out.String()
}

// TestLongestGame: the default bounds leave room for every game, and follow the
// policies when they are read again.
func TestLongestGame(t *testing.T) {
	for _, p := range []*game.Problem{servetest.Wheels(), wordy(), servetest.Animals(t)} {
		h := server(t, Options{}, servetest.Write(t, t.TempDir(), "t", p, nil)).Handler()
		if code, body := status(h, request("POST", "/v1/policies/t/next", longest(p))); code != 200 {
			t.Errorf("%d queries: %d %.300s", len(p.X), code, body)
		}
	}
	dir := t.TempDir()
	set, err := policies.NewSet([]string{servetest.Write(t, dir, "t", servetest.Wheels(), nil)}, nil)
	must(t, err)
	h, body := New(set, nil, Options{}).Handler(), longest(wordy())
	if code, body := status(h, request("POST", "/v1/policies/t/next", body)); code != 413 {
		t.Errorf("too long a game: %d %.300s", code, body)
	}
	servetest.Write(t, dir, "t", wordy(), nil)
	set.Renew(slog.New(slog.DiscardHandler))
	if code, body := status(h, request("POST", "/v1/policies/t/next", body)); code != 200 {
		t.Errorf("after a reload: %d %.300s", code, body)
	}
}

// TestCheck: a body that no request needs is refused, whatever is JSON passes, and what is not is the decoder's.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ sent, reason string }{
		{" {\n\t\"a\" : [ 1 , -2.5e3 , \"x y\\\" \" , true , null ] }\r\n", ""},
		{`[1 2, tru e, "a" "b"]`, ""},
		{`}]],{"a":1}`, ""},
		{`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}`, ""},
		{`{"a":["a","a"],"b":"a"}`, ""},
		{`{"a":1,"\u0061":2}`, `"a" stands twice`},
		{`{"a" :1,"b":{},"a" : 2}`, `"a" stands twice`},
		{`[{"x":[{"a":1,"b":"\"","a":3}]}]`, `"a" stands twice`},
		{`{"s":1,"ſ":2}`, `"ſ" stands twice`},
		{`[[[[[[[[1]]]]]]]]`, ""},
		{`[[[[[[[[[1]]]]]]]]]`, "nested more than 8 deep"},
		{"[\"\xff\"]", "not UTF-8"},
		{`[` + strings.Repeat("1,", 62) + `1]`, ""},
		{`[` + strings.Repeat("1,", 63) + `1]`, "more than 64 values"},
		{`[` + strings.Repeat("[],", 63) + `1]`, "more than 64 values"},
		{`["` + strings.Repeat("a", 100) + `"]`, ""},
		{`["` + strings.Repeat(`\u00e4`, 50) + `"]`, ""},
		{`["` + strings.Repeat(`\u00e4`, 51) + `"]`, "a text of more than 100 bytes"},
		{`["` + strings.Repeat("a", 101) + `"]`, "a text of more than 100 bytes"},
		{`{"` + strings.Repeat("a", 101) + `":1}`, "a text of more than 100 bytes"},
		{`[` + strings.Repeat("1", 100) + `]`, ""},
		{`[` + strings.Repeat("1", 101) + `]`, "a number of more than 100 characters"},
		{manyKeys(32), ""},
		{manyKeys(33), "more than 32 keys"},
	} {
		err := checkBody(policies.Bounds{Values: 64, Text: 100}, []byte(c.sent))
		if (err == nil) != (c.reason == "") || err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%.60s: %v, want %q", c.sent, err, c.reason)
		}
	}
}

func manyKeys(n int) string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf(`"k%d":[]`, i))
	}
	return "{" + strings.Join(keys, ",") + "}"
}

// FuzzCheck: of JSON that passes, no object has a key twice, and there are as many values as were allowed.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{`{"a": [1, "b\n", null]}`, `[1 2]`, "\xff", `{"a":1,"A":2}`, `"\ud800"`, `{"a" 1}`, `1 "a"`, `nul l`, `{"a":{"b":[]},"c":"\\\""}`} {
		f.Add(text)
	}
	const most = 5
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) || checkBody(policies.Bounds{Values: most, Text: 1000}, []byte(text)) != nil {
			return
		}
		values, keys := 0, []map[string]bool{}
		for d := json.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if err != nil {
				break
			}
			switch token {
			case json.Delim('{'), json.Delim('['):
				keys = append(keys, map[string]bool{})
			case json.Delim('}'), json.Delim(']'):
				keys = keys[:len(keys)-1]
				continue
			}
			if values++; len(keys) > 0 && d.InputOffset() < int64(len(text)) && strings.HasPrefix(strings.TrimLeft(text[d.InputOffset():], " \t\r\n"), ":") {
				values--
				if key := strings.ToLower(fmt.Sprint(token)); keys[len(keys)-1][key] {
					t.Errorf("%q has the key %q twice", text, key)
				} else {
					keys[len(keys)-1][key] = true
				}
			}
		}
		if values > most {
			t.Errorf("%q has %d values", text, values)
		}
	})
}

// TestBodiesAtOnce: bodies together have a bound; those beyond it are refused at once,
// and what a body held is given back.
func TestBodiesAtOnce(t *testing.T) {
	s := server(t, Options{MaxBody: 1 << 20}, servetest.Write(t, t.TempDir(), "t", wordy(), nil))
	h := s.Handler()
	body := longest(wordy())
	if len(body) < 2*freeBody {
		t.Fatalf("the game has only %d bytes", len(body))
	}
	s.bodies.kept.Add(mostBodies)
	w := httptest.NewRecorder()
	next := func() http.ResponseWriter { w = httptest.NewRecorder(); return w }
	h.ServeHTTP(next(), request("POST", "/v1/policies/t/next", body))
	if w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("with no room: %d %s", w.Code, w.Body)
	}
	small := `{"history": [` + strings.Repeat(" ", freeBody/2) + `]}`
	if code, reply := status(h, request("POST", "/v1/policies/t/next", small)); code != 200 {
		t.Errorf("a small one with no room: %d %s", code, reply)
	}
	s.bodies.kept.Add(-mostBodies)
	for range cap(s.bodies.places) {
		s.bodies.places <- struct{}{}
	}
	h.ServeHTTP(next(), request("POST", "/v1/policies/t/next", strings.ReplaceAll(body, "null", "3")))
	if w.Code != 503 {
		t.Errorf("with no place: %d %s", w.Code, w.Body)
	}
	for range cap(s.bodies.places) {
		<-s.bodies.places
	}
	for _, body := range []string{body, strings.ReplaceAll(body, "null", "3"), body[:len(body)-20], strings.Repeat(body, 2)} {
		h.ServeHTTP(next(), request("POST", "/v1/policies/t/next", body))
		if n := s.bodies.kept.Load(); n != 0 || len(s.bodies.places) != 0 || w.Code == 503 {
			t.Errorf("after %d: %d bytes and %d places are held", w.Code, n, len(s.bodies.places))
		}
	}
}

// waiting tells how many places to decode are taken whenever the store is asked.
type waiting struct {
	database.Store
	ask func()
}

func (s *waiting) Load(ctx context.Context, id string) (database.Session, []database.Turn, error) {
	s.ask()
	return s.Store.Load(ctx, id)
}

func (s *waiting) Create(ctx context.Context, n database.Session, first database.Turn) error {
	s.ask()
	return s.Store.Create(ctx, n, first)
}

// TestPlacesEndBeforeTheStore: no request keeps its place to decode while it waits for a database.
func TestPlacesEndBeforeTheStore(t *testing.T) {
	store := &waiting{Store: servetest.Opened(t, servetest.Stores["sqlite"](t)), ask: func() {}}
	s, set := servetest.Keeping(t, store, sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Animals(t), nil))
	server := New(set, s, Options{})
	other := servetest.Holding(t, set, store, sessions.Options{})
	h, n := server.Handler(), 0
	for path, item := range described(t, h).Paths {
		op, ok := item["post"]
		if !ok || !strings.HasPrefix(path, "/v1/sessions") || op.OperationID == "truth" { // whose body is small
			continue
		}
		var body map[string]any
		must(t, json.Unmarshal(op.RequestBody.Content["application/json"].Example, &body))
		text, err := json.Marshal(body)
		must(t, err)
		path = strings.Replace(path, "{id}", servetest.Begin(t, other, wire.NewSession{Policy: "t"}).ID, 1) // which the server has to read
		asked := -1
		store.ask = func() { asked = len(server.bodies.places) }
		if code, reply := status(h, request("POST", path, string(text)+strings.Repeat(" ", plainBytes))); asked != 0 {
			t.Errorf("%s: %d places are taken (-1: the store was not asked): %d %s", path, asked, code, reply)
		}
		store.ask = func() {}
		n++
	}
	if n != 5 {
		t.Errorf("%d requests were tried", n)
	}
}

// TestSpellings: a query may be named in any of its spellings, also in the longest, at each place.
func TestSpellings(t *testing.T) {
	p := servetest.Wheels()
	p.X[0] = strings.Repeat("한", 500)
	p.X[1], p.X[2] = "e\u0301", "é"
	path := servetest.Write(t, t.TempDir(), "t", p, nil)
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, path)
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Mask: []int{1, 2, 3, 4, 5, 6, 7}})
	_, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Yes}, Query: &wire.Ref{Text: norm.NFD.String(p.X[0]), ByText: true}})
	must(t, err)
	if one := set.All()[0]; reference(one, 1) != 1 || reference(one, 0) != p.X[0] {
		t.Errorf("examples name the queries %v and %v", reference(one, 1), reference(one, 0))
	}
	h := server(t, Options{}, path).Handler()
	if code, reply := status(h, request("POST", "/v1/policies/t/next", `{"history": [{"query": `+escapes(norm.NFD.String(p.X[0]))+`, "answer": 1}]}`)); code != 200 {
		t.Errorf("%d %s", code, reply)
	}
}

// TestHalfSent: bodies that are sent in half hold no place, so that complete ones are decoded.
func TestHalfSent(t *testing.T) {
	s := server(t, Options{MaxBody: 1 << 20}, servetest.Write(t, t.TempDir(), "t", wordy(), nil))
	addr := listen(t, s)
	for range 2 * cap(s.bodies.places) {
		conn, err := net.Dial("tcp", addr)
		must(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST /v1/policies/t/next HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", 1<<20, strings.Repeat(" ", 1<<19))
		must(t, err)
	}
	suite.Await(t, func() bool { return s.bodies.kept.Load() >= int64(2*cap(s.bodies.places))*(1<<19-freeBody) }, func() string { return "the halves are not read" })
	if n := len(s.bodies.places); n != 0 {
		t.Errorf("%d places are taken", n)
	}
	if code, _, err := posted(addr, "t", longest(wordy())); err != nil || code != 200 {
		t.Errorf("a complete body: %d, %v", code, err)
	}
}

// hostile are bodies of about n bytes that once were dear.
func hostile(n int) map[string]string {
	fill := func(before, again, after string) string {
		return before + strings.Repeat(again, (n-len(before)-len(after))/len(again)) + after
	}
	thousand := strings.Repeat("a", 1000)
	return map[string]string{
		"ones":   fill(`{"history":[1`, `,1`, `]}`),
		"turns":  fill(`{"history":[{}`, `,{}`, `]}`),
		"masks":  fill(`{"mask":[0`, `,0`, `]}`),
		"texts":  fill(`{"history":[0`, `,{"query":"`+thousand+`","answer":1}`, `]}`),
		"escape": fill(`{"history":[0`, `,{"query":"`+strings.Repeat(`\u00e4`, 1000)+`","answer":1}`, `]}`),
		"text":   fill(`{"history":[{"query":"`, `a`, `","answer":1}]}`),
		"number": fill(`{"seed":1`, `1`, `}`),
		"spaces": fill(`{"history":[1`, ` `, `,1]}`),
		"keys":   fill(`{"a":1`, `,"`+thousand+`":1`, `}`),
		"deep":   fill(`{"history":`, `[`, ``),
	}
}

// peak is the most memory that a process has had, in bytes (VmHWM).
func (p *process) peak() int64 {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	must(p.t, err)
	return kb << 10
}

// posted sends a body and returns the status and how long the reply took.
func posted(addr, policy, body string) (int, time.Duration, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	began := time.Now()
	// All of it first, as simple clients do.
	if _, err := fmt.Fprintf(conn, "POST /v1/policies/%s/next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", policy, len(body), body); err != nil {
		return 0, 0, err
	}
	text, err := io.ReadAll(conn)
	var code int
	_, scan := fmt.Sscanf(string(text), "HTTP/1.1 %d", &code)
	if err == nil {
		err = scan
	}
	return code, time.Since(began), err
}

// TestHostileBodies: a hundred at once of whatever kind are refused soon and leave
// memory as it was, with the default bound, with a larger one, and just below it.
// MAPO_LONG measures each kind one at a time, too.
func TestHostileBodies(t *testing.T) {
	bin := mapoProgram(t)
	file := servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil)
	set, err := policies.NewSet([]string{file}, nil)
	must(t, err)
	below := int(set.Bounds().Body) - 1
	for _, c := range []struct {
		flags []string
		size  int
	}{{nil, 1 << 20}, {[]string{"--max-body", "1MiB"}, 1 << 20}, {nil, below}, {[]string{"--max-body", "1MiB"}, below}} {
		t.Run(fmt.Sprint(c.flags, c.size), func(t *testing.T) {
			if c.flags != nil || c.size != below {
				suite.Long(t, "the same again at another bound or size")
			}
			p := newProcess(t, bin, filepath.Join(t.TempDir(), "s.db"), append(c.flags, file)...)
			p.start()
			for kind, body := range hostile(c.size) {
				var mu sync.Mutex
				var took []time.Duration
				codes := map[int]int{}
				var group sync.WaitGroup
				for range 100 {
					group.Go(func() {
						code, d, err := posted(p.addr, "animals", body)
						mu.Lock()
						defer mu.Unlock()
						if err != nil || code < 400 || code == 500 {
							t.Errorf("%s: %d, %v", kind, code, err)
						}
						codes[code]++
						took = append(took, d)
					})
				}
				group.Wait()
				if worst := slices.Max(took); worst > suite.Patience {
					t.Errorf("%s: a refusal took %v", kind, worst)
				}
				t.Logf("%-6s %v, 100 at once within %v, peak so far %d MB", kind, codes, slices.Max(took), p.peak()>>20)
				if os.Getenv("MAPO_LONG") == "" {
					continue
				}
				took = nil
				for range 100 {
					_, d, err := posted(p.addr, "animals", body)
					must(t, err)
					took = append(took, d)
				}
				slices.Sort(took)
				t.Logf("%-6s one at a time: 95th percentile %v, worst %v", kind, took[94], took[99])
			}
			if peak := p.peak(); peak > 300<<20 {
				t.Errorf("the server had %d MB, want less than 300", peak>>20)
			}
			res, err := http.Get("http://" + p.addr + "/v1/policies")
			must(t, err)
			_ = res.Body.Close()
		})
	}
}
