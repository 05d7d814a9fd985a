package serve

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"
)

// SessionOptions bound what sessions are kept. Zero values are defaults.
type SessionOptions struct {
	TTL   time.Duration // how long after its last turn; 0: 30 days
	Max   int           // how many; 0: 100,000
	Log   *slog.Logger
	Clock func() time.Time // nil: time.Now
}

// Sessions are games that are kept, step by step, in a store. They may be used
// concurrently, and several may share a store.
//
// Every request that changes something names the step it is for. A step is
// answered once: the same request again gets the session as it is now, a
// different one for the same step a conflict.
type Sessions struct {
	SessionOptions
	set      *Set
	store    Store
	answered *prometheus.CounterVec
	held     held

	mu      sync.Mutex
	kept    int       // how many there are, never too few but for what other servers do
	making  int       // how many are being created, besides
	created int       // how many were, by this server
	swept   time.Time // when they were last counted
}

// sweepEvery is how often expired sessions are looked for.
const sweepEvery = time.Minute

// NewSessions keeps sessions of set's policies in store.
func NewSessions(ctx context.Context, set *Set, store Store, o SessionOptions) (*Sessions, error) {
	if o.TTL == 0 {
		o.TTL = 30 * 24 * time.Hour
	}
	if o.Max == 0 {
		o.Max = 100_000
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Sessions{SessionOptions: o, set: set, store: store, answered: prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "mapo_session_turns_total", Help: "Turns of sessions closed, by outcome."}, []string{"outcome"})}
	return s, s.sweep(ctx)
}

// Sweep forgets expired sessions now and then, until ctx ends.
func (s *Sessions) Sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.sweepWithin(ctx, responseTime); err != nil && ctx.Err() == nil {
				s.Log.Error("expire sessions", "error", err)
			}
		}
	}
}

// sweepWithin is sweep with so long for it.
func (s *Sessions) sweepWithin(ctx context.Context, most time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return s.sweep(ctx)
}

// sweep forgets expired sessions and counts the others.
func (s *Sessions) sweep(ctx context.Context) error {
	now := s.Clock()
	s.mu.Lock()
	s.swept = now
	before := s.created
	s.mu.Unlock()
	gone, err := s.store.Expire(ctx, now.Add(-s.TTL))
	if err != nil {
		return err
	}
	if gone > 0 {
		s.Log.Info("sessions expired", "sessions", gone)
	}
	n, err := s.store.Count(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = n + s.created - before // what was created meanwhile may be counted twice, until the next time
	return nil
}

// room takes the place of one more session, or refuses it. Who has it calls made.
func (s *Sessions) room(ctx context.Context) error {
	s.mu.Lock()
	count := s.full() && s.Clock().Sub(s.swept) > time.Second
	s.mu.Unlock()
	if count {
		if err := s.sweep(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full() {
		return fault(http.StatusTooManyRequests, "%d sessions are kept, and no more are allowed: delete some, or wait until they expire", s.Max)
	}
	s.making++
	return nil
}

// full reports whether no more sessions are allowed. mu is held.
func (s *Sessions) full() bool { return s.kept+s.making >= s.Max }

// made gives back what room has taken; ok is whether there is a session now.
func (s *Sessions) made(ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.making--
	if ok {
		s.kept++
		s.created++
	}
}

// NewSession is what a session is made from.
type NewSession struct {
	Policy     string  `json:"policy" doc:"the policy's id" maxLength:"255"`
	Title      string  `json:"title,omitempty" doc:"for people to tell sessions apart" maxLength:"200"`
	Seed       *uint64 `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991" doc:"draws the queries; any where none is given"`
	StopMargin float64 `json:"stop_margin,omitempty" minimum:"0" maximum:"1000000" doc:"end as soon as the recommendation leads by this much; 0: never"`
	Mask       []int   `json:"mask,omitempty" doc:"indices of queries not to be asked first"`
}

// Create begins a session and draws its first query.
func (s *Sessions) Create(ctx context.Context, in *NewSession) (*View, error) {
	p := s.set.Get(in.Policy)
	if p == nil {
		return nil, fault(http.StatusNotFound, "no policy is called %q; GET /v1/policies lists them", in.Policy)
	}
	if err := printable("title", in.Title); err != nil {
		return nil, err
	}
	now := s.now()
	g := &game{Session: Session{ID: newID(), Policy: p.ID, Play: p.play, Title: in.Title, Seed: AnySeed(), StopMargin: in.StopMargin, Created: now, Touched: now}, policy: p}
	if in.Seed != nil {
		g.Seed = *in.Seed
	}
	first, err := g.draw(1, in.Mask, now)
	if err != nil {
		return nil, invalid(err)
	}
	if err := s.room(ctx); err != nil {
		return nil, err
	}
	err = s.store.Create(ctx, g.Session, first)
	s.made(err == nil)
	if err != nil {
		return nil, err
	}
	g.turns = append(g.turns, first)
	return s.shown(g)
}

// now is the time to the millisecond, as stores keep it.
func (s *Sessions) now() time.Time { return s.Clock().UTC().Truncate(time.Millisecond) }

var idText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const idLength = 26

// newID is an id that nobody can guess: it is all that who has no admin rights
// needs to see a session.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return idText.EncodeToString(b[:])
}

// load reads a session with the policy to go on with.
func (s *Sessions) load(ctx context.Context, id string) (*game, error) {
	if len(id) != idLength || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return nil, noSession()
	}
	session, turns, err := s.store.Load(ctx, id)
	if errors.Is(err, ErrNoSession) {
		return nil, noSession()
	}
	if err != nil {
		return nil, err
	}
	if s.expired(&session) {
		return nil, noSession()
	}
	return &game{Session: session, turns: turns, policy: s.set.ForPlay(session.Policy, session.Play)}, nil
}

func noSession() error {
	return fault(http.StatusNotFound, "there is no such session; it may have expired")
}

func (s *Sessions) expired(n *Session) bool { return n.Touched.Before(s.Clock().Add(-s.TTL)) }

// printable refuses what would spoil a list or a terminal.
func printable(what, text string) error {
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return fault(http.StatusUnprocessableEntity, "the %s has the character %U, which cannot be shown", what, r)
		}
	}
	return nil
}

// Delete forgets a session.
func (s *Sessions) Delete(ctx context.Context, id string) error {
	s.held.take(id)
	had, err := s.store.Delete(ctx, id)
	if err != nil {
		return err
	}
	if !had {
		return noSession()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept--
	return nil
}

// List returns up to n sessions by id, from the first above after.
func (s *Sessions) List(ctx context.Context, after string, n int) ([]Session, error) {
	return s.store.List(ctx, after, n)
}
