package web

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/internal/suite"
	"mapo/rng"
	"mapo/serve/database"
	"mapo/serve/dbtest"
	"mapo/serve/learning"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// pupil plays sessions that end with a right guess, and notes those whose truth the server has confirmed.
type pupil struct {
	labeller
	told []string
	all  *atomic.Int64 // that all pupils noted
}

func (g *pupil) play() {
	draw := rng.New(1).Name(g.name).Rand()
	objects := []string{"dog", "cat", "Budgie", "parrot"}
	for !g.stop.Load() {
		object, v := objects[draw.IntN(len(objects))], wire.View{}
		g.send("/v1/sessions", `{"policy": "pets", "guess": true, "stop": 0.6}`, &v)
		for !g.stop.Load() && v.State == wire.StateOpen {
			g.send("/v1/sessions/"+v.ID+"/answers", fmt.Sprintf(`{"step": %d, "answer": %g}`, v.Step, servetest.AnswerFor(object, v.Query.Text).Value()), &v)
		}
		for !g.stop.Load() && v.State == wire.StateGuess {
			right := v.Guess.Text == object
			if status := g.send("/v1/sessions/"+v.ID+"/guess", fmt.Sprintf(`{"step": %d, "right": %v}`, v.Step, right), &v); right && status == 200 {
				g.told = append(g.told, v.ID)
				g.all.Add(1)
			}
		}
	}
}

// TestKilledWhileLearning kills a server that builds version after version. No confirmed truth is lost or counted twice,
// and the versions are those of the games.
func TestKilledWhileLearning(t *testing.T) {
	suite.Long(t, "kills servers of two databases")
	t.Parallel()
	bin := mapoProgram(t)
	kills := 3
	if os.Getenv("MAPO_LONG") != "" {
		kills = 30
	}
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "sessions.db")
			open := func() (database.Store, error) { return database.OpenSQLite(t.Context(), db) }
			if name != "sqlite" {
				db = dbtest.PostgresDSN(t)
				open = func() (database.Store, error) { return database.OpenPostgres(t.Context(), db) }
			}
			path := servetest.WriteTable(t, servetest.Pets)
			p := newProcess(t, bin, db, path, "--learn", "--learn-every=1")
			p.start()
			var stop atomic.Bool
			var all atomic.Int64
			var list []*pupil
			var group sync.WaitGroup
			for w := range 4 {
				g := &pupil{labeller: labeller{t: t, addr: p.addr, name: fmt.Sprintf("w%d", w), stop: &stop}, all: &all}
				list = append(list, g)
				group.Go(g.play)
			}
			pause := rng.New(uint64(time.Now().UnixNano())).Stream()
			for range kills {
				progress(t, &all, 2)
				time.Sleep(time.Duration(500*pause.Float64()) * time.Millisecond)
				p.kill()
				p.start()
			}
			progress(t, &all, 2)
			suite.Await(t, func() bool { return pageOf(t, p.addr, "pets").Version >= 2 }, func() string { return "no second version comes" })
			stop.Store(true)
			group.Wait()
			p.kill()
			store := servetest.Opened(t, open)
			told := 0
			for _, g := range list {
				for _, id := range g.told {
					if _, err := store.Game(t.Context(), id); err != nil {
						t.Errorf("a confirmed truth is lost: %v", err)
					}
				}
				told += len(g.told)
			}
			s, _ := servetest.Learning(t, store, sessions.Options{Learn: learning.Options{Every: 1}}, path)
			servetest.Tends(t, s)
			sum, games := learn.Tally{}, 0
			must(t, store.EachGame(t.Context(), "pets", func(g database.Told) error {
				games++
				sum.AddGame(&learn.Played{Objects: g.Objects, Answers: g.Answers}, 1)
				return nil
			}))
			now, err := store.Snapshot(t.Context(), "pets")
			must(t, err)
			_, cells, err := store.Cells(t.Context(), "pets", now.Version)
			must(t, err)
			if want := sum.Cells(); !slices.Equal(now.Counts, want) || !slices.Equal(cells, want) {
				t.Errorf("the counts are %v, the version's %v, and the games say %v", now.Counts, cells, want)
			}
			t.Logf("%d confirmed truths, %d games, %d versions", told, games, now.Version)
			if told < 5 || now.Version < 2 {
				t.Errorf("only %d truths and %d versions", told, now.Version)
			}
		})
	}
}
