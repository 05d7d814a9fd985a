package serve

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
)

// TestServersFollow: of two servers with one database one builds a version and the other one follows, bit for bit,
// whichever the truths are told to.
func TestServersFollow(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		path := writeTable(t, pets)
		ctx, stop := context.WithCancel(t.Context())
		var group sync.WaitGroup
		var both []*Sessions
		var sets []*Set
		for range 2 {
			s, set := learning(t, opened(t, open), SessionOptions{Learn: LearnOptions{Every: 4}}, path)
			group.Go(func() { s.tables.teachEvery(ctx, 20*time.Millisecond) })
			both, sets = append(both, s), append(sets, set)
		}
		defer group.Wait()
		defer stop()
		for round := range 5 {
			before := playThrough(t, both[round%2], NewSession{}, "cat", 1)
			for i := range 4 {
				s := both[i%2]
				truth(t, s, playThrough(t, s, NewSession{}, "dog", 3).ID, "dog")
			}
			suite.Await(t, func() bool { return inService(sets[0]).Version == round+1 && inService(sets[1]).Version == round+1 },
				func() string {
					return fmt.Sprintf("versions %d and %d, want %d", inService(sets[0]).Version, inService(sets[1]).Version, round+1)
				})
			if games := learnedFrom(t, both[0]); inService(sets[0]).Hash != inService(sets[1]).Hash || games != 4*(round+1) {
				t.Fatalf("round %d: %d games, the policies are %s and %s", round, games, inService(sets[0]).Hash, inService(sets[1]).Hash)
			}
			v, err := both[1-round%2].View(t.Context(), before.ID)
			must(t, err)
			if v.State != stateOpen || v.Policy.Hash != before.Policy.Hash {
				t.Errorf("at the other server the session is %+v", v)
			}
		}
	})
}

// TestRenewLearned: on SIGHUP a table's new shares are learned upon and its new objects can be told; what lacks an object
// of games is refused, and the old table stays.
func TestRenewLearned(t *testing.T) {
	store, path := opened(t, func() (Store, error) { return OpenTemporary(t.Context()) }), writeTable(t, pets)
	s, set := learning(t, store, SessionOptions{Learn: LearnOptions{Every: 1}}, path)
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	truth(t, s, playThrough(t, s, NewSession{}, "dog", 3).ID, "dog")
	tends(t, s)
	v, was := playThrough(t, s, NewSession{}, "cat", 1), inService(set)
	must(t, os.WriteFile(path, []byte(strings.Replace(pets, "cat,0.05", "cow,0.5,0.5,0.5,0.5,0.5\ncat,0.1", 1)), 0o600))
	set.Renew(log)
	p := inService(set)
	if p.Version != 1 || !p.Learning || p.Hash == was.Hash || !strings.Contains(said.String(), "policy changed") {
		t.Fatalf("version %d, learning %v: %s", p.Version, p.Learning, said.String())
	}
	if v = tell(t, s, v, answerFor("cat", v.Query.Text)); v.State != stateOpen || v.Policy.Hash != was.Hash {
		t.Errorf("a session begun before is %+v", v)
	}
	truth(t, s, playThrough(t, s, NewSession{}, "dog", 2).ID, "cow")
	if tends(t, s); inService(set).Version != 2 {
		t.Errorf("version %d after the new object's truth", inService(set).Version)
	}
	now := set.Get("pets")
	for gone, want := range map[string]string{"dog,": `no object \"dog\"`, "barks?": `no question \"barks?\"`} {
		said.Reset()
		text := strings.Replace(pets, gone, "x"+gone, 1)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		set.Renew(log)
		if !strings.Contains(said.String(), want) || !strings.Contains(said.String(), "give this one another id (NAME=TABLE)") || set.Get("pets") != now {
			t.Errorf("without %s: %s", gone, said.String())
		}
		set, err := NewSet([]string{path}, learns)
		must(t, err)
		if _, err := NewSessions(t.Context(), set, store, SessionOptions{Learn: LearnOptions{On: true}}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("a server starts without %s: %v", gone, err)
		}
	}
	said.Reset()
	set.Renew(log)
	if tends(t, s); set.Get("pets") != now {
		t.Error("a refused table is in service after all")
	}
}

// TestNothingToLearn: --learn without a table is refused.
func TestNothingToLearn(t *testing.T) {
	set, err := NewSet([]string{write(t, t.TempDir(), "t", wheels(), nil)}, nil)
	must(t, err)
	_, err = NewSessions(t.Context(), set, opened(t, func() (Store, error) { return OpenTemporary(t.Context()) }), SessionOptions{Learn: LearnOptions{On: true}})
	if err == nil || !strings.HasPrefix(err.Error(), "--learn needs a table") {
		t.Errorf("%v", err)
	}
}

// TestLearningFails: while the store fails the version stays, one line says so, and what was told is learned afterwards.
func TestLearningFails(t *testing.T) {
	var said bytes.Buffer
	path := writeTable(t, pets)
	db := fmt.Sprintf("%s/sessions.db", t.TempDir())
	open := func() (Store, error) { return OpenSQLite(t.Context(), db) }
	store := &struct{ Store }{opened(t, open)}
	s, set := learning(t, store, SessionOptions{Learn: LearnOptions{Every: 1}, Log: slog.New(slog.NewTextHandler(&said, nil))}, path)
	truth(t, s, playThrough(t, s, NewSession{}, "dog", 3).ID, "dog")
	l := s.tables.byID["pets"]
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	l.report(l.tend(ended))
	if said.Len() > 0 {
		t.Errorf("a server that stops says %s", said.String())
	}
	must(t, store.Close())
	for range 3 {
		l.report(l.tend(t.Context()))
	}
	if n := strings.Count(said.String(), "a table learns nothing at the moment"); n != 1 || inService(set).Version != 0 {
		t.Errorf("%d lines, version %d: %s", n, inService(set).Version, said.String())
	}
	store.Store = opened(t, open)
	l.report(l.tend(t.Context()))
	if inService(set).Version != 1 || !strings.Contains(said.String(), "a table learns again") {
		t.Errorf("afterwards version %d: %s", inService(set).Version, said.String())
	}
}

// TestRestVersion: fewer truths than a version needs are learned after ten minutes.
func TestRestVersion(t *testing.T) {
	now := time.Now()
	s, set := learning(t, opened(t, func() (Store, error) { return OpenTemporary(t.Context()) }), SessionOptions{Clock: func() time.Time { return now }}, writeTable(t, pets))
	truth(t, s, playThrough(t, s, NewSession{}, "dog", 3).ID, "dog")
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{0, 0}, {9 * time.Minute, 0}, {time.Minute, 1}, {time.Hour, 1}} {
		now = now.Add(step.later)
		if tends(t, s); inService(set).Version != step.want {
			t.Errorf("%v later: version %d, want %d", step.later, inService(set).Version, step.want)
		}
	}
}

// TestRest: after a long build only an operator's decision makes another version, until the rest is over.
func TestRest(t *testing.T) {
	now := time.Now()
	s, set := learning(t, opened(t, func() (Store, error) { return OpenTemporary(t.Context()) }), SessionOptions{Clock: func() time.Time { return now }, Learn: LearnOptions{Every: 1}}, writeTable(t, pets))
	l := s.tables.byID["pets"]
	l.rested = now.Add(restTimes * longBuild)
	v := truth(t, s, playThrough(t, s, NewSession{}, "dog", 3).ID, "dog")
	for _, c := range []struct {
		what string
		do   func()
		want int
	}{
		{"at rest", func() {}, 0},
		{"decided", func() { s.tables.Decided("pets") }, 1},
		{"corrected", func() { truth(t, s, v.ID, "cat") }, 1},
		{"rested", func() { now = now.Add(restTimes * longBuild) }, 2},
	} {
		c.do()
		must(t, l.tend(t.Context()))
		if got := inService(set).Version; got != c.want {
			t.Errorf("%s: version %d, want %d", c.what, got, c.want)
		}
	}
}

// TestInstall: a version of a base that is no longer in service, or an older version, is not put into service.
func TestInstall(t *testing.T) {
	path := writeTable(t, pets)
	_, set := learning(t, opened(t, func() (Store, error) { return OpenTemporary(t.Context()) }), SessionOptions{Learn: LearnOptions{Every: 1}}, path)
	version := func(base *Policy, n int) *Policy {
		p, err := base.onTable(base.table)
		must(t, err)
		p.ID, p.base, p.version = base.ID, base, n
		return p
	}
	was := set.Get("pets").base
	if set.install(version(was, 0)) || !set.install(version(was, 2)) || set.install(version(was, 1)) {
		t.Error("an older version is put into service, or a newer one is not")
	}
	must(t, os.WriteFile(path, []byte(strings.Replace(pets, "0.95", "0.9", 1)), 0o600))
	set.Renew(slog.New(slog.DiscardHandler))
	if now := set.Get("pets"); now.base == was || set.install(version(was, 3)) || set.Get("pets") != now {
		t.Error("a version of the old base is put into service")
	}
}
