package database

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/game/play"
)

// TestTell: a truth is counted, corrected, kept when it is told again, and taken out with its session.
func TestTell(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		n, first := someSession("a")
		must(t, s.Create(ctx, n, first))
		a := step("a", first, play.No)
		ok, err := s.Advance(ctx, a)
		mustBe(t, ok, err, true)

		said := []play.Answered{{Query: 3, Answer: play.No}, {Query: 1, Answer: play.Probably}}
		truth := someTruth("a", 2, 5, said...)
		mustTell(t, s, someTruth("a", 1, 5, said...), Stale)
		if _, err := s.Tell(ctx, someTruth("none", 1, 5)); !errors.Is(err, ErrNoSession) {
			t.Errorf("a truth of no session: %v", err)
		}
		mustCount(t, s, "p", 0)
		mustTell(t, s, truth, TellNew)
		mustTell(t, s, truth, Same)
		five := []Cell{cell(5, learn.OfGames, 2, 0), cell(5, 1, 1, 0), cell(5, 3, 0, 2)}
		mustCount(t, s, "p", 1, five...)
		got, _, err := s.Load(ctx, "a")
		must(t, err)
		if got.Truth != "o5" || !got.Told.Equal(someTime) {
			t.Errorf("the session's truth is %q, told at %v", got.Truth, got.Told)
		}
		g, err := s.Game(ctx, "a")
		must(t, err)
		truth.Step = 0
		if !reflect.DeepEqual(*g, truth) {
			t.Errorf("the game is %+v, want %+v", *g, truth)
		}
		ok, err = s.Advance(ctx, step("a", a.Next, play.Yes))
		mustBe(t, ok, err, false) // the game is over

		other := someTruth("a", 2, 4, said...)
		other.At, other.Recommended = someTime.Add(time.Hour), "" // as of a session whose version is not kept
		mustTell(t, s, other, TellNew)
		if g, err := s.Game(ctx, "a"); err != nil || g.Recommended != "r" {
			t.Errorf("corrected, the game recommends %q, %v", g.Recommended, err)
		}
		mustCount(t, s, "p", 2, cell(4, learn.OfGames, 2, 0), cell(4, 1, 1, 0), cell(4, 3, 0, 2))
		if got, _, err := s.Load(ctx, "a"); err != nil || got.Truth != "o4" || !got.Told.Equal(someTime) {
			t.Errorf("corrected, the session's truth is %q, told at %v, %v", got.Truth, got.Told, err)
		}

		undo := step("a", a.Next, play.DontKnow)
		undo.Closed.Outcome, undo.Undone = OutcomeUndo, 1
		ok, err = s.AdvanceTold(ctx, undo, nil, true)
		mustBe(t, ok, err, true)
		ok, err = s.AdvanceTold(ctx, undo, nil, true)
		mustBe(t, ok, err, false)
		mustCount(t, s, "p", 3)
		if _, err := s.Game(ctx, "a"); !errors.Is(err, ErrNoGame) {
			t.Errorf("a withdrawn game: %v", err)
		}
		right := step("a", undo.Next, play.DontKnow)
		ok, err = s.AdvanceTold(ctx, right, &truth, false)
		mustBe(t, ok, err, true)
		ok, err = s.AdvanceTold(ctx, right, &truth, false)
		mustBe(t, ok, err, false)
		mustCount(t, s, "p", 4, five...)
		had, err := s.Delete(ctx, "a")
		mustBe(t, had, err, true)
		mustCount(t, s, "p", 5)
	})
}

// TestTellElsewhere: a game without a session is kept once, and withdrawn by its name.
func TestTellElsewhere(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		truth := someTruth("p/key", 0, 1, play.Answered{Query: 0, Answer: play.Yes})
		mustTell(t, s, truth, TellNew)
		mustTell(t, s, truth, Same)
		other := truth
		other.Answers = []play.Answered{{Query: 0, Answer: play.No}}
		mustTell(t, s, other, Another)
		not := someTruth("p/not", 0, 2, play.Answered{Query: 0, Answer: play.Yes})
		not.Learn = false // kept, and not counted
		mustTell(t, s, not, TellNew)
		mustCount(t, s, "p", 1, cell(1, learn.OfGames, 2, 0), cell(1, 0, 2, 0))
		var ids []string
		must(t, s.EachGame(ctx, "p", func(g Told) error { ids = append(ids, g.ID); return nil }))
		if fmt.Sprint(ids) != "[p/key p/not]" {
			t.Errorf("the games are %v", ids)
		}
		for _, want := range []bool{true, false} {
			had, err := s.Withdraw(ctx, "p/key")
			mustBe(t, had, err, want)
		}
		mustCount(t, s, "p", 2)

		either := someTruth("p/either", 0, 3, play.Answered{Query: 0, Answer: play.ProbablyNot}) // "o3 or o5" counts for both
		either.Objects = []int{3, 5}
		mustTell(t, s, either, TellNew)
		mustCount(t, s, "p", 3, cell(3, learn.OfGames, 2, 0), cell(3, 0, 0, 1), cell(5, learn.OfGames, 2, 0), cell(5, 0, 0, 1))
		had, err := s.Withdraw(ctx, "p/either")
		mustBe(t, had, err, true)
		mustCount(t, s, "p", 4)
	})
}

// TestEnlist: names are appended once, whichever server asks, and come back with their indices.
func TestEnlist(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, other := opened(t, open), opened(t, open)
		if v := enlisted(t, s, "p", 3, 2); len(v.Objects) != 3 || len(v.Questions) != 2 || v.Objects[2].Text != "o2" {
			t.Errorf("the vocabulary is %+v", v)
		}
		enlisted(t, other, "q", 1, 1)
		v, err := other.Enlist(t.Context(), "p", []string{"o2", "Zo\u0065\u0308", "o0", "Zo\u00eb"}, nil)
		must(t, err)
		if len(v.Objects) != 4 || v.Objects[3].Text != "Zo\u0065\u0308" || len(v.Questions) != 2 {
			t.Errorf("the vocabulary is %+v", v)
		}
		again, err := s.Enlist(t.Context(), "p", nil, nil)
		must(t, err)
		if !reflect.DeepEqual(again, v) {
			t.Errorf("read again the vocabulary is %+v, want %+v", again, v)
		}
	})
}

// TestVersions: versions are kept by one writer, and read back as sums.
func TestVersions(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		mustTell(t, s, someTruth("p/a", 0, 1, play.Answered{Query: 0, Answer: play.Yes}), TellNew)
		build := func(version int, cells ...Cell) error {
			ran, err := s.Exclusive(ctx, "p", func(write func(VersionWrite) error) error {
				inner, err := s.Exclusive(ctx, "p", func(func(VersionWrite) error) error { return nil })
				mustBe(t, inner, err, false)
				return write(VersionWrite{VersionInfo: VersionInfo{Version: version, Base: "b", Built: someTime, Games: version, Objects: 2, Questions: 1}, Changes: 1,
					Cells: cells, Exclude: []string{"p/a"}, Aside: []Aside{{Client: "a:x", Games: 10, Median: -1.5, Quantile: -0.5}}})
			})
			if !ran {
				t.Error("it did not run")
			}
			return err
		}
		must(t, build(1, cell(1, 0, 2, 0)))
		must(t, build(2, cell(0, 0, 1, 0), cell(1, 0, -2, 1)))
		if err := build(2, cell(0, 0, 9, 9)); !errors.Is(err, ErrBuilt) {
			t.Errorf("version 2 again: %v", err)
		}
		for version, want := range [][]Cell{nil, {cell(1, 0, 2, 0)}, {cell(0, 0, 1, 0), cell(1, 0, 0, 1)}} {
			v, cells, err := s.Cells(ctx, "p", version)
			if err != nil || v.Version != version || v.Games != version || !reflect.DeepEqual(cells, want) {
				t.Errorf("version %d is %+v with %v, %v; want %v", version, v, cells, err, want)
			}
		}
		if _, _, err := s.Cells(ctx, "p", 3); !errors.Is(err, ErrNoVersion) {
			t.Errorf("version 3: %v", err)
		}
		l, err := s.Learning(ctx, "p")
		must(t, err)
		if want := (Learning{Changes: 1, Built: 1, Version: 2, BuiltAt: someTime}); l != want {
			t.Errorf("learning is %+v, want %+v", l, want)
		}
		v, err := s.Snapshot(ctx, "p")
		must(t, err)
		aside := []Aside{{Client: "a:x", Version: 1, Games: 10, Median: -1.5, Quantile: -0.5, Since: someTime}}
		if len(v.Games) != 1 || !v.Games[0].Excluded || !reflect.DeepEqual(v.Aside, aside) {
			t.Errorf("the snapshot is %+v, want the clients %+v", v, aside)
		}
	})
}

// TestExpireTold: an expired session's truth is withdrawn where the newest version excludes it, and else stripped of all
// that leads to a person; so is that of a game that was played elsewhere. The counts of what is stripped stay.
func TestExpireTold(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		enlisted(t, s, "p", 9, 9)
		late := someTime.Add(time.Hour)
		for object, id := range []string{"kept", "out", "late"} {
			n, first := someSession(id)
			must(t, s.Create(ctx, n, first))
			a := step(id, first, play.Yes)
			ok, err := s.Advance(ctx, a)
			mustBe(t, ok, err, true)
			truth := someTruth(id, 2, object, play.Answered{Query: 3, Answer: play.Yes})
			if id == "late" {
				truth.At = late
			}
			mustTell(t, s, truth, TellNew)
			_, err = s.Propose(ctx, Proposal{Policy: "p", Kind: KindQuestion, Text: id, Client: "a:x", Game: id, Answer: play.Yes, Created: someTime})
			must(t, err)
		}
		n, first := someSession("untold")
		must(t, s.Create(ctx, n, first))
		ok, err := s.Advance(ctx, step("untold", first, play.Yes))
		mustBe(t, ok, err, true)
		_, err = s.Propose(ctx, Proposal{Policy: "p", Kind: KindObject, Text: "untold", Client: "a:x", Game: "untold", Created: someTime})
		must(t, err)
		for object, id := range []string{"p/kept", "p/out", "p/late"} {
			truth := someTruth(id, 0, 3+object, play.Answered{Query: 4, Answer: play.No})
			if id == "p/late" {
				truth.At = late
			}
			mustTell(t, s, truth, TellNew)
		}
		ran, err := s.Exclusive(ctx, "p", func(write func(VersionWrite) error) error {
			return write(VersionWrite{VersionInfo: VersionInfo{Version: 1, Built: someTime}, Exclude: []string{"p/out", "out"}})
		})
		mustBe(t, ran, err, true)
		mustCount(t, s, "p", 6, cell(0, -1, 2, 0), cell(0, 3, 2, 0), cell(1, -1, 2, 0), cell(1, 3, 2, 0), cell(2, -1, 2, 0), cell(2, 3, 2, 0),
			cell(3, -1, 2, 0), cell(3, 4, 0, 2), cell(4, -1, 2, 0), cell(4, 4, 0, 2), cell(5, -1, 2, 0), cell(5, 4, 0, 2))
		for _, want := range []int{3, 2, 0} {
			if n, err := s.Expire(ctx, Old{Open: someTime, Any: someTime.Add(time.Minute)}); err != nil || n != want {
				t.Fatalf("%d expired, %v; want %d", n, err, want)
			}
		}
		mustCount(t, s, "p", 8, cell(0, -1, 2, 0), cell(0, 3, 2, 0), cell(2, -1, 2, 0), cell(2, 3, 2, 0),
			cell(3, -1, 2, 0), cell(3, 4, 0, 2), cell(5, -1, 2, 0), cell(5, 4, 0, 2))
		stripped := map[int]Told{}
		must(t, s.EachGame(ctx, "", func(g Told) error {
			if g.ID != "late" && g.ID != "p/late" {
				stripped[g.Objects[0]] = g
			}
			return nil
		}))
		for object, truth := range map[int]Told{0: someTruth("", 0, 0, play.Answered{Query: 3, Answer: play.Yes}), 3: someTruth("", 0, 3, play.Answered{Query: 4, Answer: play.No})} {
			got := stripped[object]
			truth.ID, truth.Recommended, truth.Client, truth.At = got.ID, "", Client{}, time.Time{}
			if !IsID(got.ID) || !reflect.DeepEqual(got, truth) {
				t.Errorf("stripped it is %+v, want %+v", got, truth)
			}
		}
		v, err := s.Snapshot(ctx, "p")
		must(t, err)
		if len(stripped) != 2 || v.Stripped != 2 || len(v.Games) != 2 {
			t.Errorf("%d games are stripped, the snapshot has %d and %d others", len(stripped), v.Stripped, len(v.Games))
		}
		list, err := s.Proposals(ctx, "p", "", 0, 9)
		must(t, err)
		if list[0].Game != stripped[0].ID || list[1].Game == "out" || list[2].Game != "late" || list[0].Client+list[1].Client != "" || list[2].Client != "a:x" {
			t.Errorf("the proposals are %+v", list)
		}
		if p := list[3]; p.Game != "" || p.Client != "" || p.State != ProposalOpen {
			t.Errorf("the proposal of a session without a truth is %+v", p)
		}
	})
}

// TestIntegers: lists of our own are read, and anything else is refused.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		text string
		each int
		want []int64 // nil: an error
	}{
		{"[]", 4, []int64{}},
		{"[3]", 1, []int64{3}},
		{"[[0,-1,2,0],[12,30,-4,123456789012345678]]", 4, []int64{0, -1, 2, 0, 12, 30, -4, 123456789012345678}},
		{"[[1,2],[3]]", 2, nil},
		{"[1.5]", 1, nil},
		{"[-]", 1, nil},
		{"[1", 1, nil},
		{"[1 ,2]", 1, nil},
		{"[1234567890123456789]", 1, nil},
		{"null", 1, nil},
	} {
		got, err := integers([]int64{}, c.text, c.each)
		if (err != nil) != (c.want == nil) || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s is read as %v, %v; want %v", c.text, got, err, c.want)
		}
	}
}

// someTruth is what a session was about, as read at a step.
func someTruth(id string, step, object int, answers ...play.Answered) Told {
	return Told{ID: id, Policy: "p", Version: 2, Step: step, Objects: []int{object}, Truth: fmt.Sprint("o", object), Recommended: "r", Answers: answers,
		Client: Client{"a:x", true}, At: someTime, Learn: true}
}

// enlisted has the objects o0, o1, … and the questions q0, q1, …
func enlisted(t testing.TB, s Store, policy string, objects, questions int) *Vocabulary {
	t.Helper()
	name := func(prefix string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(prefix, i))
		}
		return list
	}
	v, err := s.Enlist(t.Context(), policy, name("o", objects), name("q", questions))
	must(t, err)
	return v
}

func mustTell(t testing.TB, s Store, told Told, want TellResult) {
	t.Helper()
	if got, err := s.Tell(t.Context(), told); err != nil || got != want {
		t.Fatalf("telling %+v: %v, %v; want %v", told, got, err, want)
	}
}

func mustCount(t testing.TB, s Store, policy string, changes int64, want ...Cell) {
	t.Helper()
	v, err := s.Snapshot(t.Context(), policy)
	must(t, err)
	if v.Changes != changes || !reflect.DeepEqual(v.Counts, want) {
		t.Fatalf("%d changes and the counts %v, want %d and %v", v.Changes, v.Counts, changes, want)
	}
}

func cell(object, question int, yes, no int64) Cell {
	return Cell{Object: object, Question: question, Yes: yes, No: no}
}
