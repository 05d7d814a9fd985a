package serve

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
	"time"

	"mapo/dataset"
	"mapo/game"
)

// helpers are what the test binary does where it is called as "BINARY NAME ARGUMENT…".
var helpers = map[string]func(args []string){"migrate": migrateAndDie, "player": player}

// The sessions of testdata were made by the program that wrote version 1, with a policy for these thresholds.
const (
	firstPolicy = "thresholds"
	firstPlay   = "603b4f8a8cfa0aeb9ba5ead8eeb6df01" // playOf's of that policy, as that program had it
	halfWay     = "ja7vna3lgu2dymj5k5zbnebn6m"
	takenBack   = "rdv5bv3iqovpijbeeblzmzr4h4"
	allDone     = "uhhsrzm3mwgjjxprj2v2kymt2e"
	notBegun    = "zs27tjuiitpojko6uk54wm6j7u"
)

// soonAfter is a minute after those sessions were begun.
func soonAfter() time.Time { return time.UnixMilli(1795721768303).Add(time.Minute) }

// firstVersions are databases of version 1, each a new one with a way to open it.
var firstVersions = map[string]func(t testing.TB) (db string, open func() (Store, error)){
	"sqlite": func(t testing.TB) (string, func() (Store, error)) {
		data, err := os.ReadFile("testdata/sessions-v1.db")
		must(t, err)
		path := filepath.Join(t.TempDir(), "s.db")
		must(t, os.WriteFile(path, data, 0o600))
		return path, func() (Store, error) { return OpenSQLite(t.Context(), path) }
	},
	"postgres": func(t testing.TB) (string, func() (Store, error)) { return firstPostgres(t, postgresDSN(t)) },
	"pgbouncer": func(t testing.TB) (string, func() (Store, error)) {
		return firstPostgres(t, bouncerDSN(t))
	},
}

// firstPostgres fills a database with the tables and rows of version 1.
func firstPostgres(t testing.TB, dsn string) (string, func() (Store, error)) {
	text, err := os.ReadFile("testdata/sessions-v1.sql")
	must(t, err)
	db, err := sql.Open("pgx", dsn+"&default_query_exec_mode=simple_protocol")
	must(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), string(text))
	must(t, err)
	return dsn, func() (Store, error) { return OpenPostgres(t.Context(), dsn) }
}

// TestFirstFingerprint: a trained policy keeps the fingerprint that the program of version 1 gave it.
func TestFirstFingerprint(t *testing.T) {
	if got := policy(t, firstPolicy, dataset.Thresholds(6, 5), nil).play; got != firstPlay {
		t.Errorf("the fingerprint is %s, want %s: sessions that were begun cannot go on", got, firstPlay)
	}
}

// TestMigrate: servers that start at once on tables of version 1 bring them to this version, and every session is as it
// was and goes on.
func TestMigrate(t *testing.T) {
	for name, first := range firstVersions {
		t.Run(name, func(t *testing.T) {
			db, open := first(t)
			if version := versionOf(t, db); version != 1 {
				t.Fatalf("testdata is of version %d, want 1", version)
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					s, err := open()
					if err != nil {
						t.Error(err)
						return
					}
					_, turns, err := s.Load(t.Context(), halfWay)
					if err != nil || len(turns) != 4 {
						t.Errorf("%d turns, %v; want 4", len(turns), err)
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if version := versionOf(t, db); version != schemaVersion {
				t.Errorf("the tables are of version %d, want %d", version, schemaVersion)
			}
			checkFirst(t, open)
		})
	}
}

// checkFirst wants the sessions of version 1 as they were, and goes on with them.
func checkFirst(t *testing.T, open func() (Store, error)) {
	t.Helper()
	s := sessions(t, open, SessionOptions{Clock: soonAfter}, write(t, t.TempDir(), firstPolicy, dataset.Thresholds(6, 5), nil))
	outcomes := func(v *View) (text string) {
		for _, e := range v.History {
			text += fmt.Sprintf("%d %s %s %g; ", e.Step, e.Query.Text, e.Outcome, game.Answer(e.Answer).Value())
		}
		return text
	}
	for id, want := range map[string]string{
		halfWay:   "open x3 0 1 x5 answer 1; 2 x6 dont-know 0; 3 x5 answer -1; ",
		takenBack: "open x4 2.5 1 x3 answer -1; 2 x2 undo 0; 3 x3 answer 1; ",
		allDone:   "done  0 1 x4 answer 1; 2 x5 answer 1; 3 x6 answer 1; 4 x6 answer 1; 5 x6 answer 1; ",
		notBegun:  "open x4 0 ",
	} {
		v, err := s.View(t.Context(), id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		query := ""
		if v.Query != nil {
			query = v.Query.Text
		}
		if got := fmt.Sprintf("%s %s %g %s", v.State, query, v.StopMargin, outcomes(v)); got != want || v.Stop != 0 || v.Guess != nil {
			t.Errorf("session %s is %q, want %q; it stops at %g and guesses %v", id, got, want, v.Stop, v.Guess)
		}
		steps := v.Step
		for v.State == stateOpen {
			v = tell(t, s, v, game.Yes)
		}
		if v.State != stateDone || v.Step < steps {
			t.Errorf("session %s ends as %+v", id, v)
		}
	}
	n, first := someSession("half")
	must(t, s.store.Create(t.Context(), n, first))
	ok, err := s.store.Advance(t.Context(), step("half", first, game.ProbablyNot))
	mustBe(t, ok, err, true)
	if _, turns, err := s.store.Load(t.Context(), "half"); err != nil || turns[0].Answer != game.ProbablyNot {
		t.Errorf("a half answer is kept as %v, %v", turns, err)
	}
}

// database opens what a --db names, without any change.
func database(db string) (*sql.DB, error) {
	if IsPostgres(db) {
		return sql.Open("pgx", db+"&default_query_exec_mode=simple_protocol")
	}
	return sqlite(db, "busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)")
}

func versionOf(t testing.TB, db string) (version int) {
	t.Helper()
	conn, err := database(db)
	must(t, err)
	defer conn.Close()
	must(t, conn.QueryRowContext(t.Context(), `SELECT version FROM mapo_meta`).Scan(&version))
	return version
}

// errLeft is that a migration was over before it was to die.
var errLeft = errors.New("no statement is left")

// migrateAndDie is a helper: it migrates the database, and kills itself after so many statements.
func migrateAndDie(args []string) {
	ctx := context.Background()
	left, err := strconv.Atoi(args[1])
	var db *sql.DB
	if err == nil {
		db, err = database(args[0])
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
			var own []string
			if IsPostgres(args[0]) {
				own = []string{postgresFromFirst}
			}
			if err := migrate(exec, func() (v int, err error) { return v, tx.QueryRowContext(ctx, `SELECT version FROM mapo_meta`).Scan(&v) }, own...); err != nil {
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

// TestMigrateKilled: a program killed after any statement of a migration leaves version 1 with all its rows, and the next
// one migrates it.
func TestMigrateKilled(t *testing.T) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			db, open := firstVersions[name](t)
			kills := 0
			for ; ; kills++ {
				out, err := exec.Command(os.Args[0], "migrate", db, fmt.Sprint(kills+1)).CombinedOutput()
				if err == nil {
					break
				}
				if !strings.Contains(err.Error(), "killed") {
					t.Fatalf("after %d statements: %v %s", kills+1, err, out)
				}
				if version := versionOf(t, db); version != 1 {
					t.Fatalf("killed after %d statements it left version %d", kills+1, version)
				}
			}
			if least := len(schema) + len(fromFirst) + 1; kills < least {
				t.Errorf("killed %d times, want at least %d", kills, least)
			}
			checkFirst(t, open)
		})
	}
}
