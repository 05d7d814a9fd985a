package serve

import (
	"net/http"
	"testing"
)

// TestRequester: a request is known by its token, else by its address; only what comes from this machine and through no
// proxy is local. Without tokens, the local client alone is an admin.
func TestRequester(t *testing.T) {
	const ask, admin = "3f9c1e0b7a5d2468", "b81d4e6f0a92c357"
	for _, c := range []struct {
		name, from string
		options    Options
		headers    []string
		address    string
		token      bool
		loopback   bool
		local      bool
		admin      bool
	}{
		{"local", "127.0.0.1:5", Options{}, nil, "127.0.0.1", false, true, true, true},
		{"local, IPv6", "[::1]:5", Options{}, nil, "::1", false, true, true, true},
		{"another machine", "192.0.2.1:5", Options{}, nil, "192.0.2.1", false, false, false, false},
		{"through a trusted proxy", "127.0.0.1:5", Options{Proxies: trusted(t, "127.0.0.1")}, []string{"X-Forwarded-For", "203.0.113.9"}, "203.0.113.9", false, false, false, false},
		{"through a trusted proxy, as if local", "127.0.0.1:5", Options{Proxies: trusted(t, "127.0.0.1")}, []string{"X-Forwarded-For", "127.0.0.1"}, "127.0.0.1", false, false, false, false},
		{"perhaps through a trusted proxy", "127.0.0.1:5", Options{Proxies: trusted(t, "127.0.0.1")}, nil, "127.0.0.1", false, true, false, false},
		{"through another proxy", "127.0.0.1:5", Options{Insecure: true}, []string{"Via", "1.1 proxy"}, "127.0.0.1", false, false, false, false},
		{"ask token", "192.0.2.1:5", Options{AskTokens: []string{ask}, AdminTokens: []string{admin}}, []string{"Authorization", "Bearer " + ask}, "192.0.2.1", true, false, false, false},
		{"admin token", "192.0.2.1:5", Options{AskTokens: []string{ask}, AdminTokens: []string{admin}}, []string{"Authorization", "Bearer " + admin}, "192.0.2.1", true, false, false, true},
		{"cookie", "127.0.0.1:5", Options{AskTokens: []string{ask}}, []string{"Cookie", cookieName + "=" + cookieOf(ask)}, "127.0.0.1", true, true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := server(t, c.options, write(t, t.TempDir(), "t", wheels(), nil))
			var got *requester
			s.mux.HandleFunc("GET /who", func(_ http.ResponseWriter, r *http.Request) { got = clientOf(r.Context()) })
			r := request("GET", "/who", "", c.headers...)
			r.RemoteAddr = c.from
			if code, text := status(s.Handler(), r); code != http.StatusOK {
				t.Fatalf("%d %s", code, text)
			}
			if got.address.String() != c.address || (got.token != "") != c.token || got.loopback != c.loopback || got.local != c.local || got.admin() != c.admin {
				t.Errorf("%+v, admin %v; want %+v", got, got.admin(), c)
			}
		})
	}
}

// TestRequesterTokens: the cookie that stands for a token is the same client, another token another one.
func TestRequesterTokens(t *testing.T) {
	const one, two = "3f9c1e0b7a5d2468", "b81d4e6f0a92c357"
	a := newAccess([]string{one, two}, nil)
	of := func(header, value string) string {
		_, token := a.of(request("GET", "/", "", header, value))
		return token
	}
	if bearer, cookie := of("Authorization", "Bearer "+one), of("Cookie", cookieName+"="+cookieOf(one)); bearer == "" || bearer != cookie {
		t.Errorf("the token is client %x, its cookie %x", bearer, cookie)
	}
	if of("Authorization", "Bearer "+one) == of("Authorization", "Bearer "+two) {
		t.Error("two tokens are one client")
	}
	if token := of("Authorization", "Bearer 0123"); token != "" {
		t.Errorf("a token that does not exist is client %x", token)
	}
}
