package serve

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/game/play"
)

// repeats is a mask of n numbers, all of them one of d.
func repeats(n, d int) []int {
	mask := make([]int, n)
	for i := range mask {
		mask[i] = (n - i) % d
	}
	return mask
}

// TestMaskIsKeptOnce: however often a mask names a query it is kept once, whatever the
// request, and the turns in memory have none.
func TestMaskIsKeptOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		store := opened(t, open)
		s, _ := keeping(t, store, SessionOptions{}, nil, write(t, t.TempDir(), "t", wheels(), nil))
		ctx, mask := t.Context(), repeats(10_000, 3)
		v := begin(t, s, NewSession{Policy: "t", Mask: mask})
		v, err := s.Answer(ctx, v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Probably}, Mask: mask})
		must(t, err)
		v, err = s.Next(ctx, v.ID, append(mask, v.Query.Index))
		must(t, err)
		v, err = s.Undo(ctx, v.ID, &UndoRequest{Step: v.Step, Mask: mask[:1000]})
		must(t, err)
		rows, err := sqlOf(store).db.QueryContext(ctx, `SELECT mask FROM mapo_turns WHERE session = $1 ORDER BY step`, v.ID)
		must(t, err)
		defer rows.Close()
		n := 0
		for ; rows.Next(); n++ {
			var text string
			var kept []int
			must(t, rows.Scan(&text))
			must(t, json.Unmarshal([]byte(text), &kept))
			if len(kept) < 3 || len(kept) > 4 || !slices.IsSorted(kept) {
				t.Errorf("step %d keeps %d of the mask: %.60s", n+1, len(kept), text)
			}
		}
		must(t, rows.Err())
		if n != 3 {
			t.Errorf("%d turns", n)
		}
		for _, turn := range s.held.take(v.ID).turns {
			if turn.Mask != nil {
				t.Errorf("step %d has a mask in memory", turn.Step)
			}
		}
		_, err = s.Undo(ctx, begin(t, s, NewSession{Policy: "t"}).ID, &UndoRequest{Step: 1, Mask: []int{8}})
		faulty(t, err, 409, "no answer to undo")
		v = tell(t, s, begin(t, s, NewSession{Policy: "t"}), play.Yes)
		_, err = s.Undo(ctx, v.ID, &UndoRequest{Step: v.Step, Mask: []int{8}})
		faulty(t, err, 422, "the mask names query 8")
	})
}

// TestMasksTakeNoMemory: forty turns with a mask of 200,000 numbers.
func TestMasksTakeNoMemory(t *testing.T) {
	s := sessions(t, stores["sqlite"](t), SessionOptions{}, write(t, t.TempDir(), "t", animals(t), nil))
	mask := repeats(200_000, 50)
	v := begin(t, s, NewSession{Policy: "t", Mask: mask})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 20 {
		next, err := s.Answer(t.Context(), v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Probably}, Mask: mask})
		must(t, err)
		v, err = s.Undo(t.Context(), v.ID, &UndoRequest{Step: next.Step, Mask: mask})
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
	s := sessions(t, stores["sqlite"](t), SessionOptions{}, write(t, t.TempDir(), "t", wheels(), nil))
	_, err := s.Create(t.Context(), &NewSession{Policy: "t", Title: strings.Repeat("é", mostTitle+1)})
	faulty(t, err, 422, "the title has 201 characters, more than 200")
	v := begin(t, s, NewSession{Policy: "t", Title: strings.Repeat("é", mostTitle)})
	c := agent(t, s)
	_, told := verb(t, c, "answer", map[string]any{"session": v.ID, "step": 1, "answer": "yes", "by": strings.Repeat("x", mostAnnotator+1)})
	if !strings.Contains(told, "the annotator has 101 characters, more than 100") {
		t.Errorf("a long annotator: %q", told)
	}
}

// TestLongSession: a session of very many turns has an end to its undos, never to its
// answers.
func TestLongSession(t *testing.T) {
	s := sessions(t, func() (Store, error) { return OpenTemporary(t.Context()) }, SessionOptions{}, write(t, t.TempDir(), "t", wheels(), nil))
	ctx := t.Context()
	v := begin(t, s, NewSession{Policy: "t"})
	var took []time.Duration
	for {
		began := time.Now()
		next, err := s.Answer(ctx, v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Probably}})
		must(t, err)
		undone, err := s.Undo(ctx, v.ID, &UndoRequest{Step: next.Step})
		if err != nil {
			faulty(t, err, 409, fmt.Sprintf("the session is at step %d, and answers can be taken back up to step 1014", next.Step))
			v = next
			break
		}
		took = append(took, time.Since(began))
		v = undone
	}
	if v.Step < freeSteps || v.Step > freeSteps+20 {
		t.Errorf("the last undo was before step %d", v.Step)
	}
	early, late := took[:50], took[len(took)-50:]
	slices.Sort(early)
	slices.Sort(late)
	t.Logf("an answer and its undo: %v at first, %v at step %d", early[25], late[25], v.Step)
	for v.Query != nil {
		v = tell(t, s, v, play.Yes)
	}
	began := time.Now()
	seen, err := s.View(ctx, v.ID)
	must(t, err)
	t.Logf("all %d turns: %v", len(seen.History), time.Since(began))
	if v.State != stateDone || len(seen.History) > freeSteps+30 {
		t.Errorf("at the end: %s, %d turns", v.State, len(seen.History))
	}
}
