package servetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/rival"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// Pets is a table in which two objects have equal shares.
const Pets = `object,barks?,purrs?,swims?,flies?,sings?
dog,0.95,0.05,0.5,0.05,0.1
cat,0.05,0.95,0.1,0.05,0.1
carp,0.05,0.05,0.95,0.05,0.05
goldfish,0.05,0.05,0.95,0.05,0.05
Budgie,0.05,0.05,0.1,0.9,0.9
parrot,0.2,0.05,0.1,0.8,0.3
`

// WriteTable writes a table of shares.
func WriteTable(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pets.csv")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Learns opens tables as policies that learn.
func Learns(path string) (*policies.Policy, error) {
	raw, err := dataset.ReadTable(path, "")
	if err != nil {
		return nil, err
	}
	var on func(t *table.Table) (*policies.Policy, error)
	on = func(t *table.Table) (*policies.Policy, error) {
		var p *game.Problem
		p, _, err := dataset.Rows(t, dataset.RowOptions{Options: dataset.Options{T: len(t.Queries), AskOnce: true}})
		if err != nil {
			return nil, err
		}
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		if err != nil {
			return nil, err
		}
		return policies.Untrained(dataset.Base(path), p, policy, policies.Rules{Table: t, OnTable: on})
	}
	return on(raw)
}

// Learning keeps sessions of tables that learn.
func Learning(t testing.TB, store database.Store, o sessions.Options, paths ...string) (*sessions.Sessions, *policies.Set) {
	t.Helper()
	o.Learn.On = true
	return Keeping(t, store, o, Learns, paths...)
}

// InService returns what replies tell of the pets' policy in service.
func InService(set *policies.Set) wire.PolicySummary { return set.Get("pets").Summary() }

// LearnedFrom returns how many games the newest version of the pets' table was learned from.
func LearnedFrom(t testing.TB, s *sessions.Sessions) int {
	t.Helper()
	r, err := s.Review(t.Context(), "pets")
	must(t, err)
	return r.Games
}

// Tends does what the server does in the background, once.
func Tends(t testing.TB, s *sessions.Sessions) {
	t.Helper()
	must(t, s.Tables().Tend(t.Context()))
}

// play plays a session of the pets' table for an object, whose answers are what the table says, for n questions.
func PlayThrough(t testing.TB, s *sessions.Sessions, in wire.NewSession, object string, n int) *wire.View {
	t.Helper()
	in.Policy = "pets"
	v := Begin(t, s, in)
	for range n {
		v = Tell(t, s, v, AnswerFor(object, v.Query.Text))
	}
	return v
}

// AnswerFor returns what the pets' table says.
func AnswerFor(object, query string) play.Answer {
	lines := strings.Split(Pets, "\n")
	head := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if cells[0] != object {
			continue
		}
		for i, text := range head {
			if text == query && cells[i] >= "0.5" {
				return play.Yes
			}
		}
	}
	return play.No
}

// Truth tells a session's truth.
func Truth(t testing.TB, s *sessions.Sessions, id, text string) *wire.View {
	t.Helper()
	v, err := s.Tell(t.Context(), id, &wire.TruthRequest{Truth: text})
	must(t, err)
	return v
}
