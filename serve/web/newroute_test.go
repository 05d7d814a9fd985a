package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mapo/serve/servetest"
	"mapo/serve/sessions"
)

// queriesReply is what the new route below answers. Its tags are what the API's description says.
type queriesReply struct {
	Body struct {
		Queries int `json:"queries" doc:"how many queries the policy chooses from"`
	}
}

// TestNewRoute shows how a route is added (CONTRIBUTING.md): one that says how many queries a policy has. Tokens, rates and the
// bounds of bodies come before its handler.
func TestNewRoute(t *testing.T) {
	s, _ := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	server := New(s.Policies(), s, Options{AskTokens: []string{askToken}})
	route(server, rightAsk, server.operation(http.MethodGet, "/v1/policies/{id}/example", "example", "How many queries a policy has", ""),
		func(_ context.Context, in *struct {
			ID string `path:"id"`
		}) (*queriesReply, error) {
			p, err := server.set.Find(in.ID)
			if err != nil {
				return nil, server.problem(err)
			}
			out := new(queriesReply)
			out.Body.Queries = p.Problem().Queries()
			return out, nil
		})
	for _, c := range []struct {
		path, token string
		status      int
		body        string
	}{
		{"/v1/policies/t/example", askToken, http.StatusOK, `"queries":`},
		{"/v1/policies/t/example", "", http.StatusUnauthorized, "token"},
		{"/v1/policies/none/example", askToken, http.StatusNotFound, "none"},
	} {
		req := httptest.NewRequest(http.MethodGet, "http://localhost"+c.path, nil)
		if c.token != "" {
			req.Header.Set("Authorization", "Bearer "+c.token)
		}
		res := httptest.NewRecorder()
		server.Handler().ServeHTTP(res, req)
		if res.Code != c.status || !strings.Contains(res.Body.String(), c.body) {
			t.Errorf("%s with %q: %d, %s", c.path, c.token, res.Code, res.Body)
		}
	}
}
