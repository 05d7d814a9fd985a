package servetest

import (
	"errors"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// Wheels returns a small game without repeats.
func Wheels() *game.Problem {
	p := dataset.Thresholds(8, 6)
	p.AskOnce = true
	return p
}

// Sessions keeps sessions of policy files in a store of its own.
func Sessions(t testing.TB, open func() (database.Store, error), o sessions.Options, paths ...string) *sessions.Sessions {
	t.Helper()
	s, _ := Keeping(t, Opened(t, open), o, nil, paths...)
	return s
}

// Keeping keeps sessions of what open opens, files where it is nil, in a store, and returns the policies, too.
func Keeping(t testing.TB, store database.Store, o sessions.Options, open policies.Opener, paths ...string) (*sessions.Sessions, *policies.Set) {
	t.Helper()
	set, err := policies.NewSet(paths, open)
	must(t, err)
	return Holding(t, set, store, o), set
}

// Holding keeps sessions of policies in a store. They hold no game until they are asked for one.
func Holding(t testing.TB, set *policies.Set, store database.Store, o sessions.Options) *sessions.Sessions {
	t.Helper()
	s, err := sessions.New(t.Context(), set, store, o)
	must(t, err)
	return s
}

func Begin(t testing.TB, s *sessions.Sessions, in wire.NewSession) *wire.View {
	t.Helper()
	v, err := s.Create(t.Context(), &in)
	must(t, err)
	return v
}

// Tell answers the view's step.
func Tell(t testing.TB, s *sessions.Sessions, v *wire.View, answer play.Answer) *wire.View {
	t.Helper()
	next, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: answer}, Annotator: "a"})
	must(t, err)
	return next
}

// Faulty wants a fault of some status with a part of its reason.
func Faulty(t testing.TB, err error, status int, reason string) {
	t.Helper()
	var f *wire.Fault
	if !errors.As(err, &f) || f.Status != status || !strings.Contains(f.Reason, reason) {
		t.Errorf("error %v, want %d and %q", err, status, reason)
	}
}
