package web

import (
	"net/http"
	"testing"

	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
)

// TestForeignNames: a game and a client whose names have a zero byte, or are not UTF-8, are not found. PostgreSQL refuses
// such texts.
func TestForeignNames(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s, set := servetest.Keeping(t, servetest.Opened(t, open), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
		h := New(set, s, Options{}).Handler()
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
