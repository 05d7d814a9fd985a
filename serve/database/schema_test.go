package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mapo/data/learn"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/serve/dbtest"
)

// TestOpenAtOnce: servers that start at once on a new database make its tables, and those that start at once on its sessions
// find every one.
func TestOpenAtOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		openAtOnce(t, open, 0)
		store := opened(t, open)
		for _, id := range []string{"half", "other"} {
			n, first := someSession(id)
			must(t, store.Create(t.Context(), n, first))
		}
		_, first := someSession("half")
		ok, err := store.Advance(t.Context(), step("half", first, play.ProbablyNot))
		mustBe(t, ok, err, true)
		openAtOnce(t, open, 2)
		if _, turns, err := store.Load(t.Context(), "half"); err != nil || turns[0].Answer != play.ProbablyNot {
			t.Errorf("a half answer is kept as %v, %v", turns, err)
		}
		checkTruths(t, open)
	})
}

// openAtOnce opens a store that has so many sessions four times at once.
func openAtOnce(t *testing.T, open func() (Store, error), sessions int) {
	t.Helper()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s, err := open()
			if err != nil {
				t.Error(err)
				return
			}
			if list, err := s.List(t.Context(), "", 10); err != nil || len(list) != sessions {
				t.Errorf("%d sessions, %v; want %d", len(list), err, sessions)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// checkTruths tells and withdraws a truth.
func checkTruths(t *testing.T, open func() (Store, error)) {
	t.Helper()
	s, ctx := opened(t, open), t.Context()
	n, first := someSession("told")
	must(t, s.Create(ctx, n, first))
	mustTell(t, s, someTruth("told", 1, 0, play.Answered{Query: 3, Answer: play.Yes}), TellNew)
	mustCount(t, s, "p", 1, cell(0, learn.OfGames, 2, 0), cell(0, 3, 2, 0))
	had, err := s.Delete(ctx, "told")
	mustBe(t, had, err, true)
	mustCount(t, s, "p", 2)
}

// openSQL opens what a --db names, without any change.
func openSQL(db string) (*sql.DB, error) {
	if IsPostgres(db) {
		return sql.Open("pgx", db+"&default_query_exec_mode=simple_protocol")
	}
	return sqlite(db, "busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)")
}

// errLeft is that the tables were made before the program was to die.
var errLeft = errors.New("no statement is left")

// makeTablesAndDie is a helper: it makes the tables of a database, and kills itself after so many statements.
func makeTablesAndDie(args []string) {
	ctx := context.Background()
	left, err := strconv.Atoi(args[1])
	var db *sql.DB
	if err == nil {
		db, err = openSQL(args[0])
	}
	if err == nil {
		err = inTransaction(ctx, db, func(w writer) error {
			tx := w.(*txWriter).tx
			exec := func(query string, args ...any) error {
				_, err := tx.ExecContext(ctx, query, args...)
				if left--; left == 0 {
					_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
					select {}
				}
				return err
			}
			if err := makeTables(exec, func() (v int, err error) { return v, tx.QueryRowContext(ctx, `SELECT version FROM mapo_meta`).Scan(&v) }); err != nil {
				return err
			}
			return errLeft
		})
	}
	if !errors.Is(err, errLeft) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// TestTablesKilled: a program killed after any statement that makes the tables leaves none, and the next one makes them.
func TestTablesKilled(t *testing.T) {
	suite.Long(t, "kills a program after each statement")
	t.Parallel()
	for kind, name := range map[string]func() string{
		"sqlite":   func() string { return filepath.Join(t.TempDir(), "s.db") },
		"postgres": func() string { return dbtest.PostgresDSN(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			db, kills := name(), 0
			conn, err := openSQL(db)
			must(t, err)
			defer conn.Close()
			for ; ; kills++ {
				out, err := exec.Command(os.Args[0], "tables", db, fmt.Sprint(kills+1)).CombinedOutput()
				if err == nil {
					break
				}
				if !strings.Contains(err.Error(), "killed") {
					t.Fatalf("after %d statements: %v %s", kills+1, err, out)
				}
				var version int
				if err := conn.QueryRowContext(t.Context(), `SELECT version FROM mapo_meta`).Scan(&version); err == nil || !strings.Contains(err.Error(), "mapo_meta") {
					t.Fatalf("killed after %d statements it left version %d, %v", kills+1, version, err)
				}
			}
			if least := len(schema) + 2; kills < least {
				t.Errorf("killed %d times, want at least %d", kills, least)
			}
			checkTruths(t, func() (Store, error) {
				if IsPostgres(db) {
					return OpenPostgres(t.Context(), db)
				}
				return OpenSQLite(t.Context(), db)
			})
		})
	}
}
