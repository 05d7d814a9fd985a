package sessions_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// repeats is a mask of n numbers, all of them one of d.
func repeats(n, d int) []int {
	mask := make([]int, n)
	for i := range mask {
		mask[i] = (n - i) % d
	}
	return mask
}

// masks has those that a store is given.
type masks struct {
	database.Store
	list [][]int
}

func (m *masks) Create(ctx context.Context, s database.Session, first database.Turn) error {
	m.list = append(m.list, first.Mask)
	return m.Store.Create(ctx, s, first)
}

func (m *masks) Advance(ctx context.Context, a database.Advance) (bool, error) {
	m.list = append(m.list, a.Next.Mask)
	return m.Store.Advance(ctx, a)
}

func (m *masks) Redraw(ctx context.Context, id string, was int, t database.Turn, now time.Time) (bool, error) {
	m.list = append(m.list, t.Mask)
	return m.Store.Redraw(ctx, id, was, t, now)
}

// TestMaskIsKeptOnce: however often a mask names a query it is kept once, whatever the
// request, and the turns in memory have none.
func TestMaskIsKeptOnce(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := &masks{Store: servetest.Opened(t, open)}
		s, _ := servetest.Keeping(t, store, sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
		ctx, mask := t.Context(), repeats(10_000, 3)
		v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Mask: mask})
		v, err := s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}, Mask: mask})
		must(t, err)
		v, err = s.Next(ctx, v.ID, append(mask, v.Query.Index))
		must(t, err)
		v, err = s.Undo(ctx, v.ID, &wire.UndoRequest{Step: v.Step, Mask: mask[:1000]})
		must(t, err)
		for n, kept := range store.list {
			if len(kept) < 3 || len(kept) > 4 || !slices.IsSorted(kept) {
				t.Errorf("draw %d keeps %d of the mask: %.60v", n+1, len(kept), kept)
			}
		}
		if len(store.list) != 4 {
			t.Errorf("%d draws", len(store.list))
		}
		for _, turn := range s.HeldTurns(v.ID) {
			if turn.Mask != nil {
				t.Errorf("step %d has a mask in memory", turn.Step)
			}
		}
		_, err = s.Undo(ctx, servetest.Begin(t, s, wire.NewSession{Policy: "t"}).ID, &wire.UndoRequest{Step: 1, Mask: []int{8}})
		servetest.Faulty(t, err, 409, "no answer to undo")
		v = servetest.Tell(t, s, servetest.Begin(t, s, wire.NewSession{Policy: "t"}), play.Yes)
		_, err = s.Undo(ctx, v.ID, &wire.UndoRequest{Step: v.Step, Mask: []int{8}})
		servetest.Faulty(t, err, 422, "the mask names query 8")
	})
}

// TestMasksTakeNoMemory: forty turns with a mask of 200,000 numbers.
func TestMasksTakeNoMemory(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Animals(t), nil))
	mask := repeats(200_000, 50)
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Mask: mask})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 20 {
		next, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}, Mask: mask})
		must(t, err)
		v, err = s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: next.Step, Mask: mask})
		must(t, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(mask)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("the heap has grown by %d KB", grown>>10)
	}
}

// TestKeptTexts: texts have a bound for every way in, as the verbs of agents.
func TestKeptTexts(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	_, err := s.Create(t.Context(), &wire.NewSession{Policy: "t", Title: strings.Repeat("é", sessions.MostTitle+1)})
	servetest.Faulty(t, err, 422, "the title has 201 characters, more than 200")
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Title: strings.Repeat("é", sessions.MostTitle)})
	c := servetest.Agent(t, s)
	_, told := servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": 1, "answer": "yes", "by": strings.Repeat("x", sessions.MostAnnotator+1)})
	if !strings.Contains(told, "the annotator has 101 characters, more than 100") {
		t.Errorf("a long annotator: %q", told)
	}
}

// TestLongSession: a session of very many turns has an end to its undos, never to its
// answers.
func TestLongSession(t *testing.T) {
	s := servetest.Sessions(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }, sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	ctx := t.Context()
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	var took []time.Duration
	for {
		began := time.Now()
		next, err := s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}})
		must(t, err)
		undone, err := s.Undo(ctx, v.ID, &wire.UndoRequest{Step: next.Step})
		if err != nil {
			servetest.Faulty(t, err, 409, fmt.Sprintf("the session is at step %d, and answers can be taken back up to step 1014", next.Step))
			v = next
			break
		}
		took = append(took, time.Since(began))
		v = undone
	}
	if v.Step < sessions.FreeSteps || v.Step > sessions.FreeSteps+20 {
		t.Errorf("the last undo was before step %d", v.Step)
	}
	early, late := took[:50], took[len(took)-50:]
	slices.Sort(early)
	slices.Sort(late)
	t.Logf("an answer and its undo: %v at first, %v at step %d", early[25], late[25], v.Step)
	for v.Query != nil {
		v = servetest.Tell(t, s, v, play.Yes)
	}
	began := time.Now()
	seen, err := s.View(ctx, v.ID)
	must(t, err)
	t.Logf("all %d turns: %v", len(seen.History), time.Since(began))
	if v.State != wire.StateDone || len(seen.History) > sessions.FreeSteps+30 {
		t.Errorf("at the end: %s, %d turns", v.State, len(seen.History))
	}
}
