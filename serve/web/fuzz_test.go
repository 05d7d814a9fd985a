package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mapo/serve/mcp"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mapo/game/play"
)

// fuzzed is a server with a session in the middle, to which fuzzers send.
func fuzzed(f *testing.F) (h http.Handler, id string, s *sessions.Sessions) {
	f.Helper()
	s, set := servetest.Keeping(f, servetest.Opened(f, servetest.Stores["sqlite"](f)), sessions.Options{Max: 1000}, nil, servetest.Write(f, f.TempDir(), "t", servetest.Wheels(), nil), servetest.Write(f, f.TempDir(), "arms", servetest.Rewards(f), nil))
	v := servetest.Tell(f, s, servetest.Begin(f, s, wire.NewSession{Policy: "t"}), play.Yes)
	return New(set, s, Options{MaxBody: 64 << 10}).Handler(), v.ID, s
}

// answered fails where a reply is not one: a fault of the server's, or a refusal
// without its reason.
func answered(t *testing.T, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code >= 500 {
		t.Fatalf("%s %s: %d %s", r.Method, r.URL, w.Code, w.Body)
	}
	if kind := w.Header().Get("Content-Type"); w.Code >= 400 && !strings.HasPrefix(kind, "text/html") {
		var p struct {
			Status int
			Title  string
			Detail string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != w.Code || p.Title == "" || kind != "application/problem+json" {
			t.Fatalf("%s %s: %d %s without a reason: %s (%v)", r.Method, r.URL, w.Code, kind, w.Body, err)
		}
	}
}

// fuzzBody sends any body to a path; seeds are sound and unsound ones.
func fuzzBody(f *testing.F, path func(session string) string, seeds ...string) {
	h, id, _ := fuzzed(f)
	for _, seed := range append(seeds, "", "{}", "[]", "null", "{", `{"mask": [0, 1, 99, -1]}`, "\xff", `{"step": 1e999}`, `{"x": NaN}`) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := request(http.MethodPost, path(id), body, "Idempotency-Key", "6f1ed002ab5595859014ebf0951522d9")
		r.RemoteAddr = "127.0.0.1:5"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answered(t, r, w)
	})
}

func FuzzNext(f *testing.F) {
	fuzzBody(f, func(string) string { return "/v1/policies/t/next" },
		`{"history": [{"query": 3, "answer": 1}, {"query": "threshold 2", "answer": -1}, {"query": 5, "answer": null}], "mask": [1], "seed": 7, "top": 3}`,
		`{"history": [{"query": 3, "answer": 1}, {"query": 3, "answer": 1}]}`, `{"seed": 9007199254740992}`)
}

func FuzzNextNumbers(f *testing.F) {
	fuzzBody(f, func(string) string { return "/v1/policies/arms/next" },
		`{"history": [{"query": 0, "answer": 1.5}, {"query": 0, "answer": -2e-7}, {"query": 1, "answer": null}], "seed": 7}`, `{"history": [{"query": 1, "answer": true}]}`,
		`{"history": [{"query": 2, "answer": 1e9}, {"query": 2, "answer": -1e9}, {"query": 1, "answer": 1e10}]}`)
}

func FuzzAnswerNumbers(f *testing.F) {
	h, _, s := fuzzed(f)
	for _, seed := range []string{"0", "-0", "1.5", "1e9", "1e-320", "null", "true", `"1"`, "NaN", "[1]", "1e400"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		v := servetest.Begin(t, s, wire.NewSession{Policy: "arms"})
		r := request(http.MethodPost, "/v1/sessions/"+v.ID+"/answers", `{"step": 1, "answer": `+answer+`}`)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answered(t, r, w)
		now, err := s.View(t.Context(), v.ID)
		must(t, err)
		if w.Code == 200 && strings.TrimSpace(answer) != "null" {
			var y float64
			if json.Unmarshal([]byte(answer), &y) == nil && (len(now.History) != 1 || now.History[0].Answer.Answer != play.Number(y)) {
				t.Fatalf("%s is kept as %+v", answer, now.History)
			}
		}
		must(t, s.Delete(t.Context(), v.ID))
	})
}

func FuzzCreate(f *testing.F) {
	fuzzBody(f, func(string) string { return "/v1/sessions" }, `{"policy": "t", "title": "x", "seed": 3, "stop_margin": 0.5, "mask": [2]}`, `{"policy": "../t"}`)
}

func FuzzAnswer(f *testing.F) {
	fuzzBody(f, func(id string) string { return "/v1/sessions/" + id + "/answers" },
		`{"step": 2, "answer": 1, "query": 3, "annotator": "a", "mask": [1]}`, `{"step": 2, "answer": null, "skip": true}`, `{"step": 1, "answer": -1}`, `{"step": 99, "answer": 1}`)
}

func FuzzUndo(f *testing.F) {
	fuzzBody(f, func(id string) string { return "/v1/sessions/" + id + "/undo" }, `{"step": 2}`, `{"step": 1, "mask": [3]}`)
}

func FuzzSessionNext(f *testing.F) {
	fuzzBody(f, func(id string) string { return "/v1/sessions/" + id + "/next" }, `{"mask": [0, 1, 2, 3, 4, 5, 6, 7]}`)
}

func FuzzTruth(f *testing.F) {
	fuzzBody(f, func(id string) string { return "/v1/sessions/" + id + "/truth" },
		`{"truth": "z 3"}`, `{"truth": "lynx", "new": true}`, `{"truth": " or "}`, `{"truth": "a or b or \u0301"}`, `{"truth": "\u202e", "new": true}`)
}

func FuzzGame(f *testing.F) {
	fuzzBody(f, func(string) string { return "/v1/policies/t/games" },
		`{"truth": "lynx", "new": true, "recommendation": "x", "history": [{"query": 3, "answer": 0.5}, {"query": "threshold 2", "answer": null}]}`, `{"truth": "x", "history": []}`)
}

func FuzzQuestion(f *testing.F) {
	fuzzBody(f, func(string) string { return "/v1/policies/t/questions" }, `{"text": "Is it big?"}`, `{"text": "Is it big?", "answer": -1, "game": "t/6f1ed002ab5595859014ebf0951522d9"}`)
}

func FuzzDecide(f *testing.F) {
	fuzzBody(f, func(string) string { return "/v1/policies/t/review" },
		`{"proposal": 1, "decision": "accept", "as": "x", "yes": ["z 1"], "no": []}`, `{"proposal": 9007199254740993, "decision": "reject"}`, `{"client": "a:0", "decision": "restore"}`)
}

// FuzzRequest sends any method, path, query and headers, so every other endpoint
// and all that stands before them.
func FuzzRequest(f *testing.F) {
	h, id, _ := fuzzed(f)
	for _, path := range []string{
		"/", "/docs", "/play/t", "/policies/t", "/label/" + id, "/static/style.css", "/healthz", "/metrics", "/login", "/openapi.json", "/openapi.yaml", "/v1/policies", "/v1/policies/t",
		"/v1/policies/t/objects?like=z&limit=3", "/v1/policies/t/objects?like=%ff%00&limit=-1", "/v1/policies/t/review", "/v1/policies/t/games/6f1ed002ab5595859014ebf0951522d9", "/v1/policies/t/games/%2e%2e",
		"/v1/sessions", "/v1/sessions?limit=5&after=a", "/v1/sessions/" + id, "/v1/sessions/" + id + "/export?format=jsonl", "/v1/sessions/" + id + "/export?format=csv",
		"/v1/policies/../../etc/passwd", "/v1/policies/%2e%2e%2f", "/v1/sessions/%00", "/static/..%2f..%2fgo.mod", "//evil.example/x",
	} {
		f.Add("GET", path, "Accept", "text/html", "localhost:8080")
		f.Add("DELETE", path, "Content-Type", "application/json", "127.0.0.1")
		f.Add("POST", path, "Origin", "http://evil.example", "evil.example")
	}
	f.Fuzz(func(t *testing.T, method, path, header, value, host string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || !token(method) || !token(header) || strings.ContainsAny(value, "\r\n\x00") {
			return // net/http refuses it before anything is called
		}
		r := (&http.Request{Method: method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Host: host, RemoteAddr: "127.0.0.1:1", Body: http.NoBody}).WithContext(t.Context())
		r.Header.Set(header, value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answered(t, r, w)
	})
}

// token reports whether a text can be a method or a header's name.
func token(text string) bool {
	return text != "" && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-") == ""
}

// FuzzLogin sends any form.
func FuzzLogin(f *testing.F) {
	set, err := policies.NewSet([]string{servetest.Write(f, f.TempDir(), "t", servetest.Wheels(), nil)}, nil)
	must(f, err)
	h := New(set, nil, Options{AskTokens: []string{askToken}}).Handler()
	for _, form := range []string{"token=" + askToken, "token=x", "", "token", "%zz", "token=a&token=b", ";"} {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, form string) {
		r := request(http.MethodPost, "/login", form, "Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answered(t, r, w)
		if got, err := url.ParseQuery(form); w.Code == http.StatusSeeOther && (err != nil || got.Get("token") != askToken) {
			t.Fatalf("%q logs in", form)
		}
	})
}

// FuzzMCP calls the verbs with any arguments.
func FuzzMCP(f *testing.F) {
	_, id, s := fuzzed(f)
	here, there := sdk.NewInMemoryTransports()
	server, err := mcp.New(s, "test").Connect(context.Background(), there, nil)
	must(f, err)
	f.Cleanup(func() { _ = server.Close() })
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), here, nil)
	must(f, err)
	f.Cleanup(func() { _ = client.Close() })
	for _, args := range []string{`{}`, `{"session": "` + id + `"}`, `{"session": "` + id + `", "step": 2, "answer": "yes"}`, `{"session": "` + id + `", "step": 2, "answer": "undo"}`, `{"policy": "arms"}`, `{"session": "` + id + `", "step": 2, "answer": "1.5"}`, `{"mask": [9]}`, `null`, `[]`} {
		for tool := range byte(3) {
			f.Add(tool, args)
		}
	}
	f.Fuzz(func(t *testing.T, tool byte, args string) {
		if !json.Valid([]byte(args)) {
			return
		}
		_, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: []string{"next", "answer", "recommend"}[tool%3], Arguments: json.RawMessage(args)})
		if err != nil && strings.Contains(err.Error(), "closed") {
			t.Fatalf("%s: %v", args, err)
		}
	})
}

// FuzzMCPLines sends any lines; a message after them is answered.
func FuzzMCPLines(f *testing.F) {
	_, _, s := fuzzed(f)
	for _, text := range []string{"", "{", "[{}]", servetest.Ping(1), "[" + servetest.Ping(1) + "," + servetest.Ping(1) + "]", `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"next","arguments":{"mask":[0]}}}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":5}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, servetest.Hello} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, lines string) { servetest.Spoken(t, s, lines, 123456789) })
}
