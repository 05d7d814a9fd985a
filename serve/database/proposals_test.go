package database

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"mapo/data/learn"
	"mapo/game/play"
)

func propose(t testing.TB, s Store, kind, text string) Proposal {
	t.Helper()
	p, err := s.Propose(t.Context(), Proposal{Policy: "p", Kind: kind, Text: text, Client: "a:x", Created: someTime})
	must(t, err)
	return p
}

// TestProposeObject: an accepted object takes the next index and the games that told it, which then count; one that is
// accepted as a name in the vocabulary makes no new one.
func TestProposeObject(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		enlisted(t, s, "p", 3, 2)
		p := propose(t, s, KindObject, "Big  Bird")
		if p.ID != 1 || p.State != ProposalOpen || p.Index != None {
			t.Errorf("proposed %+v", p)
		}
		if again := propose(t, s, KindObject, "big bird "); !reflect.DeepEqual(again, p) {
			t.Errorf("proposed again it is %+v, want %+v", again, p)
		}
		if other := propose(t, s, KindQuestion, "Big Bird"); other.ID != 2 {
			t.Errorf("a question of the same text is %+v", other)
		}
		told := func(id string, learn bool) Told {
			g := someTruth(id, 0, 0, play.Answered{Query: 1, Answer: play.No})
			g.Objects, g.Proposal, g.Truth, g.Learn = nil, p.ID, "Big Bird", learn
			return g
		}
		mustTell(t, s, told("p/a", true), TellNew)
		mustTell(t, s, told("p/a", true), Same)
		mustTell(t, s, told("p/b", false), TellNew)
		mustCount(t, s, "p", 0)
		bad := told("p/c", true)
		bad.Proposal = 9
		if _, err := s.Tell(ctx, bad); !errors.Is(err, ErrNoProposal) {
			t.Errorf("a truth that is proposal 9: %v", err)
		}
		list, err := s.Proposals(ctx, "p", ProposalOpen, 0, 10)
		must(t, err)
		if len(list) != 2 || list[0].Games != 2 || list[1].Games != 0 || list[0].Text != "Big  Bird" {
			t.Errorf("the proposals are %+v", list)
		}

		accept := Decision{Policy: "p", Proposal: p.ID, Accept: true, As: "Big Bird", At: someTime}
		for range 2 { // repeated it changes nothing
			got, err := s.Decide(ctx, accept)
			if err != nil || got.State != ProposalAccepted || got.Index != 3 {
				t.Fatalf("accepted %+v, %v", got, err)
			}
			mustCount(t, s, "p", 1, cell(3, learn.OfGames, 2, 0), cell(3, 1, 0, 2))
		}
		if v := enlisted(t, s, "p", 3, 2); len(v.Objects) != 4 || !reflect.DeepEqual(v.Objects[3], Name{Text: "Big Bird", Accepted: true}) {
			t.Errorf("the objects are %+v", v.Objects)
		}
		for _, d := range []Decision{{Policy: "p", Proposal: p.ID}, {Policy: "p", Proposal: p.ID, Accept: true, As: "o1"}} {
			if _, err := s.Decide(ctx, d); !errors.Is(err, ErrDecided) {
				t.Errorf("%+v: %v", d, err)
			}
		}
		for _, d := range []Decision{{Policy: "p", Proposal: 9}, {Policy: "q", Proposal: p.ID}} {
			if _, err := s.Decide(ctx, d); !errors.Is(err, ErrNoProposal) {
				t.Errorf("%+v: %v", d, err)
			}
		}
		late := told("p/d", true) // of somebody who proposed it before it was accepted
		mustTell(t, s, late, TellNew)
		mustCount(t, s, "p", 2, cell(3, learn.OfGames, 4, 0), cell(3, 1, 0, 4))

		old := propose(t, s, KindObject, "object one")
		one := told("p/e", true)
		one.Proposal = old.ID
		mustTell(t, s, one, TellNew)
		got, err := s.Decide(ctx, Decision{Policy: "p", Proposal: old.ID, Accept: true, As: "o1", At: someTime})
		if err != nil || got.Index != 1 {
			t.Errorf("accepted as o1 %+v, %v", got, err)
		}
		mustCount(t, s, "p", 3, cell(1, learn.OfGames, 2, 0), cell(1, 1, 0, 2), cell(3, learn.OfGames, 4, 0), cell(3, 1, 0, 4))
		if v := enlisted(t, s, "p", 3, 2); len(v.Objects) != 4 {
			t.Errorf("the objects are %+v", v.Objects)
		}
		no := propose(t, s, KindObject, "rubbish")
		for range 2 {
			if got, err := s.Decide(ctx, Decision{Policy: "p", Proposal: no.ID}); err != nil || got.State != ProposalRejected {
				t.Errorf("rejected %+v, %v", got, err)
			}
		}
		if again := propose(t, s, KindObject, "Rubbish"); again.ID != no.ID || again.State != ProposalRejected {
			t.Errorf("proposed again it is %+v", again)
		}
		if list, err = s.Proposals(ctx, "p", "", 1, 2); err != nil || len(list) != 2 || list[0].ID != 2 {
			t.Errorf("the proposals after 1 are %+v, %v", list, err)
		}
	})
}

// TestProposeQuestion: an accepted question knows what the operator says, and the answer of who proposed it, unless the
// game is gone.
func TestProposeQuestion(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		enlisted(t, s, "p", 4, 2)
		for object := range 3 {
			mustTell(t, s, someTruth(fmt.Sprint("p/", object), 0, object, play.Answered{Query: 0, Answer: play.Yes}), TellNew)
		}
		had, err := s.Withdraw(ctx, "p/2")
		mustBe(t, had, err, true)
		for k, want := range []Name{{Yes: []int{3, 0}}, {Yes: []int{3}, No: []int{1}}, {Yes: []int{3}}} {
			p, err := s.Propose(ctx, Proposal{Policy: "p", Kind: KindQuestion, Text: fmt.Sprint("new", k), Client: "t:y", Game: fmt.Sprint("p/", k), Answer: play.Yes, Created: someTime})
			must(t, err)
			got, err := s.Decide(ctx, Decision{Policy: "p", Proposal: p.ID, Accept: true, Yes: []int{3}, No: want.No, At: someTime})
			if err != nil || got.Index != 2+k {
				t.Errorf("accepted %+v, %v", got, err)
			}
			want.Text, want.Accepted = p.Text, true
			if v := enlisted(t, s, "p", 4, 2); !reflect.DeepEqual(v.Questions[2+k], want) {
				t.Errorf("the question is %+v, want %+v", v.Questions[2+k], want)
			}
		}
	})
}

// TestProposalsBounded: a client has 20 open ones, also where it sends many at once and takes their game back.
func TestProposalsBounded(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		list, ctx := []Store{opened(t, open), opened(t, open)}, t.Context()
		errs := make([]error, 30)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() {
				_, errs[i] = list[i%2].Propose(ctx, Proposal{Policy: "p", Kind: KindObject, Text: fmt.Sprint(i), Client: "a:x", Game: "p/a", Created: someTime})
			})
		}
		group.Wait()
		refused := 0
		for _, err := range errs {
			if errors.Is(err, ErrTooMany) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		if refused != len(errs)-MostProposals {
			t.Errorf("%d are refused, want %d", refused, len(errs)-MostProposals)
		}
		if _, err := list[0].Propose(ctx, Proposal{Policy: "p", Kind: KindObject, Text: "z", Client: "a:y", Created: someTime}); err != nil {
			t.Errorf("another client: %v", err)
		}
		mustTell(t, list[0], someTruth("p/a", 0, 0), TellNew)
		had, err := list[0].Withdraw(ctx, "p/a")
		mustBe(t, had, err, true)
		if _, err := list[0].Propose(ctx, Proposal{Policy: "p", Kind: KindObject, Text: "x", Client: "a:x", Created: someTime}); !errors.Is(err, ErrTooMany) {
			t.Errorf("after the game was withdrawn: %v", err)
		}
		waiting, err := list[0].Proposals(ctx, "p", ProposalOpen, 0, 100)
		must(t, err)
		_, err = list[0].Decide(ctx, Decision{Policy: "p", Proposal: waiting[0].ID})
		must(t, err)
		if _, err := list[0].Propose(ctx, Proposal{Policy: "p", Kind: KindObject, Text: "y", Client: "a:x", Created: someTime}); err != nil {
			t.Errorf("after one was decided: %v", err)
		}
	})
}

// TestDayKey: all servers have one key a day, and forget those before.
func TestDayKey(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		list, ctx := []Store{opened(t, open), opened(t, open)}, t.Context()
		keys := make([][]byte, 8)
		var group sync.WaitGroup
		for i := range keys {
			group.Go(func() {
				var err error
				if keys[i], err = list[i%2].DayKey(ctx, "2030-01-02"); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for _, key := range keys {
			if len(key) != 32 || !bytes.Equal(key, keys[0]) {
				t.Fatalf("the keys are %x", keys)
			}
		}
		next, err := list[0].DayKey(ctx, "2030-01-03")
		must(t, err)
		var left int
		must(t, sqlOf(list[1]).db.QueryRowContext(ctx, `SELECT COUNT(*) FROM mapo_keys`).Scan(&left))
		if bytes.Equal(next, keys[0]) || left != 1 {
			t.Errorf("the next day's key is %x, %d are kept", next, left)
		}
	})
}

// TestDayKeyGone: nothing is left in the file of a key that was deleted; who has it could try all addresses.
func TestDayKeyGone(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "s.db"), t.Context()
	s, err := OpenSQLite(ctx, path)
	must(t, err)
	old, err := s.DayKey(ctx, "2030-01-02")
	must(t, err)
	must(t, s.Close()) // which writes all to the file
	if data, err := os.ReadFile(path); err != nil || !bytes.Contains(data, fmt.Appendf(nil, "%x", old)) {
		t.Fatalf("the key is not in the file as it is looked for: %v", err)
	}
	s, err = OpenSQLite(ctx, path)
	must(t, err)
	_, err = s.DayKey(ctx, "2030-01-03")
	must(t, err)
	must(t, s.Close())
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, fmt.Appendf(nil, "%x", old)) {
		t.Errorf("the deleted key is in the file: %v", err)
	}
}

// TestRestore: a restored client stays so, whatever later versions say, and a version is wanted.
func TestRestore(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() (Store, error)) {
		s, ctx := opened(t, open), t.Context()
		version := 0
		build := func(clients ...string) {
			t.Helper()
			version++
			w := VersionWrite{VersionInfo: VersionInfo{Version: version, Built: someTime}}
			for _, c := range clients {
				w.Aside = append(w.Aside, Aside{Client: c, Games: version})
			}
			ran, err := s.Exclusive(ctx, "p", func(write func(VersionWrite) error) error { return write(w) })
			mustBe(t, ran, err, true)
		}
		build("a:x", "a:y")
		for _, want := range []bool{true, false} {
			was, err := s.Restore(ctx, "p", "a:x")
			mustBe(t, was, err, want)
		}
		was, err := s.Restore(ctx, "p", "a:z")
		mustBe(t, was, err, false)
		mustCount(t, s, "p", 1)
		build("a:z")
		got, err := s.SetAside(ctx, "p")
		must(t, err)
		if want := []Aside{{Client: "a:x", Version: 1, Games: 1, Since: someTime, Restored: true}, {Client: "a:z", Version: 2, Games: 2, Since: someTime}}; !reflect.DeepEqual(got, want) {
			t.Errorf("set aside are %+v, want %+v", got, want)
		}
	})
}
