package servetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Post sends body as JSON and decodes the reply into out, of any status.
func Post(t testing.TB, h http.Handler, path, body string, out any) int {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	return Send(t, h, r, out)
}

func Send(t testing.TB, h http.Handler, r *http.Request, out any) int {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if out != nil {
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
			t.Fatalf("%s %s: %d %v: %s", r.Method, r.URL, w.Code, err, w.Body)
		}
	}
	return w.Code
}
