package learning_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/rng"
	"mapo/serve/database"
	"mapo/serve/dbtest"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
)

// largeTable writes a table of random shares.
func largeTable(t testing.TB, rows, cols int) string {
	t.Helper()
	draw := rng.New(1).Rand()
	large := &table.Table{Name: "large"}
	for row := range rows {
		large.Objects = append(large.Objects, fmt.Sprintf("object %d", row))
		large.Lines = append(large.Lines, row+2)
		for range cols {
			large.P = append(large.P, float64(1+draw.IntN(99))/100)
		}
	}
	for col := range cols {
		large.Queries = append(large.Queries, fmt.Sprintf("question %d?", col))
	}
	path := filepath.Join(t.TempDir(), "large.csv")
	f, err := os.Create(path)
	must(t, err)
	must(t, large.Write(f))
	must(t, f.Close())
	return path
}

// manyGames tells n games of random objects, 20 answers each, from 1,000 addresses.
func manyGames(t testing.TB, store database.Store, p *policies.Policy, n int) {
	t.Helper()
	names, shares, d, id := p.Problem().Names, p.Problem().Seek.(*game.Shares), p.Problem().Queries(), p.ID
	var all sync.WaitGroup
	for worker := range 128 {
		all.Go(func() {
			draw := rng.New(2).At(worker).Rand()
			for k := worker; k < n; k += 128 {
				object := draw.IntN(len(names))
				told := database.Told{ID: fmt.Sprintf("%s/game-%d", id, k), Policy: id, Objects: []int{object}, Truth: names[object], At: time.Now(), Learn: true,
					Client: database.Client{ID: fmt.Sprintf("a:%d", draw.IntN(1000)), Capped: true}}
				for _, query := range draw.Perm(d)[:20] {
					answer := play.No
					if draw.Float64() < shares.Row(object, d)[query] {
						answer = play.Yes
					}
					told.Answers = append(told.Answers, play.Answered{Query: query, Answer: answer})
				}
				if _, err := store.Tell(t.Context(), told); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestLargeLearned: a version of a large table after many games is built in a part of the time that it took to tell them.
func TestLargeLearned(t *testing.T) {
	rows, cols, games := 300, 100, 2_000
	if os.Getenv("MAPO_LONG") != "" {
		rows, cols, games = 1_000, 300, 100_000
	}
	path := largeTable(t, rows, cols)
	for name, open := range map[string]func() (database.Store, error){
		"sqlite": func() (database.Store, error) {
			return database.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "sessions.db"))
		},
		"postgres": func() (database.Store, error) { return database.OpenPostgres(t.Context(), dbtest.PostgresDSN(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "postgres" {
				suite.Long(t, "the same again in PostgreSQL")
			}
			o := learning.Options{On: true, Every: 50, Options: learn.Options{Select: learn.SelectOptions{Cap: 0.05, SetAside: true}}}
			store := servetest.Opened(t, open)
			s, set := servetest.Keeping(t, store, sessions.Options{Learn: o}, servetest.Learns, path)
			began := time.Now()
			manyGames(t, store, set.Get("large"), games)
			most := 3 * time.Since(began)
			t.Logf("%d games told in %v", games, (most / 3).Round(time.Millisecond))
			for version := range 3 {
				began, cpu := time.Now(), servetest.CPUTime()
				servetest.Tends(t, s)
				took, spent := time.Since(began), servetest.CPUTime()-cpu
				r, err := s.Review(t.Context(), "large")
				must(t, err)
				if now := set.Get("large").Summary(); now.Version != version+1 || r.Games != games+50*version || took > most {
					t.Errorf("version %d of %d games after %v", now.Version, r.Games, took)
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				t.Logf("version %d: %.2f s, %.2f s of processor time, %d clients aside, %d MB held", r.Version, took.Seconds(), spent.Seconds(), len(r.SetAside), m.HeapAlloc>>20)
				for k := range 50 {
					_, err := store.Tell(t.Context(), database.Told{ID: fmt.Sprintf("more-%d-%d", version, k), Policy: "large", Objects: []int{k}, At: time.Now(), Learn: true,
						Client: database.Client{ID: "l"}, Answers: []play.Answered{{Query: k, Answer: play.Yes}}})
					must(t, err)
				}
			}
			began = time.Now()
			sum := learn.Tally{}
			must(t, store.EachGame(t.Context(), "large", func(g database.Told) error {
				sum.AddGame(&learn.Played{Objects: g.Objects, Answers: g.Answers}, 1)
				return nil
			}))
			counts := sum.Cells()
			t.Logf("counted anew in %v", time.Since(began).Round(time.Millisecond))
			if now, err := store.Snapshot(t.Context(), "large"); err != nil || !slices.Equal(now.Counts, counts) {
				t.Errorf("the counts are not those of the games, %v", err)
			}
			began = time.Now()
			_, again := servetest.Keeping(t, store, sessions.Options{Learn: o}, servetest.Learns, path)
			t.Logf("started again in %v", time.Since(began).Round(time.Millisecond))
			if p := again.Get("large"); p.Hash() != set.Get("large").Hash() {
				t.Error("the version read from the store is another one")
			}
		})
	}
}
