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

	"mapo/data/dataset"
	"mapo/data/learn"
	"mapo/game/play"
	"mapo/internal/suite"
)

// helpers are what the test binary does where it is called as "BINARY NAME ARGUMENT…".
var helpers = map[string]func(args []string){"migrate": migrateAndDie, "player": player, "builder": builder, "teller": teller}

// The sessions of testdata were made by the program that wrote version 1, with a policy for these thresholds.
const (
	firstPolicy = "thresholds"
	firstPlay   = "603b4f8a8cfa0aeb9ba5ead8eeb6df01" // playOf's of that policy, as that program had it
	halfWay     = "ja7vna3lgu2dymj5k5zbnebn6m"
	takenBack   = "rdv5bv3iqovpijbeeblzmzr4h4"
	allDone     = "uhhsrzm3mwgjjxprj2v2kymt2e"
	notBegun    = "zs27tjuiitpojko6uk54wm6j7u"
)

// Those of version 2 were made by the program that wrote it, with testdata/second.csv.
const (
	secondPlay  = "91d02ce673d3f9bcaf6612408dd49fa7"
	secondHalf  = "rjl3kinj6nuqfgfrvdxipldkb4"
	secondGuess = "jf3hqitj5wbwvp4kjiru77gv7a"
	secondRight = "y64wxzq3skjidygujoe55tyskm"
	secondNot   = "rowt2gifqgmztsolv2uf6hqyum"
)

// Those of version 3 were made by the program that wrote it, with the same table.
const (
	thirdHalf  = "xqd2phtseiimm2rl3svzrdqera"
	thirdTold  = "x3z7q2we725w7hjy4bnlsddpzy"
	thirdRight = "qauulyh4fa7gvyvx6fssdsb26i"
	thirdNot   = "a4siwmav7zh5wlz3j3gwumvysm"
)

// older are the versions of the tables before this one.
var older = map[int]struct {
	last  int64                                                      // when the newest session was begun
	check func(t *testing.T, last int64, open func() (Store, error)) // wants the sessions as they were, and goes on with them
}{
	1: {1795721768303, checkFirst},
	2: {1795728760824, checkSecond},
	3: {1795800029000, checkThird},
}

// soonAfter is a clock that begins a minute after a time.
func soonAfter(ms int64) func() time.Time {
	return func() time.Time { return time.UnixMilli(ms).Add(time.Minute) }
}

// olderKinds are databases of an older version, each a new one with a way to open it.
var olderKinds = map[string]func(t testing.TB, version int) (db string, open func() (Store, error)){
	"sqlite": func(t testing.TB, version int) (string, func() (Store, error)) {
		data, err := os.ReadFile(fmt.Sprintf("testdata/sessions-v%d.db", version))
		must(t, err)
		path := filepath.Join(t.TempDir(), "s.db")
		must(t, os.WriteFile(path, data, 0o600))
		return path, func() (Store, error) { return OpenSQLite(t.Context(), path) }
	},
	"postgres": func(t testing.TB, version int) (string, func() (Store, error)) {
		return olderPostgres(t, version, postgresDSN(t))
	},
	"pgbouncer": func(t testing.TB, version int) (string, func() (Store, error)) {
		return olderPostgres(t, version, bouncerDSN(t))
	},
}

// olderPostgres fills a database with the tables and rows of an older version.
func olderPostgres(t testing.TB, version int, dsn string) (string, func() (Store, error)) {
	text, err := os.ReadFile(fmt.Sprintf("testdata/sessions-v%d.sql", version))
	must(t, err)
	db, err := sql.Open("pgx", dsn+"&default_query_exec_mode=simple_protocol")
	must(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), string(text))
	must(t, err)
	return dsn, func() (Store, error) { return OpenPostgres(t.Context(), dsn) }
}

// eachOlder runs a test over every older version in databases of some kinds.
func eachOlder(t *testing.T, kinds []string, test func(t *testing.T, version int, db string, open func() (Store, error))) {
	for version := range older {
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%d/%s", version, kind), func(t *testing.T) {
				db, open := olderKinds[kind](t, version)
				if got := versionOf(t, db); got != version {
					t.Fatalf("testdata is of version %d, want %d", got, version)
				}
				test(t, version, db, open)
			})
		}
	}
}

// fingerprint returns what the store keeps of a policy's game with its sessions.
func fingerprint(t *testing.T, p *Policy) string {
	t.Helper()
	s, _ := keeping(t, opened(t, func() (Store, error) { return OpenTemporary(t.Context()) }), SessionOptions{}, func(string) (*Policy, error) { return p, nil }, p.ID)
	begin(t, s, NewSession{Policy: p.ID})
	list, err := s.List(t.Context(), "", 1)
	must(t, err)
	return list[0].Play
}

// TestOlderFingerprints: a policy keeps the fingerprint that older programs gave it.
func TestOlderFingerprints(t *testing.T) {
	second, err := secondOpener("testdata/second.csv")
	must(t, err)
	for _, c := range []struct {
		policy *Policy
		want   string
	}{{policy(t, firstPolicy, dataset.Thresholds(6, 5), nil), firstPlay}, {second, secondPlay}} {
		if got := fingerprint(t, c.policy); got != c.want {
			t.Errorf("the fingerprint of %s is %s, want %s: sessions that were begun cannot go on", c.policy.ID, got, c.want)
		}
	}
	if got := fingerprint(t, second); len(got) < 32 || !strings.HasPrefix(second.Hash(), got) {
		t.Errorf("without training, the fingerprint is %s and the hash %s", got, second.Hash())
	}
}

// TestMigrate: servers that start at once on tables of an older version bring them to this one, and every session is as
// it was and goes on.
func TestMigrate(t *testing.T) {
	eachOlder(t, []string{"sqlite", "postgres", "pgbouncer"}, func(t *testing.T, version int, db string, open func() (Store, error)) {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				s, err := open()
				if err != nil {
					t.Error(err)
					return
				}
				if list, err := s.List(t.Context(), "", 10); err != nil || len(list) != 4 {
					t.Errorf("%d sessions, %v; want 4", len(list), err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := versionOf(t, db); got != schemaVersion {
			t.Errorf("the tables are of version %d, want %d", got, schemaVersion)
		}
		older[version].check(t, older[version].last, open)
		checkTruths(t, open)
	})
}

// checkTruths tells and withdraws a truth in migrated tables.
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

// checkFirst wants the sessions of version 1 as they were, and goes on with them.
func checkFirst(t *testing.T, last int64, open func() (Store, error)) {
	t.Helper()
	store := opened(t, open)
	s, _ := keeping(t, store, SessionOptions{Clock: soonAfter(last)}, nil, write(t, t.TempDir(), firstPolicy, dataset.Thresholds(6, 5), nil))
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
		if got := fmt.Sprintf("%s %s %g %s", v.State, query, v.StopMargin, outcomesOf(v)); got != want || v.Stop != 0 || v.Guess != nil {
			t.Errorf("session %s is %q, want %q; it stops at %g and guesses %v", id, got, want, v.Stop, v.Guess)
		}
		steps := v.Step
		for v.State == stateOpen {
			v = tell(t, s, v, play.Yes)
		}
		if v.State != stateDone || v.Step < steps {
			t.Errorf("session %s ends as %+v", id, v)
		}
	}
	n, first := someSession("half")
	must(t, store.Create(t.Context(), n, first))
	ok, err := store.Advance(t.Context(), step("half", first, play.ProbablyNot))
	mustBe(t, ok, err, true)
	if _, turns, err := store.Load(t.Context(), "half"); err != nil || turns[0].Answer != play.ProbablyNot {
		t.Errorf("a half answer is kept as %v, %v", turns, err)
	}
}

// outcomesOf is a session's turns as a text.
func outcomesOf(v *View) (text string) {
	for _, e := range v.History {
		about := e.Query
		if about == nil {
			about = e.Guess
		}
		text += fmt.Sprintf("%d %s %s %g; ", e.Step, about.Text, e.Outcome, e.Answer.Answer.Value())
	}
	return text
}

// secondOpener opens testdata/second.csv as the program of version 2 did.
func secondOpener(path string) (*Policy, error) {
	return opener(dataset.RowOptions{}, Rules{Stop: 0.95})(path)
}

// checkSecond wants the sessions of version 2 as they were, and goes on with them.
func checkSecond(t *testing.T, last int64, open func() (Store, error)) {
	t.Helper()
	checkRows(t, last, open, map[string]string{
		secondHalf:  "open 0.95 1 q? answer 0.5; 2 r? undo 0; 3 q? answer -0.5; 4 r? dont-know 0; ",
		secondGuess: "guess 0.95 1 q? answer 1; 2 r? answer 1; 3 p? answer 1; 4 s? answer 1; ",
		secondRight: "done 0.95 1 q? answer -1; 2 r? answer -1; 3 p? answer -1; 4 s? answer -1; 5 D right 0; ",
		secondNot:   "open 0.8 ",
	})
}

// checkThird wants the sessions of version 3 as they were, and goes on with them.
func checkThird(t *testing.T, last int64, open func() (Store, error)) {
	t.Helper()
	checkRows(t, last, open, map[string]string{
		thirdHalf:  "open 0.95 1 q? answer 0.5; 2 r? undo 0; 3 q? answer -1; ",
		thirdTold:  "done 0.8 1 q? answer 1; was A",
		thirdRight: "done 0.95 1 q? answer -1; 2 r? answer -1; 3 p? answer -1; 4 s? answer -1; 5 D right 0; was D",
		thirdNot:   "open 0.95 ",
	})
}

// checkRows wants sessions of testdata/second.csv to be as they were, and goes on with them.
func checkRows(t *testing.T, last int64, open func() (Store, error), sessions map[string]string) {
	t.Helper()
	set, err := NewSet([]string{"testdata/second.csv"}, secondOpener)
	must(t, err)
	s, err := NewSessions(t.Context(), set, opened(t, open), SessionOptions{Clock: soonAfter(last)})
	must(t, err)
	for id, want := range sessions {
		v, err := s.View(t.Context(), id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		got := fmt.Sprintf("%s %g %s", v.State, v.Stop, outcomesOf(v))
		if v.Truth != nil {
			got += "was " + v.Truth.Text
		}
		if got != want {
			t.Errorf("session %s is %q, want %q", id, got, want)
		}
		for v.State == stateOpen {
			v = tell(t, s, v, play.ProbablyNot)
		}
		for v.State == stateGuess {
			v, err = s.Guess(t.Context(), id, &GuessRequest{Step: v.Step, Right: true})
			must(t, err)
		}
		if v.State != stateDone {
			t.Errorf("session %s ends as %+v", id, v)
		}
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

// TestMigrateKilled: a program killed after any statement of a migration leaves the version that it found, with all its
// rows, and the next one migrates it.
func TestMigrateKilled(t *testing.T) {
	suite.Long(t, "kills a program after each statement")
	t.Parallel()
	eachOlder(t, []string{"sqlite", "postgres"}, func(t *testing.T, version int, db string, open func() (Store, error)) {
		kills := 0
		for ; ; kills++ {
			out, err := exec.Command(os.Args[0], "migrate", db, fmt.Sprint(kills+1)).CombinedOutput()
			if err == nil {
				break
			}
			if !strings.Contains(err.Error(), "killed") {
				t.Fatalf("after %d statements: %v %s", kills+1, err, out)
			}
			if got := versionOf(t, db); got != version {
				t.Fatalf("killed after %d statements it left version %d", kills+1, got)
			}
		}
		least := len(schema) + len(fromThird) + len(indexes) + 1
		if version < 3 {
			least += len(fromSecond)
		}
		if version == 1 {
			least += len(fromFirst)
		}
		if kills < least {
			t.Errorf("killed %d times, want at least %d", kills, least)
		}
		older[version].check(t, older[version].last, open)
	})
}
