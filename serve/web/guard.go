package web

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mapo/serve/sessions"
)

// policyCSP lets a page use what this server has and nothing else: no inline
// script or style, no frame, no other origin.
const policyCSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler returns a handler that serves all routes, behind the checks that every request must pass.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		out := &recorder{ResponseWriter: w}
		s.count.under.Inc()
		defer func() {
			if p := recover(); p != nil {
				s.panicked(out, r, p)
			}
			out.release()
			s.count.under.Dec()
			s.count.observe(r, out.status, time.Since(began))
			s.Log.Debug("request", "method", r.Method, "route", r.Pattern, "status", out.status, "took", time.Since(began).String())
		}()
		secure(out.Header())
		leave, ok := s.conns.enter(r)
		if !ok {
			out.Header().Set("Retry-After", "1")
			refuse(out, http.StatusTooManyRequests, "more than %d requests at once; wait until some are answered", s.conns.each)
			return
		}
		defer leave()
		if c, ok := s.pass(out, r); ok {
			ctx, cancel := context.WithTimeout(sessions.WithRequester(r.Context(), c), answerTime)
			defer cancel()
			r = r.WithContext(ctx) // the route that the mux finds is read above
			s.routes.ServeHTTP(out, r)
		}
	})
}

// panicked answers a request whose handler panicked. A client that left in the
// middle of its response panics, too; that is not a fault of ours.
func (s *Server) panicked(w *recorder, r *http.Request, p any) {
	if err, ok := p.(error); ok && w.status != 0 && w.failed {
		s.Log.Debug("the client left", "error", err)
		return
	}
	s.Log.Error("panic", "method", r.Method, "route", r.Pattern, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.status == 0 {
		refuse(w, http.StatusInternalServerError, "a fault of the server's; its log has more")
	}
}

// secure sets the headers of every response.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policyCSP)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // no-referrer would make a form's Origin null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// pass reports whether a request may be served, and whose it is. It answers one that may not.
func (s *Server) pass(w *recorder, r *http.Request) (*sessions.Requester, bool) {
	address := s.proxies.client(r)
	c := sessions.Requester{Address: clientKey(address)}
	if s.limit != nil && !s.limit.allow(c.Address, time.Now()) {
		w.Header().Set("Retry-After", "1")
		return nil, refuse(w, http.StatusTooManyRequests, "more than %g requests a second; wait a little", s.Rate)
	}
	if host := hostOf(r.Host); !s.hosts[host] && !isAddress(host) {
		return nil, refuse(w, http.StatusMisdirectedRequest, "this server is not called %q; start it with --host %s if it should be", host, host)
	}
	if !s.unproxied(w, r) {
		return nil, false
	}
	if !s.sameOrigin(r) {
		return nil, refuse(w, http.StatusForbidden, "the request comes from a page of another origin")
	}
	have, token := s.access.of(r)
	c.Token = token
	c.Loopback = address.IsLoopback() && forwarded(r.Header) == ""
	local := c.Loopback && !s.proxies.has(peer(r)) // and not at the address of a trusted proxy, which may have said nothing
	if s.sessions != nil && s.sessions.Learn.On && c.Token == "" && !local {
		have = min(have, rightAsk) // a list of all sessions would let any client change what others told
	}
	c.Admin = have == rightAdmin && (c.Token != "" || local)
	if have < s.routes.right(r) {
		return nil, s.refuseRight(w, r, have)
	}
	return &c, s.body(w, r)
}

func (s *Server) refuseRight(w http.ResponseWriter, r *http.Request, have right) bool {
	if have == rightAsk && s.access.needed() {
		return refuse(w, http.StatusForbidden, "this needs a token with admin rights")
	}
	if have == rightAsk {
		return refuse(w, http.StatusForbidden, "this server has no tokens, and its tables learn, so this is done on its own machine, or with a token from MAPO_ADMIN_TOKEN")
	}
	if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.loginPage(w, "", ownPath(r.URL.RequestURI()))
		return false
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="mapo"`)
	return refuse(w, http.StatusUnauthorized, "a token is needed: Authorization: Bearer …")
}

// body checks and reads the body of a request that may have one.
func (s *Server) body(w *recorder, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	want := "application/json"
	if r.URL.Path == loginPath || r.URL.Path == logoutPath {
		want = "application/x-www-form-urlencoded"
	}
	if r.Method != http.MethodDelete {
		if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != want {
			return refuse(w, http.StatusUnsupportedMediaType, "the content type is %q, want %s", r.Header.Get("Content-Type"), want)
		}
		r.Header.Set("Content-Type", want) // those behind know it in small letters only
	}
	return s.read(w, r, want == "application/json" && r.Method != http.MethodDelete)
}

// refuse answers with problem+json and returns false.
func refuse(w http.ResponseWriter, status int, format string, args ...any) bool {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	body := huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: fmt.Sprintf(format, args...)}
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
	return false
}

// CheckHost says what is wrong with a name that a server should answer to.
func CheckHost(name string) error {
	if strings.ContainsAny(name, ":/?#@* \t") && !isAddress(strings.Trim(name, "[]")) {
		return fmt.Errorf("%q is not a name of a host: give it without scheme, port and path, such as labels.example.org", name)
	}
	return nil
}

// hostNames returns the names the server answers to.
func hostNames(more []string) map[string]bool {
	names := map[string]bool{"localhost": true}
	if own, err := os.Hostname(); err == nil {
		names[strings.ToLower(own)] = true
	}
	for _, name := range more {
		names[hostOf(name)] = true
	}
	return names
}

// hostOf returns a Host header in lower case, without its port.
func hostOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// isAddress: a page elsewhere can make a browser call a server by a name of its own
// (DNS rebinding), never by an address.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// sameOrigin reports whether a request is from this server's own pages, or from no page at all. A proxy may have
// changed the name or the port of the Host header. So a page is known as this server's also by what its browser says
// of it, or by an origin under a name that the server was given.
func (s *Server) sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return true
	case "", "none":
	default:
		// A link from elsewhere may open a page, and do nothing else.
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && (strings.EqualFold(u.Host, r.Host) || slices.ContainsFunc(s.Hosts, func(name string) bool {
		return strings.EqualFold(strings.Trim(name, "[]"), u.Hostname())
	}))
}

// recorder notes the status of a response, and whether writing it failed. A response
// that begins needs no more of the request's body.
type recorder struct {
	http.ResponseWriter
	status int
	failed bool
	hold   *hold // of the request's body; nil: nothing
}

// release gives back what the request's body holds.
func (r *recorder) release() {
	if r.hold != nil {
		r.hold.release()
	}
}

func (r *recorder) WriteHeader(status int) {
	r.release()
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(data []byte) (int, error) {
	if r.status == 0 {
		r.release()
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(data)
	r.failed = r.failed || err != nil
	return n, err
}
