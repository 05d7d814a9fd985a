package serve

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"mapo/game/play"
	"mapo/policy/nn"
)

// reads counts how often sessions are read.
type reads struct {
	Store
	n atomic.Int64
}

func (r *reads) Load(ctx context.Context, id string) (Session, []Turn, error) {
	r.n.Add(1)
	return r.Store.Load(ctx, id)
}

// two are servers that share a store, each with how often it has read a session.
func two(t *testing.T, open func() (Store, error), o SessionOptions) (list [2]*Sessions, read [2]*reads) {
	t.Helper()
	path := write(t, t.TempDir(), "t", wheels(), nil)
	for i := range list {
		read[i] = &reads{Store: opened(t, open)}
		list[i] = sessions(t, func() (Store, error) { return read[i], nil }, o, path)
	}
	return list, read
}

// TestHeld: a game at one server is never read; at two in turn it is the same game,
// also where the other one has undone, redrawn, deleted.
func TestHeld(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		list, read := two(t, open, SessionOptions{})
		a, b, ctx := list[0], list[1], t.Context()
		seed := uint64(3)
		started := func(at func(step int) *Sessions) (asked []int) {
			v := begin(t, a, NewSession{Policy: "t", Seed: &seed})
			for v.Query != nil {
				asked = append(asked, v.Query.Index)
				v = tell(t, at(v.Step), v, middle(v))
			}
			return asked
		}
		alone := started(func(int) *Sessions { return a })
		if n := read[0].n.Load(); n != 0 || len(alone) != 6 {
			t.Errorf("a session of %d answers at one server was read %d times", len(alone), n)
		}
		if shared := started(func(step int) *Sessions { return list[step/2%2] }); !reflect.DeepEqual(shared, alone) {
			t.Errorf("asked %v at one server, %v at two", alone, shared)
		}

		v := tell(t, a, begin(t, a, NewSession{Policy: "t"}), play.Yes)
		first := v
		undone, err := b.Undo(ctx, v.ID, &UndoRequest{Step: v.Step})
		must(t, err)
		_, err = a.Answer(ctx, v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Probably}})
		faulty(t, err, 409, "step 2 was closed before")
		v = tell(t, a, undone, play.No)
		if v.Step != 4 || v.Answers != 1 || v.Remaining != first.Remaining {
			t.Errorf("after an undo at the other server: %+v", v)
		}
		redrawn, err := b.Next(ctx, v.ID, []int{v.Query.Index})
		must(t, err)
		was := v.Query.Index
		_, err = a.Answer(ctx, v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Probably}, Query: &Ref{Index: was}})
		faulty(t, err, 409, fmt.Sprintf("not query %d", was))
		_, err = a.Next(ctx, v.ID, nil)
		must(t, err)
		_, err = b.Next(ctx, v.ID, []int{redrawn.Query.Index}) // a holds the game as it was before
		must(t, err)
		v, err = a.Answer(ctx, v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Probably}})
		must(t, err)
		seen, err := b.View(ctx, v.ID)
		must(t, err)
		if last := seen.History[len(seen.History)-1]; last.Answer.Answer != play.Probably || last.Query.Index == redrawn.Query.Index || v.Step != 5 {
			t.Errorf("after two draws at the other server: %+v", last)
		}
		must(t, b.Delete(ctx, v.ID))
		_, err = a.Answer(ctx, v.ID, &AnswerRequest{Step: v.Step, Answer: Reply{Answer: play.Probably}})
		faulty(t, err, 404, "no such session")
	})
}

// TestHeldExpires: what is held does not outlive its time.
func TestHeldExpires(t *testing.T) {
	now := someTime
	list, _ := two(t, stores["sqlite"](t), SessionOptions{TTL: time.Hour, Clock: func() time.Time { return now }})
	v := begin(t, list[0], NewSession{Policy: "t"})
	now = now.Add(2 * time.Hour)
	_, err := list[0].Answer(t.Context(), v.ID, &AnswerRequest{Step: 1, Answer: Reply{Answer: play.Probably}})
	faulty(t, err, 404, "may have expired")
}

// TestHeldRace: of those who answer a step at two servers at once one does, and what
// is held is changed by one request at a time.
func TestHeldRace(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		list, _ := two(t, open, SessionOptions{})
		v := begin(t, list[0], NewSession{Policy: "t"})
		for step := 1; step <= 6; step++ {
			var won atomic.Int64
			var group sync.WaitGroup
			for w := range 6 {
				group.Go(func() {
					_, err := list[w%2].Answer(t.Context(), v.ID, &AnswerRequest{Step: step, Answer: Reply{Answer: play.Probably}, Annotator: fmt.Sprint(w)})
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
		if len(seen.History) != 6 || seen.State != stateDone {
			t.Errorf("at the end: %+v", seen)
		}
	})
}

// TestHeldIsBounded: what was not used for long is forgotten, by its size.
func TestHeldIsBounded(t *testing.T) {
	var h held
	const n = 3 * heldBytes / (gameBytes + turnBytes)
	for i := range n {
		h.keep(&loaded{Session: Session{ID: fmt.Sprint(i)}, turns: make([]Turn, 1)})
		h.keep(&loaded{Session: Session{ID: "same"}, turns: make([]Turn, 7)})
	}
	for _, games := range []map[string]*loaded{h.new, h.old} {
		size := 0
		for _, g := range games {
			size += g.size()
		}
		if size > heldBytes || len(games) == 0 {
			t.Errorf("%d bytes are held", size)
		}
	}
	left := 0
	for _, g := range h.new {
		left += g.size()
	}
	if left != h.size {
		t.Errorf("%d bytes are held, counted as %d", left, h.size)
	}
	if h.take("0") != nil || h.take("same") == nil || h.take("same") != nil || h.take(fmt.Sprint(n-1)) == nil {
		t.Error("the wrong games are held")
	}
	long := &loaded{Session: Session{ID: "long"}, turns: make([]Turn, 1)}
	long.turns[0].Text = strings.Repeat("a", heldBytes)
	h.keep(long)
	h.keep(&loaded{Session: Session{ID: "next"}})
	if h.new["long"] != nil || h.old["long"] == nil {
		t.Error("a long game leaves no room and stays")
	}
}

// TestHeldPolicy: a game that is held does not keep its policy in memory once that is out of service.
func TestHeldPolicy(t *testing.T) {
	var h held
	policy := &Policy{ID: "t", Contract: &nn.Contract{}}
	gone := weak.Make(policy)
	h.keep(&loaded{Session: Session{ID: "a"}, turns: make([]Turn, 1), policy: policy})
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the policy stays in memory")
	}
	if h.take("a") == nil {
		t.Error("the game is not held")
	}
}
