package web

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/serve/database"
	"mapo/serve/dbtest"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
	"mapo/spec"
)

// earlier holds files that an earlier program wrote: policies, and databases of version 4 with the same games.
const earlier = "../../testdata/earlier"

// whenEarlier is soon after the newest session of those databases.
func whenEarlier() time.Time { return time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC) }

// earlierKinds open a copy of an earlier database.
var earlierKinds = map[string]func(t *testing.T) database.Store{
	"sqlite": func(t *testing.T) database.Store {
		data, err := os.ReadFile(earlier + "/sessions-v4.db")
		must(t, err)
		path := filepath.Join(t.TempDir(), "s.db")
		must(t, os.WriteFile(path, data, 0o600))
		return servetest.Opened(t, func() (database.Store, error) { return database.OpenSQLite(t.Context(), path) })
	},
	"postgres": func(t *testing.T) database.Store {
		text, err := os.ReadFile(earlier + "/sessions-v4.sql")
		must(t, err)
		dsn := dbtest.PostgresDSN(t)
		db, err := sql.Open("pgx", dsn+"&default_query_exec_mode=simple_protocol")
		must(t, err)
		defer db.Close()
		_, err = db.ExecContext(t.Context(), string(text))
		must(t, err)
		return servetest.Opened(t, func() (database.Store, error) { return database.OpenPostgres(t.Context(), dsn) })
	},
}

// openEarlier opens the policies that the earlier sessions are of.
func openEarlier(path string) (*policies.Policy, error) {
	if strings.HasSuffix(path, policies.Suffix) {
		return policies.Open(path)
	}
	s, err := spec.Load(path, spec.Override{Truth: spec.Rows})
	if err != nil {
		return nil, err
	}
	var on func(t *table.Table) (*policies.Policy, error)
	on = func(t *table.Table) (*policies.Policy, error) {
		p, err := s.Play(t)
		if err != nil {
			return nil, err
		}
		policy, err := rival.Parse(p, game.BestIdentification, rival.Untrained)
		if err != nil {
			return nil, err
		}
		return policies.Untrained(dataset.Base(path), p, policy, policies.Rules{DontKnow: s.DontKnow, Stop: 0.95, Table: t, OnTable: on})
	}
	return on(s.Table)
}

// TestEarlierDatabases: sessions of every class of problem in a database of an earlier program are as they were, each open one
// gets an answer, and the table goes on with the version that it had learned.
func TestEarlierDatabases(t *testing.T) {
	paths, err := filepath.Glob(earlier + "/policies/*" + policies.Suffix)
	must(t, err)
	for kind, open := range earlierKinds {
		t.Run(kind, func(t *testing.T) {
			set, err := policies.NewSet(append(slices.Clone(paths), earlier+"/beasts.csv"), openEarlier)
			must(t, err)
			s, err := sessions.New(t.Context(), set, open(t), sessions.Options{Clock: whenEarlier, Learn: learning.Options{On: true}})
			must(t, err)
			list, err := s.List(t.Context(), "", 100)
			must(t, err)
			slices.SortFunc(list, func(a, b database.Session) int {
				return cmp.Or(cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Title, b.Title))
			})
			var all strings.Builder
			for _, l := range list {
				v, err := s.View(t.Context(), l.ID)
				if err != nil {
					t.Errorf("%s, %q: %v", l.Policy, l.Title, err)
					continue
				}
				fmt.Fprintf(&all, "%s, %s: %s %s", l.Policy, l.Title, v.State, outcomesOf(v))
				if v.Query != nil {
					fmt.Fprintf(&all, "then %s ", v.Query.Text)
				}
				if v.Recommendation != nil {
					fmt.Fprintf(&all, "best %s of %d ", v.Recommendation.Text, v.Tied)
				}
				if v.Truth != nil {
					fmt.Fprintf(&all, "was %s ", v.Truth.Text)
				}
				all.WriteByte('\n')
				if v.State == wire.StateOpen {
					if next := servetest.Tell(t, s, v, play.DontKnow); next.Step <= v.Step {
						t.Errorf("%s, %q stays at step %d", l.Policy, l.Title, v.Step)
					}
				}
			}
			check.Golden(t, earlier+"/sessions.txt", []byte(all.String()))
		})
	}
}

// outcomesOf is a session's turns as a text.
func outcomesOf(v *wire.View) (text string) {
	for _, e := range v.History {
		about := e.Query
		if about == nil {
			about = e.Guess
		}
		text += fmt.Sprintf("%d %s %s %g; ", e.Step, about.Text, e.Outcome, e.Answer.Answer.Value())
	}
	return text
}

// laterTruth is what lines of JSON have since then.
var laterTruth = regexp.MustCompile(`,"truth":"[^"]*"(}\n)`)

// TestEarlierExports: what a database of an earlier program exports today is what that program exported, and the truth after it.
func TestEarlierExports(t *testing.T) {
	paths, err := filepath.Glob(earlier + "/policies/*" + policies.Suffix)
	must(t, err)
	set, err := policies.NewSet(append(paths, earlier+"/beasts.csv"), openEarlier)
	must(t, err)
	s, err := sessions.New(t.Context(), set, earlierKinds["sqlite"](t), sessions.Options{Clock: whenEarlier, Learn: learning.Options{On: true}})
	must(t, err)
	list, err := s.List(t.Context(), "", 100)
	must(t, err)
	read := 0
	for _, l := range list {
		name := earlier + "/exports/" + l.Policy + "-" + strings.ReplaceAll(l.Title, " ", "-")
		for suffix, export := range map[string]func(context.Context, string) ([]byte, error){".csv": s.CSV, ".jsonl": s.JSONL, "-labels.csv": s.Labels} {
			want, err := os.ReadFile(name + suffix)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			must(t, err)
			got, err := export(t.Context(), l.ID)
			must(t, err)
			read++
			if got = laterTruth.ReplaceAll(got, []byte("$1")); suffix == ".csv" {
				rows := bytes.SplitAfter(got, []byte("\n"))
				for i, row := range rows[:len(rows)-1] {
					rows[i] = append(row[:bytes.LastIndexByte(row, ',')], '\n')
				}
				got = bytes.Join(rows, nil)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s%s is exported as\n%swant\n%s", name, suffix, got, want)
			}
		}
	}
	if all, _ := filepath.Glob(earlier + "/exports/*"); read != len(all) {
		t.Errorf("%d of %d earlier exports are of a session", read, len(all))
	}
}
