package sessions_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// reads counts how often sessions are read.
type reads struct {
	database.Store
	n atomic.Int64
}

func (r *reads) Load(ctx context.Context, id string) (database.Session, []database.Turn, error) {
	r.n.Add(1)
	return r.Store.Load(ctx, id)
}

// two are servers that share a store, each with how often it has read a session.
func two(t *testing.T, open func() (database.Store, error), o sessions.Options) (list [2]*sessions.Sessions, read [2]*reads) {
	t.Helper()
	path := servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)
	for i := range list {
		read[i] = &reads{Store: servetest.Opened(t, open)}
		list[i] = servetest.Sessions(t, func() (database.Store, error) { return read[i], nil }, o, path)
	}
	return list, read
}

// TestHeld: a game at one server is never read; at two in turn it is the same game,
// also where the other one has undone, redrawn, deleted.
func TestHeld(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		list, read := two(t, open, sessions.Options{})
		a, b, ctx := list[0], list[1], t.Context()
		seed := uint64(3)
		started := func(at func(step int) *sessions.Sessions) (asked []int) {
			v := servetest.Begin(t, a, wire.NewSession{Policy: "t", Seed: &seed})
			for v.Query != nil {
				asked = append(asked, v.Query.Index)
				v = servetest.Tell(t, at(v.Step), v, middle(v))
			}
			return asked
		}
		alone := started(func(int) *sessions.Sessions { return a })
		if n := read[0].n.Load(); n != 0 || len(alone) != 6 {
			t.Errorf("a session of %d answers at one server was read %d times", len(alone), n)
		}
		if shared := started(func(step int) *sessions.Sessions { return list[step/2%2] }); !reflect.DeepEqual(shared, alone) {
			t.Errorf("asked %v at one server, %v at two", alone, shared)
		}

		v := servetest.Tell(t, a, servetest.Begin(t, a, wire.NewSession{Policy: "t"}), play.Yes)
		first := v
		undone, err := b.Undo(ctx, v.ID, &wire.UndoRequest{Step: v.Step})
		must(t, err)
		_, err = a.Answer(ctx, v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}})
		servetest.Faulty(t, err, 409, "step 2 was closed before")
		v = servetest.Tell(t, a, undone, play.No)
		if v.Step != 4 || v.Answers != 1 || v.Remaining != first.Remaining {
			t.Errorf("after an undo at the other server: %+v", v)
		}
		redrawn, err := b.Next(ctx, v.ID, []int{v.Query.Index})
		must(t, err)
		was := v.Query.Index
		_, err = a.Answer(ctx, v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}, Query: &wire.Ref{Index: was}})
		servetest.Faulty(t, err, 409, fmt.Sprintf("not query %d", was))
		_, err = a.Next(ctx, v.ID, nil)
		must(t, err)
		_, err = b.Next(ctx, v.ID, []int{redrawn.Query.Index}) // a holds the game as it was before
		must(t, err)
		v, err = a.Answer(ctx, v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}})
		must(t, err)
		seen, err := b.View(ctx, v.ID)
		must(t, err)
		if last := seen.History[len(seen.History)-1]; last.Answer.Answer != play.Probably || last.Query.Index == redrawn.Query.Index || v.Step != 5 {
			t.Errorf("after two draws at the other server: %+v", last)
		}
		must(t, b.Delete(ctx, v.ID))
		_, err = a.Answer(ctx, v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}})
		servetest.Faulty(t, err, 404, "no such session")
	})
}

// TestHeldExpires: what is held does not outlive its time.
func TestHeldExpires(t *testing.T) {
	now := servetest.SomeTime
	list, _ := two(t, servetest.Stores["sqlite"](t), sessions.Options{TTL: time.Hour, Clock: func() time.Time { return now }})
	v := servetest.Begin(t, list[0], wire.NewSession{Policy: "t"})
	now = now.Add(2 * time.Hour)
	_, err := list[0].Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Probably}})
	servetest.Faulty(t, err, 404, "may have expired")
}

// TestHeldRace: of those who answer a step at two servers at once one does, and what
// is held is changed by one request at a time.
func TestHeldRace(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		list, _ := two(t, open, sessions.Options{})
		v := servetest.Begin(t, list[0], wire.NewSession{Policy: "t"})
		for step := 1; step <= 6; step++ {
			var won atomic.Int64
			var group sync.WaitGroup
			for w := range 6 {
				group.Go(func() {
					_, err := list[w%2].Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: step, Answer: wire.Reply{Answer: play.Probably}, Annotator: fmt.Sprint(w)})
					if err == nil {
						won.Add(1)
					}
				})
			}
			group.Wait()
			if won.Load() != 1 {
				t.Errorf("step %d was answered %d times", step, won.Load())
			}
		}
		seen, err := list[0].View(t.Context(), v.ID)
		must(t, err)
		if len(seen.History) != 6 || seen.State != wire.StateDone {
			t.Errorf("at the end: %+v", seen)
		}
	})
}
