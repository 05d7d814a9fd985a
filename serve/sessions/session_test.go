package sessions_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// middle answers as the threshold in the middle does.
func middle(v *wire.View) play.Answer {
	if v.Query.Index < 4 {
		return play.Yes
	}
	return play.No
}

// TestSession plays a session to its end: the seed repeats it, steps count on, an
// answer after the end is a conflict, and the export has every turn with the
// probability it was drawn with.
func TestSession(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s := servetest.Sessions(t, open, sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
		seed := uint64(5)
		one := func() (asked []int, last *wire.View) {
			v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Seed: &seed})
			for n := range 6 {
				if v.State != wire.StateOpen || v.Step != n+1 || v.Remaining != 6-n || v.Answers != n || v.Query == nil || v.Probability <= 0 {
					t.Fatalf("after %d answers: %+v", n, v)
				}
				asked = append(asked, v.Query.Index)
				v = servetest.Tell(t, s, v, middle(v))
			}
			return asked, v
		}
		asked, v := one()
		again, _ := one()
		if !slices.Equal(asked, again) {
			t.Errorf("asked %v, and with the same seed %v", asked, again)
		}
		if v.State != wire.StateDone || v.Query != nil || v.Step != 7 || v.Remaining != 0 {
			t.Errorf("at the end: %+v", v)
		}
		_, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: 7, Answer: wire.Reply{Answer: play.Probably}})
		servetest.Faulty(t, err, 409, "the session is over")
		seen, err := s.View(t.Context(), v.ID)
		must(t, err)
		data, err := s.CSV(t.Context(), v.ID)
		must(t, err)
		rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		must(t, err)
		lines, err := s.JSONL(t.Context(), v.ID)
		must(t, err)
		if len(rows) != 7 || !slices.Equal(rows[0], sessions.ExportHeader) || len(seen.History) != 6 || strings.Count(string(lines), "\n") != 6 {
			t.Fatalf("%d rows, %d turns:\n%s\n%s", len(rows), len(seen.History), data, lines)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
			var row wire.ExportRow
			must(t, json.Unmarshal([]byte(line), &row))
			if row.Query.Index != asked[i] || row.Probability != seen.History[i].Probability || row.Annotator != "a" || row.Session != v.ID {
				t.Errorf("line %d: %+v", i, row)
			}
			if got := rows[i+1]; got[2] != fmt.Sprint(i+1) || got[3] != fmt.Sprint(asked[i]) || got[6] != fmt.Sprint(middle(&wire.View{Query: row.Query}).Value()) {
				t.Errorf("row %d: %v", i, got)
			}
		}
	})
}

// TestRepeatedAnswers: the same again changes nothing, at any time; something else
// for the same step is a conflict; a step that has not come is one, too.
func TestRepeatedAnswers(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	first := wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Probably}, Annotator: "a", Query: &wire.Ref{Index: v.Query.Index}}
	ctx := t.Context()
	second, err := s.Answer(ctx, v.ID, &first)
	must(t, err)
	again, err := s.Answer(ctx, v.ID, &first)
	must(t, err)
	if !reflect.DeepEqual(again, second) {
		t.Errorf("again: %+v, first: %+v", again, second)
	}
	third := servetest.Tell(t, s, second, play.No)
	late, err := s.Answer(ctx, v.ID, &first)
	must(t, err)
	if !reflect.DeepEqual(late, third) {
		t.Errorf("late: %+v, now: %+v", late, third)
	}
	for reason, in := range map[string]wire.AnswerRequest{
		"with another answer":   {Step: 1, Answer: wire.Reply{Answer: play.ProbablyNot}, Annotator: "a"},
		"or by another caller":  {Step: 1, Answer: wire.Reply{Answer: play.Probably}, Annotator: "b"},
		"has not come yet":      {Step: 9, Answer: wire.Reply{Answer: play.Probably}},
		"asks query":            {Step: 3, Answer: wire.Reply{Answer: play.Probably}, Query: &wire.Ref{Index: (third.Query.Index + 1) % 8}},
		"and not \"something\"": {Step: 3, Answer: wire.Reply{Answer: play.Probably}, Query: &wire.Ref{Text: "something", ByText: true}},
	} {
		_, err := s.Answer(ctx, v.ID, &in)
		servetest.Faulty(t, err, 409, reason)
	}
	_, err = s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: 3, Answer: wire.Reply{Answer: play.Probably}, Skip: true})
	servetest.Faulty(t, err, 422, "a skip has no answer")
	_, err = s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: 3, Answer: wire.Reply{Answer: play.Probably}, Annotator: "a\x1b[2J"})
	servetest.Faulty(t, err, 422, "cannot be shown")
	_, err = s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: 0, Answer: wire.Reply{Answer: play.Probably}})
	servetest.Faulty(t, err, 422, "count from 1")
	_, err = s.Answer(ctx, strings.Repeat("a", 26), &first)
	servetest.Faulty(t, err, 404, "no such session")
}

// TestUndo: the query comes again as a new step, so that a late request for the old
// one cannot answer it; repeated, it undoes once; also after the end.
func TestUndo(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	ctx := t.Context()
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
	_, err := s.Undo(ctx, v.ID, &wire.UndoRequest{Step: 1})
	servetest.Faulty(t, err, 409, "no answer to undo")
	second := servetest.Tell(t, s, v, play.Yes)
	undone, err := s.Undo(ctx, v.ID, &wire.UndoRequest{Step: 2})
	must(t, err)
	if undone.Step != 3 || !reflect.DeepEqual(undone.Query, v.Query) || undone.Probability != v.Probability || undone.Answers != 0 {
		t.Errorf("after undo %+v, at first %+v", undone, v)
	}
	again, err := s.Undo(ctx, v.ID, &wire.UndoRequest{Step: 2})
	if err != nil || again.Step != 3 {
		t.Errorf("undo again: %+v, %v", again, err)
	}
	late := servetest.Tell(t, s, v, play.Yes) // the first answer once more
	if late.Step != 3 || late.Answers != 0 {
		t.Errorf("late answer to a step undone: %+v", late)
	}
	_, err = s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: 2, Answer: wire.Reply{Answer: play.Probably}})
	servetest.Faulty(t, err, 409, "closed before")
	_, err = s.Undo(ctx, v.ID, &wire.UndoRequest{Step: 1})
	servetest.Faulty(t, err, 409, "step 1 is answered")
	masked := servetest.Tell(t, s, undone, play.No)
	other, err := s.Undo(ctx, v.ID, &wire.UndoRequest{Step: masked.Step, Mask: []int{v.Query.Index}})
	must(t, err)
	if other.Query.Index == v.Query.Index {
		t.Error("undo asks a masked query again")
	}
	for v = other; v.State == wire.StateOpen; {
		v = servetest.Tell(t, s, v, middle(v))
	}
	back, err := s.Undo(ctx, v.ID, &wire.UndoRequest{Step: v.Step})
	must(t, err)
	if back.State != wire.StateOpen || back.Answers != 5 || back.Remaining != 1 {
		t.Errorf("undo at the end: %+v", back)
	}
	seen, err := s.View(ctx, v.ID)
	must(t, err)
	if h := seen.History; h[0].Undone != 2 || h[1].Outcome != database.OutcomeUndo || h[1].Answer.Answer != play.DontKnow || h[2].Undone == 0 {
		t.Errorf("history %+v", h)
	}
	_ = second
}

// TestNotKnown: by the contract it uses up an answer or not; its query is not asked
// again, and a skip differs from both.
func TestNotKnown(t *testing.T) {
	dir := t.TempDir()
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, dir, "free", servetest.Wheels(), nil), servetest.Write(t, dir, "spends", servetest.Wheels(), servetest.Spending))
	for id, want := range map[string]int{"free": 8, "spends": 6} {
		v := servetest.Begin(t, s, wire.NewSession{Policy: id})
		seen := map[int]bool{}
		for n := 0; v.State == wire.StateOpen; n++ {
			if seen[v.Query.Index] {
				t.Fatalf("%s: query %d again", id, v.Query.Index)
			}
			seen[v.Query.Index] = true
			var err error
			v, err = s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Skip: n%2 == 0})
			must(t, err)
		}
		if len(seen) != want || v.Answers != 0 {
			t.Errorf("%s: %d queries, want %d; %+v", id, len(seen), want, v)
		}
		full, err := s.View(t.Context(), v.ID)
		must(t, err)
		if full.History[0].Outcome != database.OutcomeSkip || full.History[1].Outcome != database.OutcomeDontKnow {
			t.Errorf("%s: outcomes %+v", id, full.History[:2])
		}
	}
}

// TestMask: a request's mask holds for what that request draws; the query stays the
// same until it is answered or masked.
func TestMask(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	ctx, all := t.Context(), []int{0, 1, 2, 3, 4, 5, 6, 7}
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Mask: all[1:]})
	if v.Query.Index != 0 || v.Probability != 1 {
		t.Fatalf("%+v", v)
	}
	same, err := s.Next(ctx, v.ID, all[1:3])
	must(t, err)
	if same.Query.Index != 0 || same.Step != 1 {
		t.Errorf("asked for again: %+v", same)
	}
	other, err := s.Next(ctx, v.ID, []int{0})
	must(t, err)
	if other.Query.Index == 0 || other.Step != 1 {
		t.Errorf("masked: %+v", other)
	}
	once, err := s.Next(ctx, v.ID, []int{other.Query.Index})
	must(t, err)
	twice, err := s.Next(ctx, v.ID, nil)
	must(t, err)
	if !reflect.DeepEqual(once, twice) {
		t.Errorf("first %+v, then %+v", once, twice)
	}
	empty, err := s.Next(ctx, v.ID, all)
	must(t, err)
	if empty.Query != nil || empty.State != wire.StateOpen {
		t.Errorf("all masked: %+v", empty)
	}
	_, err = s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Probably}})
	servetest.Faulty(t, err, 409, "the mask left no query")
	back, err := s.Next(ctx, v.ID, nil)
	must(t, err)
	if back.Query == nil || back.Step != 1 {
		t.Errorf("unmasked: %+v", back)
	}
	next, err := s.Answer(ctx, v.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Probably}, Mask: slices.DeleteFunc(slices.Clone(all), func(i int) bool { return i == (back.Query.Index+3)%8 })})
	must(t, err)
	if next.Query.Index != (back.Query.Index+3)%8 {
		t.Errorf("only %d was allowed: %+v", (back.Query.Index+3)%8, next.Query)
	}
	_, err = s.Next(ctx, v.ID, []int{99})
	must(t, err) // the query of the step needs no new draw
	_, err = s.Next(ctx, v.ID, []int{next.Query.Index, 99})
	servetest.Faulty(t, err, 422, "the mask names query 99")
}

// TestStopMargin ends a session early, and undo opens it again.
func TestStopMargin(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", dataset.Thresholds(8, 6), nil))
	seed := uint64(1)
	v := servetest.Begin(t, s, wire.NewSession{Policy: "t", StopMargin: .5, Seed: &seed})
	for v.State == wire.StateOpen {
		if v.Margin >= .5 && v.Answers > 0 {
			t.Fatalf("it goes on: %+v", v)
		}
		v = servetest.Tell(t, s, v, middle(v))
	}
	if v.Margin < .5 || v.Remaining == 0 {
		t.Fatalf("this game had no early lead, another seed may: %+v", v)
	}
	_, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}})
	servetest.Faulty(t, err, 409, "stop margin")
	v, err = s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: v.Step})
	if err != nil || v.State != wire.StateOpen {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestAnnotators: several answer one session at once; each step is one's.
func TestAnnotators(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		p := dataset.Thresholds(8, 40)
		s := servetest.Sessions(t, open, sessions.Options{}, servetest.Write(t, t.TempDir(), "t", p, nil))
		v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
		var kept atomic.Int64
		var group sync.WaitGroup
		for w := range 4 {
			group.Go(func() {
				for {
					now, err := s.Next(t.Context(), v.ID, nil)
					if err != nil {
						t.Error(err)
						return
					}
					if now.State == wire.StateDone {
						return
					}
					_, err = s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: now.Step, Answer: wire.Reply{Answer: play.Yes}, Annotator: fmt.Sprint(w)})
					var f *wire.Fault
					switch {
					case err == nil:
						kept.Add(1)
					case !errors.As(err, &f) || f.Status != http.StatusConflict:
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		full, err := s.View(t.Context(), v.ID)
		must(t, err)
		if kept.Load() != 40 || len(full.History) != 40 {
			t.Errorf("%d answers were confirmed, %d kept, want 40", kept.Load(), len(full.History))
		}
	})
}
