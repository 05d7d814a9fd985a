package learning_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mapo/internal/suite"
	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestServersFollow: of two servers with one database one builds a version and the other one follows, bit for bit,
// whichever the truths are told to.
func TestServersFollow(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		path := servetest.WriteTable(t, servetest.Pets)
		ctx, stop := context.WithCancel(t.Context())
		var group sync.WaitGroup
		var both []*sessions.Sessions
		var sets []*policies.Set
		for range 2 {
			s, set := servetest.Learning(t, servetest.Opened(t, open), sessions.Options{Learn: learning.Options{Every: 4}}, path)
			group.Go(func() { s.Tables().TeachEvery(ctx, 20*time.Millisecond) })
			both, sets = append(both, s), append(sets, set)
		}
		defer group.Wait()
		defer stop()
		for round := range 5 {
			before := servetest.PlayThrough(t, both[round%2], wire.NewSession{}, "cat", 1)
			for i := range 4 {
				s := both[i%2]
				servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 3).ID, "dog")
			}
			suite.Await(t, func() bool {
				return servetest.InService(sets[0]).Version == round+1 && servetest.InService(sets[1]).Version == round+1
			},
				func() string {
					return fmt.Sprintf("versions %d and %d, want %d", servetest.InService(sets[0]).Version, servetest.InService(sets[1]).Version, round+1)
				})
			if games := servetest.LearnedFrom(t, both[0]); servetest.InService(sets[0]).Hash != servetest.InService(sets[1]).Hash || games != 4*(round+1) {
				t.Fatalf("round %d: %d games, the policies are %s and %s", round, games, servetest.InService(sets[0]).Hash, servetest.InService(sets[1]).Hash)
			}
			v, err := both[1-round%2].View(t.Context(), before.ID)
			must(t, err)
			if v.State != wire.StateOpen || v.Policy.Hash != before.Policy.Hash {
				t.Errorf("at the other server the session is %+v", v)
			}
		}
	})
}

// TestRenewLearned: on SIGHUP a table's new shares are learned upon and its new objects can be told; what lacks an object
// of games is refused, and the old table stays.
func TestRenewLearned(t *testing.T) {
	store, path := servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), servetest.WriteTable(t, servetest.Pets)
	s, set := servetest.Learning(t, store, sessions.Options{Learn: learning.Options{Every: 1}}, path)
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 3).ID, "dog")
	servetest.Tends(t, s)
	v, was := servetest.PlayThrough(t, s, wire.NewSession{}, "cat", 1), servetest.InService(set)
	must(t, os.WriteFile(path, []byte(strings.Replace(servetest.Pets, "cat,0.05", "cow,0.5,0.5,0.5,0.5,0.5\ncat,0.1", 1)), 0o600))
	set.Renew(log)
	p := servetest.InService(set)
	if p.Version != 1 || !p.Learning || p.Hash == was.Hash || !strings.Contains(said.String(), "policy changed") {
		t.Fatalf("version %d, learning %v: %s", p.Version, p.Learning, said.String())
	}
	if v = servetest.Tell(t, s, v, servetest.AnswerFor("cat", v.Query.Text)); v.State != wire.StateOpen || v.Policy.Hash != was.Hash {
		t.Errorf("a session begun before is %+v", v)
	}
	servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 2).ID, "cow")
	if servetest.Tends(t, s); servetest.InService(set).Version != 2 {
		t.Errorf("version %d after the new object's truth", servetest.InService(set).Version)
	}
	now := set.Get("pets")
	for gone, want := range map[string]string{"dog,": `no object \"dog\"`, "barks?": `no question \"barks?\"`} {
		said.Reset()
		text := strings.Replace(servetest.Pets, gone, "x"+gone, 1)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		set.Renew(log)
		if !strings.Contains(said.String(), want) || !strings.Contains(said.String(), "give this one another id (NAME=TABLE)") || set.Get("pets") != now {
			t.Errorf("without %s: %s", gone, said.String())
		}
		set, err := policies.NewSet([]string{path}, servetest.Learns)
		must(t, err)
		if _, err := sessions.New(t.Context(), set, store, sessions.Options{Learn: learning.Options{On: true}}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("a server starts without %s: %v", gone, err)
		}
	}
	said.Reset()
	set.Renew(log)
	if servetest.Tends(t, s); set.Get("pets") != now {
		t.Error("a refused table is in service after all")
	}
}

// TestNothingToLearn: --learn without a table is refused.
func TestNothingToLearn(t *testing.T) {
	set, err := policies.NewSet([]string{servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)}, nil)
	must(t, err)
	_, err = sessions.New(t.Context(), set, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{Learn: learning.Options{On: true}})
	if err == nil || !strings.HasPrefix(err.Error(), "--learn needs a table") {
		t.Errorf("%v", err)
	}
}

// TestLearningFails: while the store fails the version stays, one line says so, and what was told is learned afterwards.
func TestLearningFails(t *testing.T) {
	var said bytes.Buffer
	path := servetest.WriteTable(t, servetest.Pets)
	db := fmt.Sprintf("%s/sessions.db", t.TempDir())
	open := func() (database.Store, error) { return database.OpenSQLite(t.Context(), db) }
	store := &struct{ database.Store }{servetest.Opened(t, open)}
	s, set := servetest.Learning(t, store, sessions.Options{Learn: learning.Options{Every: 1}, Log: slog.New(slog.NewTextHandler(&said, nil))}, path)
	servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 3).ID, "dog")
	l := s.Tables().Learner("pets")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	l.Report(l.Tend(ended))
	if said.Len() > 0 {
		t.Errorf("a server that stops says %s", said.String())
	}
	must(t, store.Close())
	for range 3 {
		l.Report(l.Tend(t.Context()))
	}
	if n := strings.Count(said.String(), "a table learns nothing at the moment"); n != 1 || servetest.InService(set).Version != 0 {
		t.Errorf("%d lines, version %d: %s", n, servetest.InService(set).Version, said.String())
	}
	store.Store = servetest.Opened(t, open)
	l.Report(l.Tend(t.Context()))
	if servetest.InService(set).Version != 1 || !strings.Contains(said.String(), "a table learns again") {
		t.Errorf("afterwards version %d: %s", servetest.InService(set).Version, said.String())
	}
}

// TestRestVersion: fewer truths than a version needs are learned after ten minutes.
func TestRestVersion(t *testing.T) {
	now := time.Now()
	s, set := servetest.Learning(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{Clock: func() time.Time { return now }}, servetest.WriteTable(t, servetest.Pets))
	servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 3).ID, "dog")
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{0, 0}, {9 * time.Minute, 0}, {time.Minute, 1}, {time.Hour, 1}} {
		now = now.Add(step.later)
		if servetest.Tends(t, s); servetest.InService(set).Version != step.want {
			t.Errorf("%v later: version %d, want %d", step.later, servetest.InService(set).Version, step.want)
		}
	}
}

// TestRest: after a long build only an operator's decision makes another version, until the rest is over.
func TestRest(t *testing.T) {
	now := time.Now()
	s, set := servetest.Learning(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{Clock: func() time.Time { return now }, Learn: learning.Options{Every: 1}}, servetest.WriteTable(t, servetest.Pets))
	l := s.Tables().Learner("pets")
	l.RestUntil(now.Add(learning.RestTimes * learning.LongBuild))
	v := servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 3).ID, "dog")
	for _, c := range []struct {
		what string
		do   func()
		want int
	}{
		{"at rest", func() {}, 0},
		{"decided", func() { s.Tables().Decided("pets") }, 1},
		{"corrected", func() { servetest.Truth(t, s, v.ID, "cat") }, 1},
		{"rested", func() { now = now.Add(learning.RestTimes * learning.LongBuild) }, 2},
	} {
		c.do()
		must(t, l.Tend(t.Context()))
		if got := servetest.InService(set).Version; got != c.want {
			t.Errorf("%s: version %d, want %d", c.what, got, c.want)
		}
	}
}
