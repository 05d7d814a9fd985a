package database

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/game/play"
)

// TestStore: what any store owes.
func TestStore(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		must(t, s.Probe(ctx))
		want, first := someSession("a")
		must(t, s.Create(ctx, want, first))
		if err := s.Create(ctx, want, first); err == nil {
			t.Error("a second session has the same id")
		}
		got, turns, err := s.Load(ctx, "a")
		must(t, err)
		first.Answered = time.UnixMilli(0).UTC()
		var mask string
		must(t, sqlOf(s).db.QueryRowContext(ctx, `SELECT mask FROM mapo_turns WHERE session = 'a' AND step = 1`).Scan(&mask))
		if wanted, err := json.Marshal(first.Mask); err != nil || mask != string(wanted) {
			t.Errorf("the mask is %s, want %s", mask, wanted)
		}
		first.Mask = nil // it is not read again
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(turns, []Turn{first}) {
			t.Fatalf("loaded %+v %+v, want %+v %+v", got, turns, want, first)
		}
		if _, _, err := s.Load(ctx, "b"); !errors.Is(err, ErrNoSession) {
			t.Errorf("loading nothing: %v", err)
		}

		a := step("a", first, play.No)
		ok, err := s.Advance(ctx, a)
		mustBe(t, ok, err, true)
		ok, err = s.Advance(ctx, a)
		mustBe(t, ok, err, false) // it is closed
		other := step("a", a.Next, play.Yes)
		other.Closed.Query = 9
		ok, err = s.Advance(ctx, other)
		mustBe(t, ok, err, false) // it asks another query
		if _, err := s.Advance(ctx, step("b", first, play.Yes)); !errors.Is(err, ErrNoSession) {
			t.Errorf("answering nothing: %v", err)
		}
		_, turns, err = s.Load(ctx, "a")
		must(t, err)
		if len(turns) != 2 || turns[0].Answer != play.No || turns[0].Outcome != OutcomeAnswer || turns[0].Annotator != "Zoë" || !turns[0].Answered.Equal(someTime.Add(time.Second)) || turns[1].Outcome != "" {
			t.Fatalf("turns %+v", turns)
		}

		redrawn := Turn{Step: 2, Query: 7, Text: "seven", Probability: .5, Hash: "h3", Mask: []int{4}, Asked: someTime}
		ok, err = s.Redraw(ctx, "a", 5, redrawn, someTime)
		mustBe(t, ok, err, false)
		ok, err = s.Redraw(ctx, "a", 4, redrawn, someTime)
		mustBe(t, ok, err, true)
		undo := step("a", redrawn, play.DontKnow)
		undo.Closed.Outcome, undo.Undone = OutcomeUndo, 1
		ok, err = s.Advance(ctx, undo)
		mustBe(t, ok, err, true)
		_, turns, err = s.Load(ctx, "a")
		must(t, err)
		if len(turns) != 3 || turns[0].Undone != 2 || turns[1].Query != 7 || turns[1].Outcome != OutcomeUndo || turns[2].Mask != nil {
			t.Fatalf("turns %+v", turns)
		}

		had, err := s.Delete(ctx, "a")
		mustBe(t, had, err, true)
		had, err = s.Delete(ctx, "a")
		mustBe(t, had, err, false)
		ok, err = s.Redraw(ctx, "a", 7, redrawn, someTime)
		if ok || !errors.Is(err, ErrNoSession) {
			t.Errorf("redrawing nothing: %v %v", ok, err)
		}
	})
}

// TestStoreLasts: what was kept is there when the store is opened again, also
// beside the first one.
func TestStoreLasts(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		n, first := someSession("a")
		must(t, s.Create(ctx, n, first))
		beside := opened(t, open)
		ok, err := beside.Advance(ctx, step("a", first, play.Yes))
		mustBe(t, ok, err, true)
		ok, err = s.Advance(ctx, step("a", first, play.No))
		mustBe(t, ok, err, false)
		must(t, s.Close())
		must(t, beside.Close())
		_, turns, err := opened(t, open).Load(ctx, "a")
		if err != nil || len(turns) != 2 || turns[0].Answer != play.Yes {
			t.Fatalf("turns %+v, %v", turns, err)
		}
	})
}

// TestSQLiteOneFile: a closed store is its file alone.
func TestSQLiteOneFile(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenSQLite(t.Context(), filepath.Join(dir, "s.db"))
	must(t, err)
	n, first := someSession("a")
	must(t, s.Create(t.Context(), n, first))
	must(t, s.Close())
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("%d files are left, want one: %v", len(entries), entries)
	}
}

// TestStoreExpires: by the last turn, and lists go by id.
func TestStoreExpires(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		var group sync.WaitGroup
		for i := range 700 {
			group.Go(func() {
				n, first := someSession(fmt.Sprintf("%04d", i))
				n.Touched = someTime.Add(time.Duration(i) * time.Minute)
				if err := s.Create(ctx, n, first); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		list, err := s.List(ctx, "0009", 3)
		must(t, err)
		if len(list) != 3 || list[0].ID != "0010" || list[2].ID != "0012" {
			t.Errorf("list %+v", list)
		}
		n, first := someSession("0003")
		ok, err := s.Advance(ctx, Advance{Session: "0003", Closed: Turn{Step: 1, Query: first.Query, Outcome: OutcomeAnswer, Answered: someTime.Add(1e6 * time.Minute)}, Next: Turn{Step: 2, Query: None}})
		mustBe(t, ok, err, true)
		ok, err = s.Advance(ctx, Advance{Session: "0004", Closed: Turn{Step: 1, Query: first.Query, Outcome: OutcomeSkip, Answered: someTime}, Next: Turn{Step: 2, Query: None}})
		mustBe(t, ok, err, true)
		expire := func(o Old, want int) {
			t.Helper()
			gone := 0
			for {
				n, err := s.Expire(ctx, o)
				must(t, err)
				if n > expireAtOnce {
					t.Errorf("%d sessions at once", n)
				}
				if gone += n; n == 0 {
					break
				}
			}
			if gone != want {
				t.Errorf("%d expired, want %d", gone, want)
			}
		}
		count := func(wantOpen, wantAnswered int) {
			t.Helper()
			if open, answered, err := s.Count(ctx); err != nil || open != wantOpen || answered != wantAnswered {
				t.Errorf("%d sessions without and %d with an answer, %v; want %d and %d", open, answered, err, wantOpen, wantAnswered)
			}
		}
		count(698, 2)
		expire(Old{Open: someTime.Add(600 * time.Minute)}, 598) // all but those with an answer
		count(100, 2)
		expire(Old{Open: someTime, Any: someTime.Add(600 * time.Minute)}, 1)
		count(100, 1)
		if _, turns, err := s.Load(ctx, n.ID); err != nil || len(turns) != 2 {
			t.Errorf("the one that was touched has turns %v, %v", turns, err)
		}
	})
}

// TestStoreRace: of many who answer the same step at once, one does; and answers to
// different sessions do not disturb each other.
func TestStoreRace(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		list := []Store{opened(t, open), opened(t, open)}
		ctx := t.Context()
		const sessions, workers, steps = 4, 8, 10
		var firsts []Turn
		for i := range sessions {
			n, first := someSession(fmt.Sprint(i))
			must(t, list[0].Create(ctx, n, first))
			firsts = append(firsts, first)
		}
		var won atomic.Int64
		var group sync.WaitGroup
		for w := range workers {
			group.Go(func() {
				for i := range sessions {
					id, turn := fmt.Sprint(i), firsts[i]
					for range steps {
						a := step(id, turn, []play.Answer{play.Yes, play.No}[w%2])
						ok, err := list[w%2].Advance(ctx, a)
						if err != nil {
							t.Error(err)
							return
						}
						if ok {
							won.Add(1)
						}
						if _, err := list[w%2].Advance(ctx, step("none", turn, play.Yes)); !errors.Is(err, ErrNoSession) {
							t.Errorf("answering nothing: %v", err)
						}
						turn = a.Next
					}
				}
			})
		}
		group.Wait()
		if won.Load() != sessions*steps {
			t.Errorf("%d answers were kept, want %d", won.Load(), sessions*steps)
		}
		for i := range sessions {
			_, turns, err := list[0].Load(ctx, fmt.Sprint(i))
			if err != nil || len(turns) != steps+1 || !slices.IsSortedFunc(turns, func(a, b Turn) int { return a.Step - b.Step }) {
				t.Errorf("session %d has %d turns, %v", i, len(turns), err)
			}
		}
	})
}

// TestStoreCancelled: who leaves does not take others along.
func TestStoreCancelled(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s := opened(t, open)
		gone, leave := context.WithCancel(t.Context())
		leave()
		var group sync.WaitGroup
		for i := range 40 {
			group.Go(func() {
				n, first := someSession(fmt.Sprint(i))
				ctx := t.Context()
				if i%2 == 1 {
					ctx = gone
				}
				if err := s.Create(ctx, n, first); (err != nil) != (i%2 == 1) {
					t.Errorf("session %d: %v", i, err)
				}
			})
		}
		group.Wait()
		if n, _, err := s.Count(t.Context()); err != nil || n != 20 {
			t.Errorf("%d sessions, %v, want 20", n, err)
		}
	})
}

// TestMasksAreKept: the table has the mask of every draw.
func TestMasksAreKept(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		n, first := someSession("a")
		must(t, s.Create(ctx, n, first))
		a := step("a", first, play.Yes)
		a.Next.Mask = []int{3, 5}
		ok, err := s.Advance(ctx, a)
		mustBe(t, ok, err, true)
		check := func(want ...string) {
			t.Helper()
			got, err := all(reading{ctx, sqlOf(s).db}, `SELECT mask FROM mapo_turns WHERE session = $1 ORDER BY step`, []any{"a"}, scanOne[string])
			if must(t, err); !slices.Equal(got, want) {
				t.Errorf("the masks are %q, want %q", got, want)
			}
		}
		check("[1,2]", "[3,5]")
		a.Next.Mask = []int{7}
		ok, err = s.Redraw(ctx, "a", a.Next.Query, a.Next, someTime)
		mustBe(t, ok, err, true)
		check("[1,2]", "[7]")
	})
}

// sqlOf is what both kinds of store are made of.
func sqlOf(s Store) *sqlStore {
	if p, ok := s.(*postgresStore); ok {
		return p.sqlStore
	}
	return s.(*sqlStore)
}

// TestStoreVersions: tables of another version are refused with what to do, and nothing of them is changed.
func TestStoreVersions(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s := opened(t, open)
		write := func(statement string) {
			t.Helper()
			must(t, sqlOf(s).write(t.Context(), func(w writer) error {
				_, err := w.exec(statement)
				return err
			}))
		}
		read := func(query string) (n int, err error) {
			return n, sqlOf(s).db.QueryRowContext(t.Context(), query).Scan(&n)
		}
		write(`DROP TABLE mapo_keys`)
		for _, version := range []int{1, 3, 9} {
			write(fmt.Sprintf(`UPDATE mapo_meta SET version = %d`, version))
			other, err := open()
			if err == nil {
				t.Fatalf("tables of version %d are opened, %v", version, other.Close())
			}
			if text := err.Error(); !strings.Contains(text, fmt.Sprintf("in tables of version %d, this program knows version %d: use the program that made them, or begin a new database with --db", version, schemaVersion)) || strings.Contains(text, "\n") {
				t.Errorf("version %d: %s", version, text)
			}
			if now, err := read(`SELECT version FROM mapo_meta`); err != nil || now != version {
				t.Errorf("version %d has become %d, %v", version, now, err)
			}
			if _, err := read(`SELECT COUNT(*) FROM mapo_keys`); err == nil {
				t.Errorf("a table was made in version %d", version)
			}
		}
		write(fmt.Sprintf(`UPDATE mapo_meta SET version = %d`, schemaVersion))
		opened(t, open)
		if n, err := read(`SELECT COUNT(*) FROM mapo_keys`); err != nil || n != 0 {
			t.Errorf("a table that was missing: %d rows, %v", n, err)
		}
	})
}

// TestSQLiteFaults: files that are none, and folders that are missing; the file is
// its owner's alone.
func TestSQLiteFaults(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.db")
	must(t, os.WriteFile(bad, []byte("this is no database, and it is long enough to be looked at"), 0o600))
	for _, path := range []string{bad, dir, filepath.Join(dir, "none", "x.db")} {
		if s, err := OpenSQLite(t.Context(), path); err == nil {
			t.Errorf("%s is opened: %v", path, s.Close())
		}
	}
	t.Chdir(dir)
	for _, path := range []string{"good.db", ":memory:", "a b?c#d%e.db"} {
		s, err := OpenSQLite(t.Context(), path)
		must(t, err)
		must(t, s.Probe(t.Context()))
		must(t, s.Close())
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != 0o600 || info.Size() == 0 {
			t.Errorf("%s has mode %v and %d bytes", path, info.Mode(), info.Size())
		}
	}
}

// TestSQLiteOther: another program's database is refused, and not a byte of it is changed.
func TestSQLiteOther(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "notes.db")
	db, err := sqlite(path)
	must(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE notes (text TEXT)`)
	must(t, errors.Join(err, db.Close()))
	before, err := os.ReadFile(path)
	must(t, err)
	if s, err := OpenSQLite(t.Context(), path); err == nil || !strings.Contains(err.Error(), "another program's database") {
		t.Errorf("it is opened: %v, %v", s, err)
	}
	after, err := os.ReadFile(path)
	must(t, err)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || !bytes.Equal(after, before) {
		t.Errorf("it was written to, or something is beside it: %v, %v", entries, err)
	}
}

// TestTemporaryStore: nothing is on the disk, so a kill leaves nothing; all connections
// see one database, and two stores are apart.
func TestTemporaryStore(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := OpenTemporary(t.Context())
	must(t, err)
	other, err := OpenTemporary(t.Context())
	must(t, err)
	var group sync.WaitGroup
	for w := range 2 * readers {
		group.Go(func() {
			want, first := someSession(fmt.Sprint("a", w))
			if err := s.Create(t.Context(), want, first); err != nil {
				t.Error(err)
			}
			for range 100 {
				if got, _, err := s.Load(t.Context(), want.ID); err != nil || got != want {
					t.Errorf("loaded %+v, %v", got, err)
				}
			}
		})
	}
	group.Wait()
	if _, _, err := other.Load(t.Context(), "a0"); !errors.Is(err, ErrNoSession) {
		t.Errorf("another store: %v", err)
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("%v is on the disk, %v", left, err)
	}
	must(t, errors.Join(s.Close(), other.Close()))
}

var someTime = time.Date(2030, 1, 2, 3, 4, 5, 678e6, time.UTC)

func someSession(id string) (Session, Turn) {
	s := Session{ID: id, Policy: "p", Play: "play", Title: "ä ' \" ; -- \\", Seed: play.MaxSeed, StopMargin: 1.25, Created: someTime, Touched: someTime}
	return s, Turn{Step: 1, Query: 3, Text: "'); DROP TABLE mapo_turns; --", Probability: .25, Hash: "h", Mask: []int{1, 2}, Asked: someTime}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustBe(t testing.TB, got bool, err error, want bool) {
	t.Helper()
	if err != nil || got != want {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
}

// step is the advance from an open turn by one answer.
func step(session string, open Turn, answer play.Answer) Advance {
	closed := open
	closed.Outcome, closed.Answer, closed.Annotator, closed.Answered = OutcomeAnswer, answer, "Zoë", someTime.Add(time.Second)
	return Advance{Session: session, Closed: closed, Next: Turn{Step: open.Step + 1, Query: open.Query + 1, Text: "next", Hash: "h2", Asked: someTime.Add(time.Second)}}
}
