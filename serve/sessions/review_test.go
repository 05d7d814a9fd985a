package sessions_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// proposed keeps a proposal of policy p and returns its number.
func proposed(t testing.TB, s database.Store, kind, text, from string, answer play.Answer) int64 {
	t.Helper()
	p, err := s.Propose(t.Context(), database.Proposal{Policy: "p", Kind: kind, Text: text, Client: "l", Game: from, Answer: answer, Created: servetest.SomeTime})
	must(t, err)
	return p.ID
}

// TestReview: what waits for a decision is listed with what helps to decide, and goes when it is decided.
func TestReview(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s, ctx := servetest.Opened(t, open), t.Context()
		_, err := s.Enlist(ctx, "p", []string{"cat", "penguin", "Sea Lion"}, []string{"Does it fly?", "Is it big?"})
		must(t, err)
		okapi, swim := proposed(t, s, database.KindObject, "okapi", "", play.DontKnow), proposed(t, s, database.KindQuestion, "Does it swim?", "p/penguin", play.Probably)
		pengin, flies := proposed(t, s, database.KindObject, "pengin", "", play.DontKnow), proposed(t, s, database.KindQuestion, "does it  fly", "", play.DontKnow)
		told := someTruth("p/penguin", 0, 1, play.Answered{Query: 0, Answer: play.No})
		told.Truth = "penguin"
		mustTell(t, s, told, database.TellNew)
		for i, p := range []int64{okapi, okapi, pengin} {
			told := someTruth(fmt.Sprint("p/", i), 0, 0, play.Answered{Query: 1, Answer: play.Yes})
			told.Objects, told.Proposal, told.Truth = nil, p, "as told"
			mustTell(t, s, told, database.TellNew)
		}
		r, err := sessions.ReviewOf(ctx, s, "p")
		must(t, err)
		want := []wire.ProposalView{
			{ID: okapi, Kind: database.KindObject, Text: "okapi", Games: 2, Similar: []string{}, Created: servetest.SomeTime},
			{ID: swim, Kind: database.KindQuestion, Text: "Does it swim?", Answer: wire.Reply{Answer: play.Probably}, Truth: "penguin", Similar: []string{"Does it fly?"}, Created: servetest.SomeTime},
			{ID: pengin, Kind: database.KindObject, Text: "pengin", Games: 1, Similar: []string{"penguin"}, Created: servetest.SomeTime},
			{ID: flies, Kind: database.KindQuestion, Text: "does it  fly", Similar: []string{"Does it fly?"}, Created: servetest.SomeTime},
		}
		if !reflect.DeepEqual(r.Proposals, want) || len(r.SetAside) != 0 || r.Version != 0 || r.Built != nil {
			t.Fatalf("the review is\n%+v, want\n%+v", r, want)
		}
		decide := func(in wire.DecisionRequest) {
			t.Helper()
			must(t, sessions.Decide(ctx, s, "p", &in, nil, servetest.SomeTime))
		}
		decide(wire.DecisionRequest{Proposal: okapi, Decision: "accept"})
		decide(wire.DecisionRequest{Proposal: okapi, Decision: "accept"})
		decide(wire.DecisionRequest{Proposal: pengin, Decision: "accept", As: " PENGUIN "})
		decide(wire.DecisionRequest{Proposal: swim, Decision: "accept", As: "Does it swim well?", Yes: []string{"sea lion", "okapi", "sea lion"}, No: []string{"Cat"}})
		decide(wire.DecisionRequest{Proposal: flies, Decision: "reject"})
		r, err = sessions.ReviewOf(ctx, s, "p")
		must(t, err)
		v, err := s.Enlist(ctx, "p", nil, nil)
		must(t, err)
		if got := sessions.Texts(v.Objects); len(r.Proposals) != 0 || !slices.Equal(got, []string{"cat", "penguin", "Sea Lion", "okapi"}) {
			t.Errorf("objects %q, and %+v is left", got, r.Proposals)
		}
		if q := v.Questions[len(v.Questions)-1]; !reflect.DeepEqual(q, database.Name{Text: "Does it swim well?", Accepted: true, Yes: []int{2, 3, 1}, No: []int{0}}) {
			t.Errorf("the question is %+v", q)
		}
		mustCount(t, s, "p", 1+3, cell(1, learn.OfGames, 4, 0), cell(1, 0, 0, 2), cell(1, 1, 2, 0), cell(3, learn.OfGames, 4, 0), cell(3, 1, 4, 0))
	})
}

// TestDecisionFaults: a decision that does not fit is refused in one line, and changes nothing.
func TestDecisionFaults(t *testing.T) {
	s, ctx := servetest.Opened(t, servetest.Stores["sqlite"](t)), t.Context()
	_, err := s.Enlist(ctx, "p", []string{"cat", "penguin"}, []string{"Does it fly?"})
	must(t, err)
	object, question, gone := proposed(t, s, database.KindObject, "okapi", "", play.DontKnow), proposed(t, s, database.KindQuestion, "Does it swim?", "", play.DontKnow), proposed(t, s, database.KindObject, "dragon", "", play.DontKnow)
	must(t, sessions.Decide(ctx, s, "p", &wire.DecisionRequest{Proposal: gone, Decision: "reject"}, nil, servetest.SomeTime))
	for name, c := range map[string]struct {
		in     wire.DecisionRequest
		status int
		reason string
	}{
		"decision":          {wire.DecisionRequest{Proposal: object, Decision: "maybe"}, http.StatusUnprocessableEntity, `the decision is "maybe"; it must be accept, reject or restore`},
		"no proposal":       {wire.DecisionRequest{Decision: "accept"}, http.StatusUnprocessableEntity, "give its number"},
		"client":            {wire.DecisionRequest{Proposal: object, Client: "a:x", Decision: "reject"}, http.StatusUnprocessableEntity, "no client"},
		"unknown":           {wire.DecisionRequest{Proposal: 99, Decision: "accept"}, http.StatusNotFound, "p has no proposal 99"},
		"unknown, rejected": {wire.DecisionRequest{Proposal: 99, Decision: "reject"}, http.StatusNotFound, "p has no proposal 99"},
		"decided":           {wire.DecisionRequest{Proposal: gone, Decision: "accept"}, http.StatusConflict, "decided otherwise before"},
		"rejected as":       {wire.DecisionRequest{Proposal: object, Decision: "reject", As: "x"}, http.StatusUnprocessableEntity, "for a proposal that is accepted"},
		"object with yes":   {wire.DecisionRequest{Proposal: object, Decision: "accept", Yes: []string{"cat"}}, http.StatusUnprocessableEntity, "answers to a question"},
		"unknown object":    {wire.DecisionRequest{Proposal: question, Decision: "accept", Yes: []string{"pengin"}}, http.StatusUnprocessableEntity, `"pengin" is not an object of the table; did you mean "penguin"? Each name under yes must be an object.`},
		"both":              {wire.DecisionRequest{Proposal: question, Decision: "accept", Yes: []string{"cat"}, No: []string{"CAT"}}, http.StatusUnprocessableEntity, `"cat" has both answers`},
		"long":              {wire.DecisionRequest{Proposal: object, Decision: "accept", As: strings.Repeat("x", 201)}, http.StatusUnprocessableEntity, "more than 200"},
		"hidden":            {wire.DecisionRequest{Proposal: object, Decision: "accept", As: "a\u202eb"}, http.StatusUnprocessableEntity, "cannot be shown"},
		"no client":         {wire.DecisionRequest{Decision: "restore"}, http.StatusUnprocessableEntity, "give its name"},
		"client not aside":  {wire.DecisionRequest{Client: "a:x", Decision: "restore"}, http.StatusNotFound, `no client "a:x" is set aside for p`},
		"restored proposal": {wire.DecisionRequest{Client: "a:x", Proposal: object, Decision: "restore"}, http.StatusUnprocessableEntity, "nothing else"},
	} {
		t.Run(name, func(t *testing.T) {
			servetest.Faulty(t, sessions.Decide(ctx, s, "p", &c.in, nil, servetest.SomeTime), c.status, c.reason)
		})
	}
	r, err := sessions.ReviewOf(ctx, s, "p")
	must(t, err)
	if len(r.Proposals) != 2 {
		t.Errorf("%+v is left, want the object and the question", r.Proposals)
	}
}

// TestRestored: a client that is set aside is listed until it is restored.
func TestRestored(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s, ctx := servetest.Opened(t, open), t.Context()
		enlisted(t, s, "p", 2, 1)
		mustTell(t, s, someTruth("p/a", 0, 1, play.Answered{Query: 0, Answer: play.Yes}), database.TellNew)
		_, err := s.Exclusive(ctx, "p", func(write func(database.VersionWrite) error) error {
			return write(database.VersionWrite{VersionInfo: database.VersionInfo{Version: 1, Built: servetest.SomeTime, Games: 41, Objects: 2, Questions: 1}, Changes: 1,
				Exclude: []string{"p/a"}, Aside: []database.Aside{{Client: "a:x", Games: 10, Median: -1.5, Quantile: -0.5}}})
		})
		must(t, err)
		r, err := sessions.ReviewOf(ctx, s, "p")
		must(t, err)
		if want := []wire.AsideView{{Client: "a:x", Games: 10, Median: -1.5, Quantile: -0.5, Since: servetest.SomeTime}}; !reflect.DeepEqual(r.SetAside, want) || r.Version != 1 || r.Games != 41 || !r.Built.Equal(servetest.SomeTime) {
			t.Errorf("the review is %+v, want the clients %+v", r, want)
		}
		must(t, sessions.Decide(ctx, s, "p", &wire.DecisionRequest{Client: "a:x", Decision: "restore"}, nil, servetest.SomeTime))
		r, err = sessions.ReviewOf(ctx, s, "p")
		must(t, err)
		if len(r.SetAside) != 0 {
			t.Errorf("%+v is set aside after it was restored", r.SetAside)
		}
	})
}

// TestSurvey: policies are those that have names; sessions whose truth was not told are counted by their last guess.
func TestSurvey(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s, ctx := servetest.Opened(t, open), t.Context()
		enlisted(t, s, "b", 1, 1)
		enlisted(t, s, "a b", 1, 1)
		ids, err := s.Policies(ctx)
		if want := []string{"a b", "b"}; err != nil || !slices.Equal(ids, want) {
			t.Errorf("the policies are %q, %v; want %q", ids, err, want)
		}
		for i, outcomes := range [][]string{{database.OutcomeAnswer}, {database.OutcomeAnswer, database.OutcomeWrong}, {database.OutcomeAnswer, database.OutcomeWrong, database.OutcomeWrong, database.OutcomeRight}, {database.OutcomeAnswer, database.OutcomeRight}, {database.OutcomeDontKnow}, {}, {database.OutcomeAnswer, database.OutcomeWrong}} {
			n, turn := someSession(fmt.Sprint("s", i))
			n.Policy, n.Labelling = "p", i == 6
			must(t, s.Create(ctx, n, turn))
			for _, outcome := range outcomes {
				a := step(n.ID, turn, play.Yes)
				if a.Closed.Outcome = outcome; outcome == database.OutcomeRight || outcome == database.OutcomeWrong {
					a.Closed.Answer = play.DontKnow
				}
				ok, err := s.Advance(ctx, a)
				mustBe(t, ok, err, true)
				turn = a.Next
			}
		}
		u, err := s.Untold(ctx, "p")
		if want := (database.Untold{Right: 2, Wrong: 1, None: 1}); err != nil || u != want {
			t.Errorf("untold are %+v, %v; want %+v", u, err, want)
		}
	})
}

// TestReviewRights: who has no admin's token may neither review nor decide, and without tokens only a client on the
// server's machine may.
func TestReviewRights(t *testing.T) {
	store := servetest.Opened(t, servetest.Stores["sqlite"](t))
	s, _ := servetest.Keeping(t, store, sessions.Options{Clock: func() time.Time { return servetest.SomeTime }}, nil, servetest.Write(t, t.TempDir(), "p", servetest.Wheels(), nil))
	for name, c := range map[string]struct {
		who sessions.Requester
		may bool
	}{
		"local":       {sessions.Requester{Admin: true, Loopback: true}, true},
		"elsewhere":   {sessions.Requester{}, false},
		"ask token":   {sessions.Requester{Token: "x", Loopback: true}, false},
		"admin token": {sessions.Requester{Admin: true, Token: "x"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := sessions.WithRequester(t.Context(), &c.who)
			id := proposed(t, store, database.KindObject, "okapi "+name, "", play.DontKnow)
			_, seen := s.Review(ctx, "p")
			_, decided := s.Decide(ctx, "p", &wire.DecisionRequest{Proposal: id, Decision: "reject"})
			if c.may {
				must(t, seen)
				must(t, decided)
				return
			}
			servetest.Faulty(t, seen, http.StatusForbidden, "admin rights")
			servetest.Faulty(t, decided, http.StatusForbidden, "admin rights")
		})
	}
	_, err := s.Review(t.Context(), "q")
	servetest.Faulty(t, err, http.StatusNotFound, `no policy is called "q"`)
}
