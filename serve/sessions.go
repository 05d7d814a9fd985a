package serve

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
)

// SessionOptions bound what sessions are kept. Zero values are defaults.
type SessionOptions struct {
	TTL         time.Duration // how long after its last turn; 0: for good once it has an answer, openTime before
	Max         int           // how many without an answer; 0: 100,000
	MaxAnswered int           // how many with an answer; 0: 1,000,000
	Learn       LearnOptions
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
	SessionOptions
	set      *Set
	store    Store
	answered *prometheus.CounterVec
	held     held
	kept     kept

	learners learners
	lexicons lexicons
	days     dayKeys
}

// NewSessions keeps sessions of set's policies in store.
func NewSessions(ctx context.Context, set *Set, store Store, o SessionOptions) (*Sessions, error) {
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
	s := &Sessions{SessionOptions: o, set: set, store: store, answered: prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "mapo_session_turns_total", Help: "Turns of sessions closed, by outcome."}, []string{"outcome"})}
	if err := s.teach(ctx); err != nil {
		return nil, err
	}
	return s, s.count(ctx)
}

// NewSession is what a session is made from.
type NewSession struct {
	Policy     string   `json:"policy" doc:"the policy's id" maxLength:"255"`
	Title      string   `json:"title,omitempty" doc:"for people to tell sessions apart" maxLength:"200"`
	Seed       *uint64  `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991" doc:"draws the queries; any where none is given"`
	StopMargin float64  `json:"stop_margin,omitempty" minimum:"0" maximum:"1000000" doc:"end as soon as the recommendation leads by this much; 0: never; only for policies without a posterior"`
	Stop       *float64 `json:"stop,omitempty" minimum:"0" exclusiveMaximum:"1" doc:"end as soon as the recommendation has this probability, above 0.5; 0: never; the policy's own where none is given"`
	Guess      bool     `json:"guess,omitempty" doc:"guess before the session ends: the state is then guess, answered at /guess"`
	Labelling  bool     `json:"labelling,omitempty" doc:"for labelling: its truth is kept, and teaches nothing unless the server is told to"`
	Mask       []int    `json:"mask,omitempty" doc:"indices of queries not to be asked first"`
}

// Create begins a session and draws its first query.
func (s *Sessions) Create(ctx context.Context, in *NewSession) (*View, error) {
	decoded(ctx)
	p, err := s.set.find(in.Policy)
	if err != nil {
		return nil, err
	}
	if err := printable("title", in.Title, mostTitle); err != nil {
		return nil, err
	}
	s.kept.used.Store(true)
	now := s.now()
	g := &loaded{Session: Session{ID: newID(), Policy: p.ID, Play: p.play, Title: in.Title, Seed: AnySeed(), StopMargin: in.StopMargin, Guess: in.Guess,
		Version: p.version, Labelling: in.Labelling, Created: now, Touched: now}, policy: p}
	if in.Seed != nil {
		g.Seed = *in.Seed
	}
	if g.Stop, err = p.stopAt(in.Stop, in.StopMargin); err != nil {
		return nil, err
	}
	first, err := g.draw(1, in.Mask, now)
	if err != nil {
		return nil, invalid(err)
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

var idText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const idLength = 26

// newID returns an id that cannot be guessed: a client without admin rights needs nothing else to
// see a session.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return idText.EncodeToString(b[:])
}

// isID reports whether a text can be an id. Others are not looked for: a database may refuse them.
func isID(text string) bool {
	return len(text) == idLength && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// load reads a session with the policy to go on with.
func (s *Sessions) load(ctx context.Context, id string) (*loaded, error) {
	if !isID(id) {
		return nil, noSession()
	}
	s.kept.used.Store(true)
	session, turns, err := s.store.Load(ctx, id)
	if errors.Is(err, ErrNoSession) {
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
	if l := s.learners.byID[g.Policy]; g.policy == nil && l != nil {
		g.policy, g.pruned, err = l.forPlay(ctx, g.Version, g.Play)
	}
	return err
}

func noSession() error {
	return fault(http.StatusNotFound, "there is no such session; it may have expired")
}

// Characters of texts that are kept, as in the schemas of [NewSession] and [AnswerRequest].
const (
	mostTitle     = 200
	mostAnnotator = 100
)

// printable refuses what is too long, and what would spoil a list or a terminal.
func printable(what, text string, most int) error {
	if n := utf8.RuneCountInString(text); n > most {
		return fault(http.StatusUnprocessableEntity, "the %s has %d characters, more than %d", what, n, most)
	}
	for _, r := range text {
		if !Showable(r) {
			return fault(http.StatusUnprocessableEntity, "the %s has the character %U, which cannot be shown", what, r)
		}
	}
	return nil
}

// Showable reports whether a character of a text may be shown as it is. Control characters and those that
// change the direction of the text around them may not; a joiner inside Persian words and emoji may.
func Showable(r rune) bool {
	return unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Bidi_Control, r)
}

// Delete forgets a session.
func (s *Sessions) Delete(ctx context.Context, id string) error {
	if !isID(id) {
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
func (s *Sessions) List(ctx context.Context, after string, n int) ([]Session, error) {
	s.kept.used.Store(true)
	return s.store.List(ctx, after, n)
}
