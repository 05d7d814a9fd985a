package sessions_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mapo/game"
	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// changes is how often the pets' counts were changed.
func changes(t testing.TB, store database.Store) int64 {
	t.Helper()
	now, err := store.Learning(t.Context(), "pets")
	must(t, err)
	return now.Changes
}

// TestSessionTruth: a truth ends a session, is found as people type it, and is kept once however often it is told.
func TestSessionTruth(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := servetest.Opened(t, open)
		s, _ := servetest.Learning(t, store, sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
		v := servetest.PlayThrough(t, s, wire.NewSession{}, "Budgie", 0)
		_, err := s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: "Budgie"})
		servetest.Faulty(t, err, 409, "the game has no answer")
		v = servetest.Tell(t, s, v, servetest.AnswerFor("Budgie", v.Query.Text))
		_, err = s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: "budgi"})
		servetest.Faulty(t, err, 422, `did you mean "Budgie"? Send "new": true to propose it.`)
		_, err = s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: " \n"})
		servetest.Faulty(t, err, 422, "the truth is empty")
		_, err = s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: "bud\x1bgie"})
		servetest.Faulty(t, err, 422, "cannot be shown")
		done, err := s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: " budgie "})
		must(t, err)
		if done.State != wire.StateDone || done.Truth == nil || done.Truth.Text != "Budgie" || !done.Truth.Known || done.Truth.Place < 1 || done.Truth.Confidence == nil {
			t.Fatalf("told: %+v, truth %+v", done, done.Truth)
		}
		again, err := s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: "Budgie"})
		must(t, err)
		if again.Truth.Text != "Budgie" || changes(t, store) != 1 {
			t.Errorf("told twice: %+v, %d changes", again.Truth, changes(t, store))
		}
		_, err = s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Probably}})
		servetest.Faulty(t, err, 409, `the session is over, its truth was told ("Budgie")`)
		if seen, err := s.Next(t.Context(), v.ID, []int{0, 1, 2, 3, 4}); err != nil || seen.State != wire.StateDone {
			t.Errorf("next after the truth: %+v, %v", seen, err)
		}
		repeated, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: servetest.AnswerFor("Budgie", servetest.PlayThrough(t, s, wire.NewSession{Seed: &v.Seed}, "Budgie", 0).Query.Text)}, Annotator: "a"})
		must(t, err)
		back, err := s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: repeated.Step})
		must(t, err)
		if back.State != wire.StateOpen || back.Truth != nil || changes(t, store) != 2 {
			t.Errorf("undone: %+v, %d changes", back, changes(t, store))
		}
		if _, err := store.Game(t.Context(), v.ID); !errors.Is(err, database.ErrNoGame) {
			t.Errorf("the game is still there: %v", err)
		}
	})
}

// TestTruthOfMerged: objects of equal shares are one hypothesis, whose truth may be either, both, or the guess.
func TestTruthOfMerged(t *testing.T) {
	store := servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) })
	s, _ := servetest.Learning(t, store, sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
	for text, want := range map[string]string{
		"carp": "[2]", "Goldfish": "[3]", "carp or goldfish": "[2 3]", "goldfish or CARP": "[2 3]", "carp or carp": "[2]",
	} {
		v := servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "carp", 2).ID, text)
		g, err := store.Game(t.Context(), v.ID)
		must(t, err)
		if got := fmt.Sprint(g.Objects); got != want || !v.Truth.Known {
			t.Errorf("%s is %s, want %s: %+v", text, got, want, v.Truth)
		}
	}
	apart := servetest.PlayThrough(t, s, wire.NewSession{}, "carp", 2).ID
	for _, text := range []string{"dog or cat", "carp or goldfish or dog", "Parrot or budgie"} {
		for _, propose := range []bool{false, true} {
			_, err := s.Tell(t.Context(), apart, &wire.TruthRequest{Truth: text, New: propose})
			servetest.Faulty(t, err, 422, "is more than one object, and the table tells them apart; name one of them")
		}
	}
	if _, err := store.Game(t.Context(), apart); !errors.Is(err, database.ErrNoGame) {
		t.Errorf("several objects as one truth: %v", err)
	}
	stop := 0.6
	v := servetest.PlayThrough(t, s, wire.NewSession{Guess: true, Stop: &stop}, "carp", 0)
	for v.State == wire.StateOpen {
		v = servetest.Tell(t, s, v, servetest.AnswerFor("carp", v.Query.Text))
	}
	if v.State != wire.StateGuess || v.Guess.Text != "carp or goldfish" {
		t.Fatalf("%+v", v)
	}
	before := changes(t, store)
	done, err := s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: v.Step, Right: true})
	must(t, err)
	g, err := store.Game(t.Context(), v.ID)
	must(t, err)
	if done.State != wire.StateDone || done.Truth == nil || done.Truth.Place != 1 || fmt.Sprint(g.Objects) != "[2 3]" || g.Recommended != "carp or goldfish" || changes(t, store) != before+1 {
		t.Errorf("a right guess: %+v, game %+v", done, g)
	}
	if again, err := s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: v.Step, Right: true}); err != nil || again.Truth == nil {
		t.Errorf("the guess again: %+v, %v", again, err)
	}
	_, err = s.Guess(t.Context(), v.ID, &wire.GuessRequest{Step: v.Step})
	servetest.Faulty(t, err, 409, "was closed before")
	back, err := s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: done.Step})
	must(t, err)
	if back.State != wire.StateGuess || changes(t, store) != before+2 {
		t.Errorf("undone: %+v", back)
	}
}

// TestTruthsThatTeachNothing: without --learn, and of labelling unless that is wanted, truths are kept and not learned.
func TestTruthsThatTeachNothing(t *testing.T) {
	path := servetest.WriteTable(t, servetest.Pets)
	for _, c := range []struct {
		o         learning.Options
		labelling bool
		want      bool
	}{{learning.Options{On: true}, false, true}, {learning.Options{On: true}, true, false}, {learning.Options{On: true, Labelling: true}, true, true}, {learning.Options{}, false, false}} {
		store := servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) })
		s, set := servetest.Keeping(t, store, sessions.Options{Learn: c.o}, servetest.Learns, path)
		v := servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{Labelling: c.labelling}, "dog", 2).ID, "dog")
		g, err := store.Game(t.Context(), v.ID)
		must(t, err)
		if g.Learn != c.want || (changes(t, store) > 0) != c.want || len(g.Answers) != 2 || g.Truth != "dog" {
			t.Errorf("%+v, labelling %v: game %+v, %d changes", c.o, c.labelling, g, changes(t, store))
		}
		if p := servetest.InService(set); p.Learning != c.o.On {
			t.Errorf("%+v: learning %v", c.o, p.Learning)
		}
	}
}

// TestCorrections: within a day anybody who has the session's id may correct or withdraw a truth, later an admin.
func TestCorrections(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		var late atomic.Int64
		store := servetest.Opened(t, open)
		s, _ := servetest.Learning(t, store, sessions.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }}, servetest.WriteTable(t, servetest.Pets))
		v := servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "dog", 3).ID, "dog")
		client := servetest.From(t, "203.0.113.9")
		if _, err := s.Tell(client, v.ID, &wire.TruthRequest{Truth: "cat"}); err != nil {
			t.Errorf("a correction on the first day: %v", err)
		}
		late.Store(int64(24*time.Hour + time.Minute))
		if _, err := s.Tell(client, v.ID, &wire.TruthRequest{Truth: "cat"}); err != nil {
			t.Errorf("the same truth again: %v", err)
		}
		_, err := s.Tell(client, v.ID, &wire.TruthRequest{Truth: "dog"})
		servetest.Faulty(t, err, 403, "needs a token with admin rights")
		_, err = s.Undo(client, v.ID, &wire.UndoRequest{Step: v.Step})
		servetest.Faulty(t, err, 403, "needs a token with admin rights")
		_, err = s.Tell(client, v.ID, &wire.TruthRequest{Truth: "walrus", New: true})
		servetest.Faulty(t, err, 403, "needs a token with admin rights")
		if r, err := s.Review(t.Context(), "pets"); err != nil || len(r.Proposals) != 0 {
			t.Errorf("a refused truth leaves proposals: %+v, %v", r, err)
		}
		if changes(t, store) != 2 {
			t.Errorf("%d changes, want a truth and its correction", changes(t, store))
		}
		if _, err := s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: "dog"}); err != nil || changes(t, store) != 3 {
			t.Errorf("an admin's correction: %v", err)
		}
	})
}

// TestProposedObject: a truth that is not an object is kept with a proposal; once that is accepted, the next version has the
// object, with its game.
func TestProposedObject(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := servetest.Opened(t, open)
		s, set := servetest.Learning(t, store, sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
		v, err := s.Tell(t.Context(), servetest.PlayThrough(t, s, wire.NewSession{}, "parrot", 3).ID, &wire.TruthRequest{Truth: "sea  lion", New: true})
		must(t, err)
		if v.Truth == nil || v.Truth.Known || v.Truth.Text != "sea lion" || changes(t, store) != 0 {
			t.Errorf("proposed: %+v, %d changes", v.Truth, changes(t, store))
		}
		_, err = s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: strings.Repeat("x", 201), New: true})
		servetest.Faulty(t, err, 422, "201 characters")
		n, err := s.ProposeQuestion(t.Context(), "pets", &wire.QuestionRequest{Text: "Does it have whiskers?", Answer: wire.Reply{Answer: play.Yes}, Game: v.ID})
		must(t, err)
		_, err = s.ProposeQuestion(t.Context(), "pets", &wire.QuestionRequest{Text: "barks?"})
		servetest.Faulty(t, err, 409, "is a question of the table already")
		_, err = s.ProposeQuestion(t.Context(), "pets", &wire.QuestionRequest{Text: "hm?", Game: database.NewID()})
		servetest.Faulty(t, err, 404, "no game")
		r, err := s.Review(t.Context(), "pets")
		must(t, err)
		if len(r.Proposals) != 2 {
			t.Fatalf("%+v", r)
		}
		for _, p := range r.Proposals {
			_, err := s.Decide(t.Context(), "pets", &wire.DecisionRequest{Proposal: p.ID, Decision: "accept"})
			must(t, err)
		}
		servetest.Tends(t, s)
		p, version, games := set.Get("pets"), servetest.InService(set).Version, servetest.LearnedFrom(t, s)
		query, err := p.Query("Does it have whiskers?")
		must(t, err)
		row := p.Hypothesis("sea lion")
		if version != 1 || games != 1 || row < 0 || n == 0 {
			t.Fatalf("version %d of %d games, the new object is %d", version, games, row)
		}
		if yes := p.Problem().Seek.(*game.Shares).Row(row, p.Problem().Queries())[query]; yes < 0.7 {
			t.Errorf("the answer of the question's author is a share of %g", yes)
		}
		list, err := s.Objects(t.Context(), "pets", "sea", 5)
		if err != nil || len(list) != 1 || list[0] != "sea lion" {
			t.Errorf("completed to %q, %v", list, err)
		}
		if v, err = s.View(t.Context(), v.ID); err != nil || !v.Truth.Known {
			t.Errorf("after it was accepted: %+v, %v", v.Truth, err)
		}
		if _, err := store.Withdraw(t.Context(), v.ID); err != nil {
			t.Error(err)
		}
	})
}

// TestProposedForItsPolicy: a question cites a told game of the policy that it is proposed to; one of another policy is refused,
// as its truth would be looked up in the wrong table.
func TestProposedForItsPolicy(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		others := filepath.Join(t.TempDir(), "others.csv")
		must(t, os.WriteFile(others, []byte(servetest.Pets), 0o600))
		s, _ := servetest.Learning(t, servetest.Opened(t, open), sessions.Options{}, servetest.WriteTable(t, servetest.Pets), others)
		v := servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{Policy: "pets"}, "dog", 3).ID, "dog")
		ask := func(policy string) error {
			_, err := s.ProposeQuestion(t.Context(), policy, &wire.QuestionRequest{Text: "Does it have whiskers?", Answer: wire.Reply{Answer: play.Yes}, Game: v.ID})
			return err
		}
		servetest.Faulty(t, ask("others"), 404, "no game")
		must(t, ask("pets"))
	})
}

// TestProposedAgain: names that an earlier table of this id had, and today's has not, are learned once they are proposed
// and accepted.
func TestProposedAgain(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := servetest.Opened(t, open)
		_, err := store.Enlist(t.Context(), "pets", []string{"sea lion"}, []string{"Does it have whiskers?"})
		must(t, err)
		s, set := servetest.Learning(t, store, sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
		v, err := s.Tell(t.Context(), servetest.PlayThrough(t, s, wire.NewSession{}, "parrot", 3).ID, &wire.TruthRequest{Truth: "Sea Lion", New: true})
		must(t, err)
		_, err = s.ProposeQuestion(t.Context(), "pets", &wire.QuestionRequest{Text: "does it have whiskers?", Answer: wire.Reply{Answer: play.Yes}, Game: v.ID})
		must(t, err)
		r, err := s.Review(t.Context(), "pets")
		must(t, err)
		for _, p := range r.Proposals {
			_, err := s.Decide(t.Context(), "pets", &wire.DecisionRequest{Proposal: p.ID, Decision: "accept"})
			must(t, err)
		}
		servetest.Tends(t, s)
		p, version, games := set.Get("pets"), servetest.InService(set).Version, servetest.LearnedFrom(t, s)
		query, err := p.Query("Does it have whiskers?")
		must(t, err)
		row := p.Hypothesis("sea lion")
		if version != 1 || games != 1 || row < 0 {
			t.Fatalf("version %d of %d games, the object is %d", version, games, row)
		}
		if yes := p.Problem().Seek.(*game.Shares).Row(row, p.Problem().Queries())[query]; yes < 0.7 {
			t.Errorf("the answer of the question's author is a share of %g", yes)
		}
		servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "parrot", 2).ID, "sea lion")
	})
}

// TestAcceptedAsGiven: an object of today's table leaves the table with its row, also where a proposal was accepted as it.
func TestAcceptedAsGiven(t *testing.T) {
	store := servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) })
	s, _ := servetest.Learning(t, store, sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
	servetest.Truth(t, s, servetest.PlayThrough(t, s, wire.NewSession{}, "parrot", 3).ID, "parrot")
	_, err := s.Tell(t.Context(), servetest.PlayThrough(t, s, wire.NewSession{}, "parrot", 3).ID, &wire.TruthRequest{Truth: "macaw", New: true})
	must(t, err)
	r, err := s.Review(t.Context(), "pets")
	must(t, err)
	_, err = s.Decide(t.Context(), "pets", &wire.DecisionRequest{Proposal: r.Proposals[0].ID, Decision: "accept", As: "Parrot"})
	must(t, err)
	v, err := store.Enlist(t.Context(), "pets", nil, nil)
	must(t, err)
	for _, name := range v.Objects {
		if name.Accepted {
			t.Errorf("%q is kept without its row", name.Text)
		}
	}
}

// TestTooManyProposals: a client has at most 20 open.
func TestTooManyProposals(t *testing.T) {
	s, _ := servetest.Learning(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
	for i := range 21 {
		_, err := s.ProposeQuestion(servetest.From(t, "203.0.113.9"), "pets", &wire.QuestionRequest{Text: fmt.Sprintf("question %d?", i)})
		if i < 20 {
			must(t, err)
		} else {
			servetest.Faulty(t, err, 429, "20 proposals of this client wait")
		}
	}
	if _, err := s.ProposeQuestion(servetest.From(t, "203.0.113.10"), "pets", &wire.QuestionRequest{Text: "another client's?"}); err != nil {
		t.Error(err)
	}
}

// TestSubmit: a game played elsewhere is kept once by its key, and withdrawn by it.
func TestSubmit(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := servetest.Opened(t, open)
		s, set := servetest.Learning(t, store, sessions.Options{Learn: learning.Options{Every: 1}}, servetest.WriteTable(t, servetest.Pets))
		hash := set.Get("pets").Hash()
		const key = "0123456789abcdef"
		ref := func(text string) wire.Ref { return wire.Ref{Text: text, ByText: true} }
		in := &wire.GameRequest{TruthRequest: wire.TruthRequest{Truth: "Dog"}, Recommendation: "cat", History: []wire.HistoryEntry{
			{Query: ref("barks?"), Answer: wire.Reply{Answer: play.Yes}}, {Query: ref("sings?"), Answer: wire.Reply{Answer: play.DontKnow}}, {Query: wire.Ref{Index: 1}, Answer: wire.Reply{Answer: play.ProbablyNot}}}}
		client := servetest.From(t, "203.0.113.9")
		out, created, err := s.Submit(client, "pets", key, in)
		must(t, err)
		g, err := store.Game(t.Context(), out.ID)
		must(t, err)
		if !created || out.ID != "pets/"+key || out.Truth.Text != "dog" || out.Truth.Place != 1 || len(g.Answers) != 2 || !strings.HasPrefix(g.Client.ID, "a:") || !g.Client.Capped || strings.Contains(g.Client.ID, "203.0") {
			t.Errorf("kept as %+v: %+v", g, out)
		}
		if _, created, err = s.Submit(client, "pets", key, in); err != nil || created || changes(t, store) != 1 {
			t.Errorf("again: %v, %v, %d changes", created, err, changes(t, store))
		}
		in.Truth = "cat"
		_, _, err = s.Submit(client, "pets", key, in)
		servetest.Faulty(t, err, 409, "another game was sent with this idempotency key")
		for _, bad := range []struct {
			policy, key string
			in          wire.GameRequest
			status      int
			reason      string
		}{
			{"pets", "short", *in, 422, "the idempotency key must have 16 to 128"},
			{"cows", key, *in, 404, `no policy is called "cows"`},
			{"pets", key, wire.GameRequest{TruthRequest: wire.TruthRequest{Truth: "dog"}, History: in.History[1:2]}, 409, "the game has no answer"},
			{"pets", key, wire.GameRequest{TruthRequest: wire.TruthRequest{Truth: "cow"}, History: in.History}, 422, "is not an object"},
			{"pets", key, wire.GameRequest{TruthRequest: wire.TruthRequest{Truth: "dog"}, History: append(in.History, in.History[0])}, 422, "which was answered before"},
		} {
			_, _, err := s.Submit(client, bad.policy, bad.key, &bad.in)
			servetest.Faulty(t, err, bad.status, bad.reason)
		}
		if servetest.Tends(t, s); servetest.InService(set).Version != 1 {
			t.Error("a game played elsewhere teaches nothing")
		}
		must(t, s.WithdrawGame(client, "pets", key))
		servetest.Faulty(t, s.WithdrawGame(client, "pets", key), 404, "no such game")
		if servetest.Tends(t, s); set.Get("pets").Hash() != hash {
			t.Error("the game that was withdrawn still teaches")
		}
	})
}

// TestClients: a client is its token, its address by a key of the day, or this machine.
func TestClients(t *testing.T) {
	var late atomic.Int64
	s, _ := servetest.Learning(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }}, servetest.WriteTable(t, servetest.Pets))
	of := func(r sessions.Requester) database.Client {
		c, err := s.Client(sessions.WithRequester(t.Context(), &r))
		must(t, err)
		return c
	}
	address := func(text string) sessions.Requester { return sessions.Requester{Address: text} }
	one, two := of(address("203.0.113.9")), of(address("203.0.113.10"))
	if one == two || one != of(address("203.0.113.9")) || !one.Capped {
		t.Errorf("addresses are %+v and %+v", one, two)
	}
	token := sessions.Requester{Token: "digest", Address: "203.0.113.9"}
	before := of(token)
	late.Store(int64(24 * time.Hour))
	if of(address("203.0.113.9")) == one || of(token) != before || before.Capped || !strings.HasPrefix(before.ID, "t:") {
		t.Errorf("a day later the address is %+v, the token %+v", of(address("203.0.113.9")), of(token))
	}
	if local := of(sessions.Requester{Loopback: true}); local.ID != "l" || local.Capped {
		t.Errorf("this machine is %+v", local)
	}
}
