package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/policy/nn"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestExpiry: a session is gone a while after its last turn, and makes room.
func TestExpiry(t *testing.T) {
	now := servetest.SomeTime
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{TTL: time.Hour, Max: 2, Clock: func() time.Time { return now }}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	a, b := servetest.Begin(t, s, wire.NewSession{Policy: "t"}), servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	_, err := s.Create(t.Context(), &wire.NewSession{Policy: "t"})
	servetest.Faulty(t, err, 429, "2 sessions without an answer are kept")
	now = now.Add(40 * time.Minute)
	b = servetest.Tell(t, s, b, play.Yes)
	if !b.Expires.Equal(now.Add(time.Hour)) {
		t.Errorf("expires %v", b.Expires)
	}
	now = now.Add(40 * time.Minute)
	_, err = s.View(t.Context(), a.ID)
	servetest.Faulty(t, err, 404, "expired")
	servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	if _, err := s.View(t.Context(), b.ID); err != nil {
		t.Error(err)
	}
	must(t, s.Delete(t.Context(), b.ID))
	servetest.Faulty(t, s.Delete(t.Context(), b.ID), 404, "no such session")
}

// TestTooManySessions: far more are asked for than are kept; the others are refused
// with a reason, at little cost, and memory stays flat. MAPO_LONG asks for a
// million.
func TestTooManySessions(t *testing.T) {
	kept, asked := 100, 3000
	if os.Getenv("MAPO_LONG") != "" {
		kept, asked = 20_000, 1_000_000
	}
	store := servetest.Opened(t, servetest.Stores["sqlite"](t))
	s, set := servetest.Keeping(t, store, sessions.Options{Max: kept}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	h := New(set, s, Options{}).Handler()
	var made, refused, left atomic.Int64
	left.Store(int64(asked))
	var group sync.WaitGroup
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 16 {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				switch code, body := status(h, request("POST", "/v1/sessions", `{"policy": "t"}`)); {
				case code == http.StatusCreated:
					made.Add(1)
				case code == http.StatusTooManyRequests && strings.Contains(body, "sessions without an answer are kept"):
					refused.Add(1)
				default:
					t.Errorf("%d %s", code, body)
				}
			}
		})
	}
	group.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n, _, err := store.Count(t.Context()); err != nil || n != kept || made.Load() != int64(kept) || refused.Load() != int64(asked-kept) {
		t.Errorf("%d were made, %d refused, %d are kept (%v); want %d of %d", made.Load(), refused.Load(), n, err, kept, asked)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap has grown by %d MB", grown>>20)
	}
}

// slowStore is a store that takes its time to create a session where it is told to.
type slowStore struct {
	database.Store
	slow           atomic.Bool
	entered, leave chan bool
}

func (s *slowStore) Create(ctx context.Context, n database.Session, first database.Turn) error {
	if s.slow.Load() {
		s.entered <- true
		<-s.leave
	}
	return s.Store.Create(ctx, n, first)
}

// TestRoom: a session that is being created has its place, also where sessions are
// counted meanwhile, and one that could not be created gives it back.
func TestRoom(t *testing.T) {
	now := servetest.SomeTime
	store := &slowStore{Store: servetest.Opened(t, servetest.Stores["sqlite"](t)), entered: make(chan bool), leave: make(chan bool)}
	s, _ := servetest.Keeping(t, store, sessions.Options{Max: 1, Clock: func() time.Time { return now }}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	for _, fails := range []bool{true, false} {
		store.slow.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := s.Create(ctx, &wire.NewSession{Policy: "t"}); done <- err }()
		<-store.entered
		store.slow.Store(false)
		now = now.Add(time.Minute)
		_, err := s.Create(t.Context(), &wire.NewSession{Policy: "t"})
		servetest.Faulty(t, err, 429, "1 sessions without an answer are kept")
		if fails {
			cancel()
		}
		store.leave <- true
		if err := <-done; (err != nil) != fails {
			t.Fatal(err)
		}
		cancel()
	}
	_, err := s.Create(t.Context(), &wire.NewSession{Policy: "t"})
	servetest.Faulty(t, err, 429, "1 sessions without an answer are kept")
}

// TestSwap: a session goes on under another file of the same game, and under the
// old policy where the file now holds another game. Opened anew, without the old
// policy, it can only be read.
func TestSwap(t *testing.T) {
	dir, open := t.TempDir(), servetest.Stores["sqlite"](t)
	path := servetest.Write(t, dir, "t", servetest.Wheels(), nil)
	s, set := servetest.Keeping(t, servetest.Opened(t, open), sessions.Options{}, nil, path)
	v := servetest.Tell(t, s, servetest.Begin(t, s, wire.NewSession{Policy: "t"}), play.Yes)
	was := v.Policy.Hash
	reload := func(want string) {
		t.Helper()
		changed, err := set.Reload()
		if fmt.Sprint(changed, err != nil) != want {
			t.Errorf("reload: %v, %v; want %s", changed, err, want)
		}
	}
	reload("[] false")
	servetest.Write(t, dir, "t", servetest.Wheels(), func(c *nn.Contract) { c.Name = "another" })
	reload("[t] false")
	asked := *v.Query
	v, err := s.Next(t.Context(), v.ID, nil)
	must(t, err)
	if v.Policy.Hash == was || *v.Query != asked {
		t.Errorf("after the swap %+v", v)
	}
	v = servetest.Tell(t, s, v, play.No)
	full, err := s.View(t.Context(), v.ID)
	must(t, err)
	if full.History[1].Policy != was {
		t.Error("the second query was drawn by the first policy, and is not said to be")
	}
	cut(t, path)
	reload("[] true")
	v = servetest.Tell(t, s, v, play.Yes)
	servetest.Write(t, dir, "t", dataset.Thresholds(5, 3), nil)
	reload("[t] false")
	v = servetest.Tell(t, s, v, play.Yes)
	if fresh := servetest.Begin(t, s, wire.NewSession{Policy: "t"}); fresh.Remaining != 3 {
		t.Errorf("a new session plays the old game: %+v", fresh)
	}
	later := servetest.Sessions(t, open, sessions.Options{}, path)
	stale, err := later.View(t.Context(), v.ID)
	if err != nil || stale.State != wire.StateStale || len(stale.History) != 4 {
		t.Errorf("opened anew: %+v, %v", stale, err)
	}
	_, err = later.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}})
	servetest.Faulty(t, err, 409, "plays another game")
	if data, err := later.CSV(t.Context(), v.ID); err != nil || strings.Count(string(data), "\n") != 5 {
		t.Errorf("export: %s, %v", data, err)
	}
}

// TestInert: what a spreadsheet would run is quoted in an export.
func TestInert(t *testing.T) {
	p := servetest.Wheels()
	p.X[0] = "=cmd|' /C calc'!A0"
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", p, nil))
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Mask: []int{1, 2, 3, 4, 5, 6, 7}})
	_, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Probably}, Annotator: "@SUM(1)"})
	must(t, err)
	data, err := s.CSV(t.Context(), v.ID)
	must(t, err)
	if !strings.Contains(string(data), ",'=cmd|' /C calc'!A0,") || !strings.Contains(string(data), ",'@SUM(1),") {
		t.Errorf("export %s", data)
	}
}

// TestSessionsOverHTTP: routes, statuses and the shapes of bodies.
func TestSessionsOverHTTP(t *testing.T) {
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	h := New(set, s, Options{}).Handler()
	var v wire.View
	if code := servetest.Post(t, h, "/v1/sessions", `{"policy": "t", "title": "<b>x</b>", "seed": 3}`, &v); code != http.StatusCreated {
		t.Fatal(code, v)
	}
	at := "/v1/sessions/" + v.ID
	if code := servetest.Post(t, h, at+"/answers", `{"step": 1, "answer": 1, "annotator": "Zoë"}`, &v); code != 200 || v.Step != 2 {
		t.Fatal(code, v)
	}
	if code := servetest.Post(t, h, at+"/undo", `{"step": 2}`, &v); code != 200 || v.Step != 3 {
		t.Fatal(code, v)
	}
	if code := servetest.Post(t, h, at+"/answers", `{"step": 3, "answer": null, "skip": true}`, &v); code != 200 || v.Step != 4 {
		t.Fatal(code, v)
	}
	if code := servetest.Post(t, h, at+"/next", `{"mask": [0, 1]}`, &v); code != 200 || v.Step != 4 {
		t.Fatal(code, v)
	}
	if code := get(t, h, at, &v); code != 200 || len(v.History) != 3 || v.Title != "<b>x</b>" {
		t.Fatal(code, v)
	}
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{at + "/answers", `{"step": 9, "answer": 1}`, 409},
		{at + "/answers", `{"step": 4, "answer": 0}`, 422},
		{at + "/answers", `{"step": 4}`, 422},
		{at + "/answers", `{"step": 1000000000, "answer": 1}`, 409},
		{at + "/answers", `{"step": 1e30, "answer": 1}`, 422},
		{at + "/undo", `{}`, 422},
		{"/v1/sessions", `{}`, 422},
		{"/v1/sessions", `{"policy": "none"}`, 404},
		{"/v1/sessions", `{"policy": "t", "mask": [99]}`, 422},
		{"/v1/sessions", `{"policy": "t", "stop_margin": -1}`, 422},
		{"/v1/sessions/none/answers", `{"step": 1, "answer": 1}`, 404},
		{"/v1/sessions/..%2f..%2fetc/undo", `{"step": 1}`, 404},
		{"/v1/sessions/" + strings.Repeat("a", 100) + "/undo", `{"step": 1}`, 422},
	} {
		var out struct{ Title string }
		if code := servetest.Post(t, h, c.path, c.body, &out); code != c.status || out.Title == "" {
			t.Errorf("%s %s: %d %+v, want %d", c.path, c.body, code, out, c.status)
		}
	}
	var list struct{ Sessions []wire.SessionSummary }
	if code := get(t, h, "/v1/sessions?limit=5", &list); code != 200 || len(list.Sessions) != 1 {
		t.Errorf("list %d %+v", code, list)
	}
	for format, kind := range map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"} {
		r := httptest.NewRequest(http.MethodGet, at+"/export?format="+format, nil)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 || w.Header().Get("Content-Type") != kind || !strings.Contains(w.Header().Get("Content-Disposition"), "attachment") || !strings.Contains(w.Body.String(), "Zoë") {
			t.Errorf("%s: %d %v %s", format, w.Code, w.Header(), w.Body)
		}
	}
	if code := get(t, h, at+"/export?format=xls", new(any)); code != 422 {
		t.Errorf("export as xls: %d", code)
	}
	r := httptest.NewRequest(http.MethodDelete, at, nil)
	r.Host = "localhost"
	if code := servetest.Send(t, h, r, nil); code != http.StatusNoContent {
		t.Errorf("delete: %d", code)
	}
	if code := get(t, h, at, new(any)); code != 404 {
		t.Errorf("deleted: %d", code)
	}
}
