package database

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/game/play"
	"mapo/serve/dbtest"
)

// TestPrune: kept are the newest versions, every tenth and those that open sessions use, each with the sums that it had.
func TestPrune(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		for id, version := range map[string]int{"seven": 7, "told": 24, "none": 0} {
			n, first := someSession(id)
			n.Version = version
			must(t, s.Create(ctx, n, first))
		}
		mustTell(t, s, someTruth("told", 1, 0), TellNew)
		r, sum, sums := rand.New(rand.NewPCG(1, 1)), learn.Tally{}, [][]Cell{nil}
		build := func() {
			t.Helper()
			some := learn.Tally{}
			for range 5 {
				some.Add(r.IntN(4), r.IntN(3)-1, r.Int64N(7)-3, r.Int64N(3))
			}
			for _, c := range some.Cells() {
				sum.Add(c.Object, c.Question, c.Yes, c.No)
			}
			sums = append(sums, sum.Cells())
			ran, err := s.Exclusive(ctx, "p", func(write func(VersionWrite) error) error {
				return write(VersionWrite{VersionInfo: VersionInfo{Version: len(sums) - 1, Built: someTime}, Cells: some.Cells()})
			})
			mustBe(t, ran, err, true)
		}
		check := func(also ...int) {
			t.Helper()
			newest := len(sums) - 1
			var want []int
			for v := 1; v <= newest; v++ {
				if v > newest-keptVersions || v%everyVersion == 0 || slices.Contains(also, v) {
					want = append(want, v)
				} else if _, _, err := s.Cells(ctx, "p", v); !errors.Is(err, ErrNoVersion) {
					t.Errorf("version %d: %v", v, err)
				}
			}
			list, err := s.Versions(ctx, "p")
			must(t, err)
			var got []int
			for _, v := range list {
				got = append(got, v.Version)
				if _, cells, err := s.Cells(ctx, "p", v.Version); err != nil || !reflect.DeepEqual(cells, sums[v.Version]) {
					t.Errorf("version %d has %v, %v; want %v", v.Version, cells, err, sums[v.Version])
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("the versions are %v, want %v", got, want)
			}
		}
		for range 85 {
			build()
		}
		check(7)
		had, err := s.Delete(ctx, "seven")
		mustBe(t, had, err, true)
		build()
		check()
	})
}

// openDB opens what a --db names.
func openDB(ctx context.Context, db string) (Store, error) {
	if IsPostgres(db) {
		return OpenPostgres(ctx, db)
	}
	return OpenSQLite(ctx, db)
}

// builder is a helper: it builds versions up to one, and says each.
func builder(args []string) {
	ctx := context.Background()
	var last int
	_, err := fmt.Sscan(args[1], &last)
	var s Store
	if err == nil {
		s, err = openDB(ctx, args[0])
	}
	for done := false; err == nil && !done; {
		built := 0
		_, err = s.Exclusive(ctx, "p", func(write func(VersionWrite) error) error {
			l, err := s.Learning(ctx, "p")
			if done = l.Version >= last; err != nil || done {
				return err
			}
			time.Sleep(5 * time.Millisecond)
			built = l.Version + 1
			return write(VersionWrite{VersionInfo: VersionInfo{Version: built, Built: someTime}, Cells: []Cell{cell(0, 0, 1, 0)}})
		})
		switch {
		case errors.Is(err, ErrBuilt) && !IsPostgres(args[0]): // another process was faster
			err = nil
		case err == nil && built > 0:
			fmt.Println(built)
		default:
			time.Sleep(time.Millisecond)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// TestExclusive: several processes build each version once, also where one of them is killed at work. On PostgreSQL none
// works in vain.
func TestExclusive(t *testing.T) {
	for name, db := range map[string]func() string{
		"sqlite":    func() string { return t.TempDir() + "/s.db" },
		"postgres":  func() string { return dbtest.PostgresDSN(t) },
		"pgbouncer": func() string { return dbtest.BouncerDSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			const last = 40
			db := db()
			var all []string
			said := make(chan string, 10*last)
			var list []*exec.Cmd
			for range 3 {
				cmd := exec.Command(os.Args[0], "builder", db, fmt.Sprint(last))
				var complaint strings.Builder
				cmd.Stderr = &complaint
				out, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				list = append(list, cmd)
				killed := len(list) == 1
				go func() {
					for lines := bufio.NewScanner(out); lines.Scan(); {
						said <- lines.Text()
						if killed {
							_ = cmd.Process.Kill()
						}
					}
					if err := cmd.Wait(); err != nil && !killed {
						t.Errorf("a builder ends with %v: %s", err, complaint.String())
					}
					said <- "end"
				}()
			}
			for ended := 0; ended < len(list); {
				if line := <-said; line == "end" {
					ended++
				} else {
					all = append(all, line)
				}
			}
			slices.Sort(all)
			if once := slices.Compact(slices.Clone(all)); len(once) != len(all) || len(all) < last-1 { // the killed one may not have said its last
				t.Errorf("built are %v", all)
			}
			s := opened(t, func() (Store, error) { return openDB(t.Context(), db) })
			versions, err := s.Versions(t.Context(), "p")
			must(t, err)
			_, sum, err := s.Cells(t.Context(), "p", last)
			if err != nil || len(versions) != last || sum[0].Yes != last {
				t.Errorf("%d versions with the counts %v, %v", len(versions), sum, err)
			}
		})
	}
}

// TestLongSnapshot: a snapshot of 100,000 games of 20 answers on 1,000 objects and 300 questions takes at most 2 s.
func TestLongSnapshot(t *testing.T) {
	long(t)
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			s, ctx := opened(t, stores[name](t)), t.Context()
			enlisted(t, s, "p", 1000, 300)
			r, sum := rand.New(rand.NewPCG(1, 2)), tally{}
			const blocks, each = 100, 1000
			for range blocks {
				must(t, sqlOf(s).write(ctx, func(w writer) error {
					for range each {
						var answers []play.Answered
						for _, q := range r.Perm(300)[:20] {
							answers = append(answers, play.Answered{Query: q, Answer: play.OfHalves(2 - 4*int64(r.IntN(2)))})
						}
						if _, err := keepGame(w, someTruth(NewID(), 0, r.IntN(1000), answers...), false, sum); err != nil {
							return err
						}
					}
					return nil
				}))
			}
			must(t, sqlOf(s).write(ctx, func(w writer) error { return sqlOf(s).add(w, sum) }))
			best := time.Hour
			for range 3 {
				began := time.Now()
				v, err := s.Snapshot(ctx, "p")
				must(t, err)
				best = min(best, time.Since(began))
				if len(v.Games) != blocks*each || len(v.Counts) != len(sum["p"].cells) {
					t.Fatalf("the snapshot has %d games and %d cells", len(v.Games), len(v.Counts))
				}
			}
			if t.Logf("a snapshot takes %v", best); best > 2*time.Second {
				t.Errorf("a snapshot takes %v", best)
			}
		})
	}
}
