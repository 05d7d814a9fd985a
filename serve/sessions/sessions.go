package sessions

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"mapo/internal/console"
	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// Options bound what sessions are kept. Zero values are defaults.
type Options struct {
	TTL         time.Duration // how long after its last turn; 0: for good once it has an answer, openTime before
	Max         int           // how many without an answer; 0: 100,000
	MaxAnswered int           // how many with an answer; 0: 1,000,000
	Learn       learning.Options
	Log         *slog.Logger
	Clock       func() time.Time // nil: time.Now
}

// Sessions are games that are kept, step by step, in a store. They may be used
// concurrently, and several may share a store.
//
// Every request that changes something names the step it is for. A step is
// answered once: the same request again gets the session as it is now, a
// different one for the same step a conflict.
type Sessions struct {
	Options
	set      *policies.Set
	store    database.Store
	answered *prometheus.CounterVec
	held     held
	kept     kept
	tables   *learning.Tables
	days     dayKeys
}

// New keeps sessions of set's policies in db.
func New(ctx context.Context, set *policies.Set, db database.Store, o Options) (*Sessions, error) {
	if o.Max == 0 {
		o.Max = 100_000
	}
	if o.MaxAnswered == 0 {
		o.MaxAnswered = 1_000_000
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Sessions{Options: o, set: set, store: db, answered: prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "mapo_session_turns_total", Help: "Turns of sessions closed, by outcome."}, []string{"outcome"})}
	tables, err := learning.New(ctx, set, db, o.Learn, o.Log, o.Clock)
	if err != nil {
		return nil, err
	}
	s.tables = tables
	return s, s.count(ctx)
}

// Tables returns the learned tables.
func (s *Sessions) Tables() *learning.Tables { return s.tables }

// Policies returns the policies whose sessions are kept.
func (s *Sessions) Policies() *policies.Set { return s.set }

// PolicyOf returns the policy to go on with in a session; nil where no policy plays its game any more.
func (s *Sessions) PolicyOf(ctx context.Context, id string) (*policies.Policy, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	return g.policy, nil
}

// Probe writes to the store and takes it back, to see whether that works.
func (s *Sessions) Probe(ctx context.Context) error { return s.store.Probe(ctx) }

// Collectors returns what metrics show of sessions and of learned tables.
func (s *Sessions) Collectors() []prometheus.Collector {
	kept := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mapo_sessions", Help: "Sessions kept."}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		open, answered, err := s.store.Count(ctx)
		if err != nil {
			return -1
		}
		return float64(open + answered)
	})
	return []prometheus.Collector{s.tables, s.answered, kept}
}

// Create begins a session and draws its first query.
func (s *Sessions) Create(ctx context.Context, in *wire.NewSession) (*wire.View, error) {
	p, err := s.set.Find(in.Policy)
	if err != nil {
		return nil, err
	}
	if err := printable("title", in.Title, mostTitle); err != nil {
		return nil, err
	}
	s.kept.used.Store(true)
	now := s.now()
	g := &loaded{Session: database.Session{ID: database.NewID(), Policy: p.ID, Play: p.Play, Title: in.Title, Seed: policies.AnySeed(), StopMargin: in.StopMargin, Guess: in.Guess,
		Version: p.Version, Labelling: in.Labelling, Created: now, Touched: now}, policy: p}
	if in.Seed != nil {
		g.Seed = *in.Seed
	}
	if g.Stop, err = p.StopAt(in.Stop, in.StopMargin); err != nil {
		return nil, err
	}
	first, err := g.draw(1, in.Mask, now)
	if err != nil {
		return nil, wire.Invalid(err)
	}
	if err := s.room(ctx); err != nil {
		return nil, err
	}
	err = s.store.Create(ctx, g.Session, first)
	s.kept.made(err == nil)
	if err != nil {
		return nil, err
	}
	first.Mask = nil // as in advance
	g.turns = append(g.turns, first)
	return s.shown(g)
}

// now returns the time to the millisecond, as stores keep it.
func (s *Sessions) now() time.Time { return s.Clock().UTC().Truncate(time.Millisecond) }

// load reads a session with the policy to go on with.
func (s *Sessions) load(ctx context.Context, id string) (*loaded, error) {
	if !database.IsID(id) {
		return nil, noSession()
	}
	s.kept.used.Store(true)
	session, turns, err := s.store.Load(ctx, id)
	if errors.Is(err, database.ErrNoSession) {
		return nil, noSession()
	}
	if err != nil {
		return nil, err
	}
	g := &loaded{Session: session, turns: turns}
	if s.expired(g) {
		return nil, noSession()
	}
	return g, s.findPolicy(ctx, g)
}

// findPolicy gives a session the policy to go on with: the version of the learned table that it was begun with; nil where
// no policy plays this game any more, or where the version was pruned.
func (s *Sessions) findPolicy(ctx context.Context, g *loaded) (err error) {
	g.policy, g.pruned = s.set.ForPlay(g.Policy, g.Play), false
	if g.policy == nil {
		g.policy, g.pruned, err = s.tables.ForPlay(ctx, g.Policy, g.Version, g.Play)
	}
	return err
}

func noSession() error {
	return wire.Refuse(http.StatusNotFound, "there is no such session; it may have expired")
}

// Characters of texts that are kept, as in the schemas of [NewSession] and [AnswerRequest].
const (
	mostTitle     = 200
	mostAnnotator = 100
)

// printable refuses what is too long, and what would spoil a list or a terminal.
func printable(what, text string, most int) error {
	if n := utf8.RuneCountInString(text); n > most {
		return wire.Refuse(http.StatusUnprocessableEntity, "the %s has %d characters, more than %d", what, n, most)
	}
	for _, r := range text {
		if !console.Showable(r) {
			return wire.Refuse(http.StatusUnprocessableEntity, "the %s has the character %U, which cannot be shown", what, r)
		}
	}
	return nil
}

// Delete forgets a session.
func (s *Sessions) Delete(ctx context.Context, id string) error {
	if !database.IsID(id) {
		return noSession()
	}
	s.kept.used.Store(true)
	s.held.take(id)
	had, err := s.store.Delete(ctx, id)
	if err != nil {
		return err
	}
	if !had {
		return noSession()
	}
	s.kept.recount()
	return nil
}

// List returns up to n sessions by id, from the first above after.
func (s *Sessions) List(ctx context.Context, after string, n int) ([]database.Session, error) {
	s.kept.used.Store(true)
	return s.store.List(ctx, after, n)
}
