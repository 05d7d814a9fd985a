package serve

import (
	"net/http"
	"testing"
)

// TestForeignNames: a game and a client whose names have a zero byte, or are not UTF-8, are not found. PostgreSQL refuses
// such texts.
func TestForeignNames(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, set := keeping(t, opened(t, open), SessionOptions{}, nil, write(t, t.TempDir(), "t", wheels(), nil))
		h := NewServer(set, s, Options{}).Handler()
		for _, c := range []struct {
			method, path, body string
		}{
			{http.MethodDelete, "/v1/policies/%00/games/0123456789abcdef", ""},
			{http.MethodDelete, "/v1/policies/%ff/games/0123456789abcdef", ""},
			{http.MethodPost, "/v1/policies/t/questions", `{"text": "Is it red?", "game": "\u0000"}`},
			{http.MethodPost, "/v1/policies/t/review", `{"decision": "restore", "client": "\u0000"}`},
		} {
			r := request(c.method, c.path, c.body)
			r.RemoteAddr = "127.0.0.1:1"
			if code, body := status(h, r); code != http.StatusNotFound {
				t.Errorf("%s %s %s: %d %s, want 404", c.method, c.path, c.body, code, body)
			}
		}
	})
}
