package servetest

import (
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/rival"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/sessions"
)

// OpenTable opens examples/animals.csv under any name, to be played without training: with wrong answers at that share,
// negative: inferred, and games that end at stop.
func OpenTable(wrong, stop float64) policies.Opener {
	return func(path string) (*policies.Policy, error) {
		raw, err := dataset.ReadTable(inModule("examples/animals.csv"), "")
		if err != nil {
			return nil, err
		}
		var o dataset.RowOptions
		o.T, o.AskOnce = 20, true
		if wrong >= 0 {
			o.Wrong = &wrong
		}
		p, _, err := dataset.Rows(raw, o)
		if err != nil {
			return nil, err
		}
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		if err != nil {
			return nil, err
		}
		return policies.Untrained(dataset.Base(path), p, policy, policies.Rules{Stop: stop})
	}
}

// SessionsOn returns sessions of what open opens.
func SessionsOn(t testing.TB, store func() (database.Store, error), o sessions.Options, open policies.Opener, paths ...string) *sessions.Sessions {
	t.Helper()
	s, _ := Keeping(t, Opened(t, store), o, open, paths...)
	return s
}
