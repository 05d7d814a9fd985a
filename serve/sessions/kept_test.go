package sessions_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestExpiryByRule: with an answer a session never expires, without one after a day. A TTL holds for both, and makes no
// session last longer than a day without an answer.
func TestExpiryByRule(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		path := servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)
		for _, c := range []struct {
			ttl, later     time.Duration
			open, answered bool // are left
		}{
			{0, 23 * time.Hour, true, true},
			{0, 25 * time.Hour, false, true},
			{0, 100 * 365 * 24 * time.Hour, false, true},
			{time.Hour, 59 * time.Minute, true, true},
			{time.Hour, 61 * time.Minute, false, false},
			{48 * time.Hour, 25 * time.Hour, false, true},
			{48 * time.Hour, 49 * time.Hour, false, false},
		} {
			now := servetest.SomeTime
			store := servetest.Opened(t, open)
			s, _ := servetest.Keeping(t, store, sessions.Options{TTL: c.ttl, Clock: func() time.Time { return now }}, nil, path)
			ids := map[string]bool{}
			for _, answer := range []func(v *wire.View) error{
				func(*wire.View) error { return nil },
				func(v *wire.View) error { servetest.Tell(t, s, v, play.Yes); return nil },
				func(v *wire.View) error { servetest.Tell(t, s, v, play.DontKnow); return nil },
				func(v *wire.View) error { // taken back
					v = servetest.Tell(t, s, v, play.Yes)
					_, err := s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: v.Step})
					return err
				},
			} {
				v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
				must(t, answer(v))
				ids[v.ID] = len(ids) > 0
			}
			now = now.Add(c.later)
			for range 2 { // before it is swept, and after
				for id, answered := range ids {
					want := c.open
					if answered {
						want = c.answered
					}
					v, err := s.View(t.Context(), id)
					if (err == nil) != want {
						t.Errorf("%+v: a session with an answer: %v; read: %v", c, answered, err)
					}
					if v != nil && (v.Expires == nil) != (answered && c.ttl == 0) {
						t.Errorf("%+v: a session with an answer: %v; expires %v", c, answered, v.Expires)
					}
				}
				must(t, s.SweepOnce(t.Context()))
			}
			for id := range ids {
				_, err := store.Delete(t.Context(), id)
				must(t, err)
			}
		}
	})
}

// TestWrongClock: a server that starts with a wrong clock, works and starts again with a right one loses no session with
// an answer, whenever it was answered.
func TestWrongClock(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		path := servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)
		var ids []string
		for _, now := range []time.Time{servetest.SomeTime, time.Unix(60, 0), servetest.SomeTime.AddDate(0, 1, 0), time.Unix(0, 0), servetest.SomeTime} {
			store := servetest.Opened(t, open)
			s, _ := servetest.Keeping(t, store, sessions.Options{Clock: func() time.Time { return now }}, nil, path)
			for i, id := range ids {
				v, err := s.View(t.Context(), id)
				if err != nil {
					t.Fatalf("at %v session %d is lost: %v", now, i, err)
				}
				servetest.Tell(t, s, v, play.Yes)
				must(t, s.SweepOnce(t.Context()))
			}
			v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
			ids = append(ids, servetest.Tell(t, s, v, play.No).ID)
			must(t, s.SweepOnce(t.Context()))
			must(t, store.Close())
		}
	})
}

// batched notes how sessions expire. Every batch but the first waits for its turn.
type batched struct {
	database.Store
	calls, most, gone atomic.Int64
	turn              chan bool
}

func (b *batched) Expire(ctx context.Context, o database.Old) (int, error) {
	if b.calls.Load() > 0 {
		select {
		case <-b.turn:
		case <-ctx.Done():
		case <-time.After(suite.Patience):
			return 0, errors.New("nothing is answered between two batches")
		}
	}
	n, err := b.Store.Expire(ctx, o)
	b.calls.Add(1)
	b.gone.Add(int64(n))
	b.most.Store(max(b.most.Load(), int64(n)))
	return n, err
}

// abandoned fills the sessions in a file of SQLite with n more, of which every tenth has an answer.
func abandoned(t *testing.T, path string, n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	tx, err := db.Begin()
	must(t, err)
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) `
	for _, statement := range []string{
		`INSERT INTO mapo_sessions (id, policy, play, title, seed, stop_margin, created, touched) SELECT 'x' || i, 't', 'p', '', 1, 0, 1000, 1000 + i FROM n`,
		`INSERT INTO mapo_turns SELECT 'x' || i, 1, 0, '', 1, '', 'null', 1000 + i, CASE WHEN i % 10 = 0 THEN 'answer' ELSE '' END, 0, '', 0, 0, -1, '' FROM n`,
		`INSERT INTO mapo_turns SELECT 'x' || i, 2, 0, '', 1, '', 'null', 1000 + i, '', 0, '', 0, 0, -1, '' FROM n WHERE i % 10 = 0`,
	} {
		with, rest, _ := strings.Cut(statement, " SELECT")
		_, err := tx.Exec(with+" "+numbers+"SELECT"+rest, n)
		must(t, err)
	}
	must(t, tx.Commit())
}

// expireAtOnceMost is how many sessions a store's Expire deletes at most.
const expireAtOnceMost = 500

// TestSweepsWait: whatever has expired, a server answers first. It then deletes in batches, between which it answers.
func TestSweepsWait(t *testing.T) {
	kept := 22_000
	if os.Getenv("MAPO_LONG") != "" {
		kept = 110_000
	}
	count := &batched{turn: make(chan bool)}
	s := servetest.Sessions(t, func() (database.Store, error) {
		path := filepath.Join(t.TempDir(), "s.db")
		store, err := database.OpenSQLite(t.Context(), path)
		must(t, err)
		abandoned(t, path, kept)
		count.Store = store
		return count, nil
	}, sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	ctx, cancel := context.WithCancel(t.Context())
	swept := make(chan bool)
	go func() { s.SweepEvery(ctx, time.Millisecond); close(swept) }()
	defer func() { cancel(); <-swept }()
	time.Sleep(50 * time.Millisecond)
	if n := count.calls.Load(); n != 0 {
		t.Fatalf("%d sweeps before the first request", n)
	}
	began := time.Now()
	servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	t.Logf("with %d expired sessions the first is begun in %v", kept*9/10, time.Since(began))
	if n := count.calls.Load(); n > int64(kept/expireAtOnceMost/2) {
		t.Errorf("the first request waited for %d batches", n)
	}
	var v *wire.View
	between := 0
	for slowest := time.Duration(0); ; {
		before := count.gone.Load()
		began = time.Now()
		v = servetest.Tell(t, s, servetest.Begin(t, s, wire.NewSession{Policy: "t"}), play.Yes)
		slowest = max(slowest, time.Since(began))
		if before == int64(kept*9/10) {
			t.Logf("%d sessions were begun and answered during the sweep, the slowest in %v; %d batches", between, slowest, count.calls.Load())
			break
		}
		between++
		select {
		case count.turn <- true:
		case <-time.After(suite.Patience):
			t.Fatalf("after %d batches the sweep has ended", count.calls.Load())
		}
	}
	if count.most.Load() > expireAtOnceMost || between < 3 {
		t.Errorf("batches of up to %d sessions, and %d answers between them", count.most.Load(), between)
	}
	if _, answered, err := count.Count(ctx); err != nil || answered != kept/10+between+1 {
		t.Errorf("%d sessions with an answer are left, %v", answered, err)
	}
	_, err := s.View(ctx, v.ID)
	must(t, err)
}

// TestFullOfExpired: a server that is full of expired sessions makes room in the request that needs it.
func TestFullOfExpired(t *testing.T) {
	now := time.Now()
	s := servetest.Sessions(t, func() (database.Store, error) {
		path := filepath.Join(t.TempDir(), "s.db")
		store, err := database.OpenSQLite(t.Context(), path)
		must(t, err)
		abandoned(t, path, 2000)
		return store, nil
	}, sessions.Options{Max: 1800, Clock: func() time.Time { return now }}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	now = now.Add(2 * time.Second) // it counts at most once a second
	servetest.Begin(t, s, wire.NewSession{Policy: "t"})
}

// TestMaxAnswered: sessions with an answer have a limit of their own, which the log mentions before it is reached. Begun
// sessions may still be answered.
func TestMaxAnswered(t *testing.T) {
	var log bytes.Buffer
	now := servetest.SomeTime
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{
		Max: 2, MaxAnswered: 5, Log: slog.New(slog.NewTextHandler(&log, nil)), Clock: func() time.Time { return now },
	}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	a, b := servetest.Begin(t, s, wire.NewSession{Policy: "t"}), servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	for n := range 4 {
		servetest.Tell(t, s, a, play.Yes)
		now = now.Add(time.Minute)
		must(t, s.SweepOnce(t.Context()))
		if said := strings.Count(log.String(), "raise --max-answered"); said != max(0, n-2) {
			t.Errorf("after %d answered sessions the log says %s", n+1, log.String())
		}
		a = servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	}
	must(t, s.SweepOnce(t.Context()))
	if said := strings.Count(log.String(), "raise --max-answered"); said != 1 {
		t.Errorf("the log repeats: %s", log.String())
	}
	servetest.Tell(t, s, a, play.Yes)
	_, err := s.Create(t.Context(), &wire.NewSession{Policy: "t"})
	servetest.Faulty(t, err, 429, "5 sessions with an answer are kept")
	servetest.Tell(t, s, b, play.Yes)
	must(t, s.Delete(t.Context(), a.ID))
	must(t, s.Delete(t.Context(), b.ID))
	servetest.Begin(t, s, wire.NewSession{Policy: "t"})
}
