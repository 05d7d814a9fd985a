package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"mapo/serve/policies"
	"mapo/serve/sessions"
)

// Options of a [Server]. Zero values are safe defaults.
type Options struct {
	AskTokens   []string       // may play and label; none of either kind: everybody may do everything
	AdminTokens []string       // may also list and delete sessions and read metrics
	Insecure    bool           // without tokens, serve also what comes through a proxy that is not trusted
	Hosts       []string       // names the server is called by, besides localhost, this machine's and IP addresses
	Proxies     []netip.Prefix // trusted: the client is the last address in X-Forwarded-For that is not one of them
	Rate        float64        // requests a second and client, in bursts of twice as many; 0: no limit
	MaxBody     int64          // bytes of a request's body; 0: what a game of the policies served can need
	MaxConns    int            // connections at once; 0: 1024
	ClientConns int            // connections at once of one client elsewhere; 0: an eighth of MaxConns
	Version     string         // of the program
	Log         *slog.Logger
}

// What a client may take its time for.
const (
	headerTime   = 5 * time.Second
	requestTime  = 15 * time.Second // to send a request
	answerTime   = 8 * time.Second  // for the database to answer a request that has been read
	responseTime = 60 * time.Second // to be answered and to take the response
	idleTime     = 2 * time.Minute
	graceTime    = 10 * time.Second // for requests under way when the server stops
	maxHeader    = 16 << 10
)

// Server is the HTTP API and the web page. Make it by [NewServer].
type Server struct {
	Options
	set      *policies.Set
	sessions *sessions.Sessions
	access   *access
	hosts    map[string]bool
	proxies  proxies
	conns    *connections
	limit    *limiter // nil: no limit
	count    *metrics
	ready    readiness
	bodies   *bodies
	routes   *routes
	api      huma.API

	headerTime time.Duration // to send a request's headers
}

// New serves the policies of set, and sessions where they are not nil.
func New(set *policies.Set, sessions *sessions.Sessions, o Options) *Server {
	if o.MaxConns == 0 {
		o.MaxConns = 1024
	}
	if o.ClientConns == 0 {
		o.ClientConns = max(1, o.MaxConns/8)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Options: o, set: set, sessions: sessions, access: newAccess(o.AskTokens, o.AdminTokens), hosts: hostNames(o.Hosts), proxies: o.Proxies, bodies: &bodies{places: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}, routes: newRoutes(), headerTime: headerTime}
	s.conns = newConnections(o.MaxConns, o.ClientConns, o.Proxies)
	if o.Rate > 0 {
		s.limit = newLimiter(o.Rate, 2*o.Rate)
	}
	s.count = newMetrics(s)
	s.register()
	return s
}

// register makes every route.
func (s *Server) register() {
	config := huma.DefaultConfig("mapo", s.Version)
	config.DocsPath = "" // its pages load scripts from elsewhere; ours is part of the web page
	config.SchemasPath = ""
	config.CreateHooks = nil // no $schema in replies
	config.Formats = map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat}
	s.describe(config.OpenAPI)
	for _, path := range []string{"/openapi.json", "/openapi.yaml", "/openapi-3.0.json", "/openapi-3.0.yaml"} {
		s.routes.needs(rightAsk, "GET "+path)
	}
	s.api = humago.New(s.routes, config)
	s.registerNext()
	s.registerPolicies()
	if s.sessions != nil {
		s.registerSessions()
	}
	s.exemplify(s.api.OpenAPI())
	s.routes.handle(rightNone, "GET /healthz", s.health)
	s.routes.handle(rightNone, "GET /readyz", s.readyz)
	s.routes.handle(rightAdmin, "GET /metrics", s.count.handler().ServeHTTP)
	s.routes.handle(rightNone, "POST "+loginPath, s.login)
	s.routes.handle(rightNone, "POST "+logoutPath, s.logout)
	s.registerPages()
}

// operation returns what all of the API's have in common.
func (s *Server) operation(method, path, id, summary, doc string) huma.Operation {
	return huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary, Description: doc, Tags: []string{tagOf(path)},
		MaxBodyBytes: -1, // guard refuses larger ones
		Errors:       []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests},
	}
}

// Serve answers requests on ln until ctx ends; requests under way then have
// [graceTime] to finish.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: s.headerTime, ReadTimeout: requestTime, WriteTimeout: responseTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), // broken connections
	}
	s.conns.watch(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(&limitedListener{ln, s.conns}) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.Log.Info("stopping", "grace", graceTime.String())
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		s.Log.Warn("requests were cut off")
		err = server.Close()
	}
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
