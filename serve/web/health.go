package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"mapo/serve/outage"
	"mapo/serve/sessions"
)

const (
	probeEvery = time.Second     // at most so often /readyz writes
	probeTime  = 2 * time.Second // for a probe
)

// readiness is what /readyz says of a store.
type readiness struct {
	mu     sync.Mutex
	probed time.Time
	err    error // of the probe

	failing sync.Mutex
	failed  time.Time // when an outage last failed a request
	by      *outage.Outage
}

// fails notes that an outage has failed a request.
func (r *readiness) fails(by *outage.Outage) {
	r.failing.Lock()
	defer r.failing.Unlock()
	r.failed, r.by = time.Now(), by
}

// check writes to the store, unless that was tried just now, and reports why it is not ready: the write failed, or a
// request did lately: there may be space for a probe where there is none for an answer.
func (r *readiness) check(s *sessions.Sessions) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.probed) > probeEvery {
		ctx, cancel := context.WithTimeout(context.Background(), probeTime)
		r.err = s.Probe(ctx)
		cancel()
		r.probed = time.Now()
	}
	r.failing.Lock()
	defer r.failing.Unlock()
	if r.err == nil && r.by != nil && time.Since(r.failed) < r.by.Doubt {
		return fmt.Errorf("a request failed %s ago: %s", time.Since(r.failed).Round(time.Second), r.by.Reason)
	}
	return r.err
}

// health says that the server runs, whatever its database does.
func (s *Server) health(w http.ResponseWriter, r *http.Request) { s.well(w, r, http.StatusOK, "ok") }

// readyz says whether requests for sessions can be answered now.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.sessions != nil {
		if err := s.ready.check(s.sessions); err != nil {
			s.Log.Error("not ready", "error", err)
			w.Header().Set("Retry-After", outage.NoDatabase.Retry)
			s.well(w, r, http.StatusServiceUnavailable, "unavailable")
			return
		}
	}
	s.well(w, r, http.StatusOK, "ok")
}

// well writes a status, and a word for clients that may read one.
func (s *Server) well(w http.ResponseWriter, r *http.Request, status int, word string) {
	if have, _ := s.access.of(r); have == rightNone { // nothing is readable without a token
		if status == http.StatusOK {
			status = http.StatusNoContent
		}
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "{\"status\":%q}\n", word) // a client that left needs no answer
}
