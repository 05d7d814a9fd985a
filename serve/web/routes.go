package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// right is what a request carries, and what a route asks for. The zero value is neither.
type right uint8

const (
	rightNone  right = iota + 1
	rightAsk         // play and label
	rightAdmin       // also list and delete sessions, review, and read metrics
)

// routes are a server's, each with the right that a request for it must carry.
type routes struct {
	mux    *http.ServeMux
	rights map[string]right // by pattern
}

func newRoutes() *routes { return &routes{http.NewServeMux(), map[string]right{}} }

// elsewhere is the pattern of what no route is for.
const elsewhere = "/"

// needs declares the right that requests for patterns must carry.
func (r *routes) needs(need right, patterns ...string) {
	for _, pattern := range patterns {
		r.rights[pattern] = need
	}
}

// HandleFunc makes a route. It panics where no right was declared for it.
func (r *routes) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	if r.rights[pattern] == 0 {
		panic(fmt.Sprintf("the route %s declares no right", pattern))
	}
	r.mux.HandleFunc(pattern, handle)
}

// handle makes a route of requests that carry a right.
func (r *routes) handle(need right, pattern string, handle http.HandlerFunc) {
	r.needs(need, pattern)
	r.HandleFunc(pattern, handle)
}

func (r *routes) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }

// right returns the one that a request must carry. Where its method is for nothing at its path, it is the highest that other
// methods need there; where nothing is at its path, it is the right to ask.
func (r *routes) right(req *http.Request) right {
	_, pattern := r.mux.Handler(req)
	need := r.rights[pattern]
	if pattern == elsewhere {
		need = 0
		for _, other := range r.methods(req) {
			need = max(need, r.rights[other])
		}
	}
	return cmp.Or(need, rightAsk)
}

// methods returns the patterns of something at a request's path, by their methods.
func (r *routes) methods(req *http.Request) map[string]string {
	patterns := map[string]string{}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		probe := req.Clone(req.Context())
		probe.Method = method
		if _, pattern := r.mux.Handler(probe); pattern != elsewhere {
			patterns[method] = pattern
		}
	}
	return patterns
}

// route makes a route of the API, of requests that carry a right.
func route[I, O any](s *Server, need right, op huma.Operation, handle func(context.Context, *I) (*O, error)) {
	if need == rightAdmin {
		op.Description = "With tokens set it needs an admin's."
		op.Tags = []string{tagAdmin}
		op.Security = s.security("admin")
		op.Errors = append(op.Errors, http.StatusForbidden)
	}
	s.routes.needs(need, op.Method+" "+op.Path)
	huma.Register(s.api, op, handle)
}

// stored makes a route that needs the database. What the request's body holds is given back first.
func stored[I, O any](s *Server, need right, op huma.Operation, handle func(context.Context, *I) (*O, error)) {
	op.Errors = append(op.Errors, http.StatusServiceUnavailable, http.StatusInsufficientStorage)
	route(s, need, op, func(ctx context.Context, in *I) (*O, error) {
		decoded(ctx)
		return handle(ctx, in)
	})
}
