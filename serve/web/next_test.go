package web

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/wire"
)

// server serves policy files from a folder of its own, without sessions.
func server(t testing.TB, o Options, paths ...string) *Server {
	t.Helper()
	set, err := policies.NewSet(paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(set, nil, o)
}

func get(t testing.TB, h http.Handler, path string, out any) int {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "localhost"
	return servetest.Send(t, h, r, out)
}

// TestNext: the reply has what the contract says, by index and by text alike, and
// the same seed gives the same reply.
func TestNext(t *testing.T) {
	h := server(t, Options{}, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil)).Handler()
	var one, other map[string]any
	if code := servetest.Post(t, h, "/v1/policies/animals/next", `{"history": [{"query": 0, "answer": 1}, {"query": "Can it fly?", "answer": -1}, {"query": 7, "answer": null}], "mask": [3, 4], "seed": 12}`, &one); code != 200 {
		t.Fatal(code, one)
	}
	servetest.Post(t, h, "/v1/policies/animals/next", `{"history": [{"query": "Is it a mammal?", "answer": 1}, {"query": 11, "answer": -1}, {"query": 7, "answer": null}], "mask": [4, 3], "seed": 12}`, &other)
	if a, b := fmt.Sprint(one), fmt.Sprint(other); a != b {
		t.Errorf("by index %s, by text %s", a, b)
	}
	keys := []string{}
	for k := range one {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if want := "[confidence guess policy probabilities query recommendation remaining runners_up seed tied]"; fmt.Sprint(keys) != want {
		t.Errorf("reply has %v, want %s", keys, want)
	}
	if one["remaining"] != 18. || one["seed"] != 12. {
		t.Errorf("remaining %v, seed %v, want 18 and 12", one["remaining"], one["seed"])
	}
	probs := one["probabilities"].([]any)
	var sum float64
	for i, p := range probs {
		sum += p.(float64)
		if slices.Contains([]int{0, 11, 7, 3, 4}, i) != (p == 0.) {
			t.Errorf("query %d has probability %v", i, p)
		}
	}
	if len(probs) != 116 || math.Abs(sum-1) > 1e-5 {
		t.Errorf("%d probabilities with sum %v", len(probs), sum)
	}
	if n := len(one["runners_up"].([]any)); n != policies.DefaultTop {
		t.Errorf("%d runners-up", n)
	}
	q := one["query"].(map[string]any)
	if probs[int(q["index"].(float64))] == 0. || q["text"] == "" {
		t.Errorf("query %v", q)
	}
}

// TestNextGame plays whole games by the echoed seed: no query twice, and after the
// budget there is none.
func TestNextGame(t *testing.T) {
	p := dataset.Thresholds(8, 6)
	p.AskOnce = true
	h := server(t, Options{}, servetest.Write(t, t.TempDir(), "t", p, nil)).Handler()
	type reply struct {
		wire.NextReply
		RunnersUp []play.Ranked `json:"runners_up"`
	}
	var history []string
	var out reply
	servetest.Post(t, h, "/v1/policies/t/next", `{}`, &out)
	seed := out.Seed
	for n := range 6 {
		if out.Query == nil || out.Remaining != 6-n || out.Seed != seed {
			t.Fatalf("after %d answers: %+v", n, out)
		}
		answer := []string{"1", "-1"}[out.Query.Index/4] // the threshold in the middle
		entry := fmt.Sprintf(`{"query": %d, "answer": %s}`, out.Query.Index, answer)
		if slices.Contains(history, entry) {
			t.Fatalf("%s again", entry)
		}
		history = append(history, entry)
		out = reply{}
		servetest.Post(t, h, "/v1/policies/t/next", fmt.Sprintf(`{"history": [%s], "seed": %d, "top": 100}`, strings.Join(history, ","), seed), &out)
	}
	if out.Query != nil || len(out.Probabilities) != 0 || out.Remaining != 0 || len(out.RunnersUp) != 8 {
		t.Errorf("at the end: %+v", out)
	}
}

// TestNextNormalises: a text in Unicode's NFC and in NFD is one question, also where the policy's own text is in NFD.
func TestNextNormalises(t *testing.T) {
	p := dataset.Thresholds(4, 3)
	p.AskOnce = true
	p.X[0], p.X[1] = "caf\u00e9?", "cre\u0301me?"
	h := server(t, Options{}, servetest.Write(t, t.TempDir(), "t", p, nil)).Handler()
	for i, spellings := range [][2]string{{"caf\u00e9?", "cafe\u0301?"}, {"cr\u00e9me?", "cre\u0301me?"}} {
		var first []float32
		for _, text := range spellings {
			var out wire.NextReply
			servetest.Post(t, h, "/v1/policies/t/next", fmt.Sprintf(`{"history": [{"query": %q, "answer": 1}], "seed": 1}`, text), &out)
			if first == nil {
				first = out.Probabilities
			}
			if out.Remaining != 2 || out.Probabilities[i] != 0 || !slices.Equal(out.Probabilities, first) {
				t.Errorf("%+q: %+v, want query %d answered", text, out, i)
			}
		}
	}
}

// TestNextSound: every sound form of a request is answered.
func TestNextSound(t *testing.T) {
	table, err := servetest.OpenTable(-1, 0.95)("t.csv")
	must(t, err)
	set, err := policies.NewSet([]string{"t"}, func(string) (*policies.Policy, error) { return table, nil })
	must(t, err)
	for _, c := range []struct {
		on     *Server
		bodies []string
	}{
		{server(t, Options{}, servetest.Write(t, t.TempDir(), "t", wordy(), nil)), []string{
			`{"seed": 7}`,
			`{"history": [{"query": 3, "answer": 1}, {"answer": null, "query": 5}], "mask": [1, 0, 1], "seed": 9007199254740991, "top": 3}`,
			`{"history": [{"query": "0 ", "answer": true}, {"query": 2, "answer": false}, {"query": 2, "answer": -1}], "seed": 0, "top": 0}`,
			` { "history" : [ ] , "mask" : [ ] , "seed" : 1 } `,
			`{"seed": 1, "top": 1000000, "mask": [0, 1, 2, 3, 4, 5, 6, 7]}`,
			`{"seed": 1, "ruled_out": [1, 2], "guess": true, "mask": [0, 1, 2, 3, 4, 5, 6, 7]}`,
			`{"seed": 1, "ruled_out": [], "guess": false}`,
		}},
		{New(set, nil, Options{}), []string{
			`{"seed": 1, "history": [{"query": 3, "answer": 0.5}, {"query": 4, "answer": -0.5}, {"query": 5, "answer": 1}], "stop": 0.6, "guess": true, "ruled_out": [2]}`,
			`{"seed": 1, "stop": 0}`,
			`{"seed": 1, "stop": 9e-1}`,
		}},
	} {
		for _, body := range c.bodies {
			if code, reply := status(c.on.Handler(), request("POST", "/v1/policies/t/next", body)); code != 200 {
				t.Errorf("%s: %d %s", body, code, reply)
			}
		}
	}
}

func TestNextFaults(t *testing.T) {
	h := server(t, Options{MaxBody: 10_000}, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil)).Handler()
	for _, c := range []struct {
		body   string
		status int
		reason string
	}{
		{`{"history": [{"query": 116, "answer": 1}]}`, 422, "there is no query 116; there are queries 0 to 115"},
		{`{"history": [{"query": -1, "answer": 1}]}`, 422, "history"},
		{`{"history": [{"query": "is it a mammal?", "answer": 1}]}`, 422, "texts match exactly"},
		{`{"history": [{"query": 1.5, "answer": 1}]}`, 422, "history"},
		{`{"history": [{"query": 1e99, "answer": 1}]}`, 422, "a query is its index"},
		{`{"history": [{"query": null, "answer": 1}]}`, 422, "history"},
		{`{"history": [{"query": 1, "answer": 0}]}`, 422, "1, -1, 0.5, -0.5, null, true, false"},
		{`{"history": [{"query": 1, "answer": 2}]}`, 422, "1, -1, 0.5, -0.5, null, true, false"},
		{`{"history": [{"query": 0, "answer": 1}, {"query": 1, "answer": "yes"}]}`, 422, "1, -1, 0.5, -0.5, null, true, false"},
		{`{"history": [{"query": 0, "answer": 1}, {"query": 1, "answer": "yes"}]}`, 422, "history[1].answer"},
		{`{"history": [{"query": 1, "answer": "1"}]}`, 422, "1, -1, 0.5, -0.5, null, true, false"},
		{`{"history": [{"query": 1, "answer": [true]}]}`, 422, "1, -1, 0.5, -0.5, null, true, false"},
		{`{"history": [{"query": 1, "answer": {}}]}`, 422, "1, -1, 0.5, -0.5, null, true, false"},
		{`{"history": [{"query": 1, "answer": 1.0}]}`, 422, "an answer is 1.0; want 1 or true (yes)"},
		{`{"history": [{"query": 1, "answer": NaN}]}`, 400, "invalid character"},
		{`{"history": [{"query": 1, "answer": 1e999}]}`, 400, "1e999"},
		{`{"history": [{"query": 1}]}`, 422, "answer"},
		{`{"history": [{"answer": 1}]}`, 422, "query"},
		{`{"history": [{"query": 1, "answer": 1}, {"query": 1, "answer": 1}]}`, 422, "answered before"},
		{`{"history": {}}`, 422, "history"},
		{`{"mask": [116]}`, 422, "the mask names query 116"},
		{`{"mask": ["a"]}`, 422, "mask"},
		{`{"seed": -1}`, 422, "seed"},
		{`{"seed": 9007199254740992}`, 422, "seed"},
		{`{"seed": "x"}`, 422, "seed"},
		{`{"top": -1}`, 422, "top"},
		{`{"histori": []}`, 422, "histori"},
		{`{"seed": 1, "top": 2, "seed": 1}`, 400, "\"seed\" stands twice"},
		{`{"seed": 1, "top": 2, "Seed": 2}`, 400, "\"Seed\" stands twice"},
		{`{"history": [{"query": 1, "answer": 1, "query": 2}]}`, 400, "\"query\" stands twice"},
		{`{"history": [{"query": 1, "answer": 1}, {"query": 1.5, "answer": 1}], "seed": 1}`, 422, "history"},
		{`[]`, 422, "object"},
		{`null`, 422, "object"},
		{``, 400, "required"},
		{`{`, 400, "JSON"},
		{"{\"history\": [{\"query\": \"\xff\", \"answer\": 1}]}", 400, "UTF-8"},
		{`{"mask": [` + strings.Repeat("1,", 5000) + `1]}`, 413, "more than 10000"},
		{strings.Repeat("[", 9000), 400, ""},
	} {
		var out struct {
			Status int
			Title  string
			Detail string
			Errors []struct{ Message, Location string }
		}
		status := servetest.Post(t, h, "/v1/policies/animals/next", c.body, &out)
		if told := fmt.Sprint(out); status != c.status || out.Status != c.status || out.Title == "" || !strings.Contains(told, c.reason) {
			t.Errorf("%.60s: %d %+v, want %d and %q", c.body, status, out, c.status, c.reason)
		}
	}
}

func TestUnknownPlaces(t *testing.T) {
	h := server(t, Options{}, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil)).Handler()
	for _, path := range []string{"/v1/policies/none", "/v1/policies/..%2fanimals", "/v1/policies/%00", "/v1/policies/animals.safetensors", "/v1/policies/%ff", "/static/", "/static/..%2fpages.go", "/nothing"} {
		var out struct{ Detail string }
		if code := get(t, h, path, &out); code != 404 || out.Detail == "" {
			t.Errorf("GET %s: %d %q, want 404 with a reason", path, code, out.Detail)
		}
	}
	if code := servetest.Post(t, h, "/v1/policies/none/next", `{}`, new(any)); code != 404 {
		t.Errorf("next of an unknown policy: %d", code)
	}
}

// TestPolicies: the list, and a policy's contract as in its file.
func TestPolicies(t *testing.T) {
	h := server(t, Options{}, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil), servetest.Write(t, t.TempDir(), "t h ä", dataset.Thresholds(3, 4), servetest.Spending)).Handler()
	var list struct{ Policies []wire.PolicySummary }
	get(t, h, "/v1/policies", &list)
	if len(list.Policies) != 2 || list.Policies[0].ID != "animals" || list.Policies[0].DontKnow != "free" || list.Policies[1].DontKnow != "spends" || len(list.Policies[0].Levels) != 3 {
		t.Errorf("policies %+v", list)
	}
	var one struct {
		ID, Hash string
		Contract struct {
			Hash    string
			Problem struct{ Queries, Hypotheses []string }
		}
	}
	get(t, h, "/v1/policies/animals", &one)
	if one.ID != "animals" || one.Hash != one.Contract.Hash || len(one.Contract.Problem.Queries) != 116 {
		t.Errorf("policy %+v", one)
	}
}

func BenchmarkNext(b *testing.B) {
	h := server(b, Options{}, servetest.Write(b, b.TempDir(), "animals", servetest.Animals(b), nil)).Handler()
	body := `{"history": [{"query": 0, "answer": 1}, {"query": 11, "answer": -1}, {"query": 7, "answer": -1}, {"query": 20, "answer": 1}, {"query": 30, "answer": -1}], "seed": 12}`
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := httptest.NewRequest(http.MethodPost, "/v1/policies/animals/next", strings.NewReader(body))
			r.Host = "localhost"
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != 200 {
				b.Fatal(w.Code)
			}
			_, _ = io.Copy(io.Discard, w.Body)
		}
	})
}
