package serve

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// bothWays is the two ways to answer a request for the next query: quick reports
// whether it took the request, slow is huma's.
func bothWays(t testing.TB, p *Policy) (quick func(body string) (*httptest.ResponseRecorder, bool), slow func(body string) *httptest.ResponseRecorder) {
	t.Helper()
	p.ID = "t"
	set, err := NewSet([]string{p.ID}, func(string) (*Policy, error) { return p, nil })
	must(t, err)
	s := NewServer(set, nil, Options{})
	config := huma.DefaultConfig("mapo", "test")
	config.CreateHooks = nil
	config.Formats = map[string]huma.Format{"application/json": jsonFormat}
	mux := http.NewServeMux()
	s.registerNext(humago.New(mux, config))
	quick = func(body string) (*httptest.ResponseRecorder, bool) {
		w, r := httptest.NewRecorder(), request("POST", "/v1/policies/t/next", "")
		r.SetPathValue("id", "t")
		screen := &screen{bounds: set.Bounds()}
		if _, err := screen.Write([]byte(body)); err != nil {
			return w, false
		}
		r.Body = &readOnce{data: screen.kept}
		return w, s.quickNext(w, r)
	}
	slow = func(body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, request("POST", "/v1/policies/t/next", body))
		return w
	}
	return quick, slow
}

// soundNext are requests that the quick way takes.
var soundNext = []string{
	`{"seed": 7}`,
	`{"history": [{"query": 3, "answer": 1}, {"answer": null, "query": 5}], "mask": [1, 0, 1], "seed": 9007199254740991, "top": 3}`,
	`{"history": [{"query": "0 ", "answer": true}, {"query": 2, "answer": false}, {"query": 2, "answer": -1}], "seed": 0, "top": 0}`,
	` { "history" : [ ] , "mask" : [ ] , "seed" : 1 } `,
	`{"seed": 1, "top": 1000000, "mask": [0, 1, 2, 3, 4, 5, 6, 7]}`,
	`{"seed": 1, "ruled_out": [1, 2], "guess": true, "mask": [0, 1, 2, 3, 4, 5, 6, 7]}`,
	`{"seed": 1, "ruled_out": [], "guess": false}`,
}

// soundTable are more, for a table that is served without training.
var soundTable = []string{
	`{"seed": 1, "history": [{"query": 3, "answer": 0.5}, {"query": 4, "answer": -0.5}, {"query": 5, "answer": 1}], "stop": 0.6, "guess": true, "ruled_out": [2]}`,
	`{"seed": 1, "stop": 0}`,
	`{"seed": 1, "stop": 9e-1}`,
}

// otherNext are requests that it leaves to huma.
var otherNext = []string{
	`{"seed": 1, "guess": 1}`, `{"seed": 1, "guess": null}`, `{"seed": 1, "ruled_out": [1, 99]}`, `{"seed": 1, "stop": 0.9}`,
	``, `{`, `[]`, `null`, `{"seed": 1}x`, `{"seed": 1,}`, `{"seed": -1}`, `{"seed": 01}`, `{"seed": 1.0}`, `{"seed": 9007199254740992}`, `{"top": 1000001}`,
	`{"History": [], "seed": 1}`, `{"history": null, "seed": 1}`, `{"history": [1], "seed": 1}`, `{"history": [{"query": 1}], "seed": 1}`, `{"history": [{"answer": 1}], "seed": 1}`,
	`{"history": [{"query": 8, "answer": 1}], "seed": 1}`, `{"history": [{"query": "0\u0020", "answer": 1}], "seed": 1}`, `{"history": [{"query": null, "answer": 1}], "seed": 1}`,
	`{"history": [{"query": 1, "answer": 2}], "seed": 1}`, `{"mask": [8], "seed": 1}`, `{"mask": [-1], "seed": 1}`, `{"mask": ["0"], "seed": 1}`, `{"x": 1, "seed": 1}`, `{"\u0073eed": 1}`,
}

// TestQuickNext: the quick way takes what is sound and gives huma's reply, byte for byte.
func TestQuickNext(t *testing.T) {
	quick, slow := bothWays(t, policy(t, "t", wordy(), nil))
	same := func(body string) {
		t.Helper()
		a, taken := quick(body)
		b := slow(body)
		if !taken || a.Code != 200 || b.Code != 200 || !bytes.Equal(a.Body.Bytes(), b.Body.Bytes()) || a.Header().Get("Content-Type") != b.Header().Get("Content-Type") {
			t.Errorf("%s: taken %v, %d %v %s; huma: %d %v %s", body, taken, a.Code, a.Header(), a.Body, b.Code, b.Header(), b.Body)
		}
	}
	for _, body := range soundNext {
		same(body)
	}
	for _, body := range otherNext {
		if a, taken := quick(body); taken || a.Body.Len() > 0 {
			t.Errorf("%s is taken: %s", body, a.Body)
		}
	}
	table, err := openTable(-1, 0.95)("t.csv")
	must(t, err)
	quick, slow = bothWays(t, table)
	for _, body := range soundTable {
		same(body)
	}
	for _, body := range []string{`{"seed": 1, "stop": 0.4}`, `{"seed": 1, "stop": 1}`, `{"seed": 1, "stop": -0.9}`, `{"seed": 1, "stop": null}`, `{"seed": 1, "stop": true}`, `{"seed": 1, "stop": .9}`, `{"seed": 1, "stop": 0.}`, `{"seed": 1, "stop": 00.9}`, `{"seed": 1, "stop": inf}`} {
		if a, taken := quick(body); taken || a.Body.Len() > 0 {
			t.Errorf("%s is taken: %s", body, a.Body)
		}
	}
}

// FuzzQuickNext: whatever the quick way takes huma answers alike.
func FuzzQuickNext(f *testing.F) {
	table, err := openTable(-1, 0.95)("t.csv")
	must(f, err)
	quick, slow := bothWays(f, table)
	for _, body := range slices.Concat(soundNext, soundTable, otherNext) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if a, taken := quick(body); taken && bytes.Contains([]byte(body), []byte(`"seed"`)) {
			if b := slow(body); a.Code != b.Code || !bytes.Equal(a.Body.Bytes(), b.Body.Bytes()) {
				t.Errorf("%q: %d %s; huma: %d %s", body, a.Code, a.Body, b.Code, b.Body)
			}
		}
	})
}
