package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// overHTTP asks a server of the pets' table over HTTP, with tokens and a clock.
type overHTTP struct {
	t       testing.TB
	s       *sessions.Sessions
	set     *policies.Set
	store   database.Store
	h       http.Handler
	now     time.Time
	headers []string // of every request
}

func newOverHTTP(t testing.TB) *overHTTP {
	e := &overHTTP{t: t, store: servetest.Opened(t, servetest.Stores["sqlite"](t)), now: servetest.SomeTime, headers: []string{"Authorization", "Bearer " + askToken}}
	e.s, e.set = servetest.Learning(t, e.store, sessions.Options{Clock: func() time.Time { return e.now }}, servetest.WriteTable(t, servetest.Pets))
	e.h = New(e.set, e.s, Options{AskTokens: []string{askToken, "another-token-0123"}, AdminTokens: []string{adminToken}}).Handler()
	return e
}

// as returns e with another token.
func (e *overHTTP) as(token string) *overHTTP {
	other := *e
	other.headers = []string{"Authorization", "Bearer " + token}
	return &other
}

// toldReply is as much of a reply as the tests read.
type toldReply struct {
	ID, State, Detail string
	Step              int
	Query             *struct{ Text string }
	Truth             *wire.TruthView
	Nearest           []string
	Objects           []string
	Proposal          int64
	Proposals         []wire.ProposalView
	SetAside          []wire.AsideView `json:"set_aside"`
	Version           int
}

// ask sends a request, and wants a status and a part of the reply.
func (e *overHTTP) ask(status int, part, method, path, body string, headers ...string) (r toldReply) {
	e.t.Helper()
	in := request(method, path, body, append(headers, e.headers...)...)
	in.RemoteAddr = "127.0.0.1:5"
	w := httptest.NewRecorder()
	e.h.ServeHTTP(w, in)
	if w.Code != status || !strings.Contains(strings.ReplaceAll(w.Body.String(), `\"`, `"`), part) {
		e.t.Fatalf("%s %s %s: %d %s; want %d with %q", method, path, body, w.Code, w.Body, status, part)
	}
	if w.Body.Len() > 0 {
		must(e.t, json.Unmarshal(w.Body.Bytes(), &r))
	}
	if status >= 400 && (w.Header().Get("Content-Type") != "application/problem+json" || r.Detail == "" || strings.Contains(r.Detail, "\n")) {
		e.t.Errorf("%s %s: %s is told as %s", method, path, w.Body, w.Header().Get("Content-Type"))
	}
	return r
}

// played begins a session of an object and answers n questions.
func (e *overHTTP) played(object string, n int) toldReply {
	e.t.Helper()
	r := e.ask(http.StatusCreated, "", "POST", "/v1/sessions", `{"policy": "pets", "seed": 1}`)
	for range n {
		answer := servetest.AnswerFor(object, r.Query.Text).Value()
		r = e.ask(http.StatusOK, "", "POST", "/v1/sessions/"+r.ID+"/answers", fmt.Sprintf(`{"step": %d, "answer": %g}`, r.Step, answer))
	}
	return r
}

// counts returns how many games the counts have, by the object's name.
func (e *overHTTP) counts() map[string]int64 {
	e.t.Helper()
	now, err := e.store.Snapshot(e.t.Context(), "pets")
	must(e.t, err)
	games := map[string]int64{}
	for _, c := range now.Counts {
		if c.Question == learn.OfGames {
			games[now.Objects[c.Object].Text] = c.Yes / 2
		}
	}
	return games
}

func (e *overHTTP) wantCounts(want map[string]int64) {
	e.t.Helper()
	if got := e.counts(); !reflect.DeepEqual(got, want) {
		e.t.Errorf("the games counted are %v, want %v", got, want)
	}
}

// TestTruthAPI: a truth is told, told again, corrected within 24 hours, later by an admin, and taken back.
func TestTruthAPI(t *testing.T) {
	e := newOverHTTP(t)
	fresh := e.played("cat", 0)
	e.ask(http.StatusConflict, "no answer", "POST", "/v1/sessions/"+fresh.ID+"/truth", `{"truth": "cat"}`)
	r := e.played("cat", 2)
	path := "/v1/sessions/" + r.ID + "/truth"
	if near := e.ask(http.StatusUnprocessableEntity, `"cap" is not an object`, "POST", path, `{"truth": "cap"}`).Nearest; !reflect.DeepEqual(near, []string{"carp", "cat"}) && !reflect.DeepEqual(near, []string{"cat", "carp"}) {
		t.Errorf("the nearest names are %q", near)
	}
	if r := e.ask(http.StatusOK, "", "GET", "/v1/sessions/"+r.ID, ""); r.State != wire.StateOpen || r.Truth != nil {
		t.Fatalf("after a truth that is not an object the session is %+v", r)
	}
	r = e.ask(http.StatusOK, "", "POST", path, `{"truth": " CAT "}`)
	if r.State != wire.StateDone || r.Truth == nil || r.Truth.Text != "cat" || !r.Truth.Known || r.Truth.Place != 1 || r.Truth.Confidence == nil {
		t.Fatalf("the session is %+v, its truth %+v", r, r.Truth)
	}
	e.ask(http.StatusOK, `"cat"`, "POST", path, `{"truth": "cat"}`)
	e.wantCounts(map[string]int64{"cat": 1})
	e.ask(http.StatusConflict, "truth was told", "POST", "/v1/sessions/"+r.ID+"/answers", fmt.Sprintf(`{"step": %d, "answer": true}`, r.Step))

	e.now = e.now.Add(23 * time.Hour)
	e.ask(http.StatusOK, `"dog"`, "POST", path, `{"truth": "dog"}`)
	e.wantCounts(map[string]int64{"dog": 1})
	e.now = e.now.Add(2 * time.Hour)
	e.ask(http.StatusForbidden, "admin rights", "POST", path, `{"truth": "cat"}`)
	e.ask(http.StatusForbidden, "admin rights", "POST", "/v1/sessions/"+r.ID+"/undo", fmt.Sprintf(`{"step": %d}`, r.Step))
	e.ask(http.StatusOK, `"dog"`, "POST", path, `{"truth": "dog"}`)
	e.wantCounts(map[string]int64{"dog": 1})
	e.as(adminToken).ask(http.StatusOK, `"carp or goldfish"`, "POST", path, `{"truth": "carp or goldfish"}`)
	e.wantCounts(map[string]int64{"carp": 1, "goldfish": 1})
	e.ask(http.StatusForbidden, "admin rights", "DELETE", "/v1/sessions/"+r.ID, "")
	e.as(adminToken).ask(http.StatusNoContent, "", "DELETE", "/v1/sessions/"+r.ID, "")
	e.wantCounts(map[string]int64{})
}

// TestTruthUndone: an undo takes a truth back, and the game goes on.
func TestTruthUndone(t *testing.T) {
	e := newOverHTTP(t)
	r := e.played("dog", 2)
	r = e.ask(http.StatusOK, "", "POST", "/v1/sessions/"+r.ID+"/truth", `{"truth": "dog"}`)
	r = e.ask(http.StatusOK, "", "POST", "/v1/sessions/"+r.ID+"/undo", fmt.Sprintf(`{"step": %d}`, r.Step))
	if r.State != wire.StateOpen || r.Truth != nil || r.Query == nil {
		t.Fatalf("after the undo the session is %+v", r)
	}
	e.wantCounts(map[string]int64{})
}

// TestLearningWithoutTokens: who reaches a server that learns through a proxy may play and tell truths, and neither list
// sessions, whose ids are all that it takes to correct a truth, nor delete or review.
func TestLearningWithoutTokens(t *testing.T) {
	e := newOverHTTP(t)
	e.h = New(e.set, e.s, Options{Proxies: trusted(t, "127.0.0.1")}).Handler()
	proxied := *e
	proxied.headers = []string{"X-Forwarded-For", "203.0.113.9"}
	r := proxied.played("cat", 1)
	proxied.ask(http.StatusOK, "cat", "POST", "/v1/sessions/"+r.ID+"/truth", `{"truth": "cat"}`)
	now, err := e.store.Snapshot(t.Context(), "pets")
	must(t, err)
	if c := now.Games[0].Client; !c.Capped || !strings.HasPrefix(c.ID, "a:") || strings.Contains(c.ID, "203.0") {
		t.Errorf("the client is %+v", c)
	}
	local := New(e.set, e.s, Options{}).Handler()
	for path, decision := range map[string]string{
		"GET /v1/sessions": "", "GET /v1/policies/pets/review": "", "POST /v1/policies/pets/review": `{"client": "a:x", "decision": "restore"}`, "GET /metrics": "", "DELETE /v1/sessions/" + r.ID: "",
	} {
		method, path, _ := strings.Cut(path, " ")
		proxied.ask(http.StatusForbidden, "on its own machine", method, path, decision)
		if in := request(method, path, decision); method == "GET" {
			in.RemoteAddr = "127.0.0.1:5"
			if code, text := status(local, in); code != http.StatusOK {
				t.Errorf("%s on the machine: %d %s", path, code, text)
			}
		}
	}
}

// TestRightGuessAPI: a right guess is a truth, a wrong one is not.
func TestRightGuessAPI(t *testing.T) {
	e := newOverHTTP(t)
	for _, right := range []bool{true, false} {
		r := e.ask(http.StatusCreated, "", "POST", "/v1/sessions", `{"policy": "pets", "guess": true, "stop": 0.6}`)
		for r.State == wire.StateOpen {
			answer := servetest.AnswerFor("cat", r.Query.Text).Value()
			r = e.ask(http.StatusOK, "", "POST", "/v1/sessions/"+r.ID+"/answers", fmt.Sprintf(`{"step": %d, "answer": %g}`, r.Step, answer))
		}
		if r.State != wire.StateGuess {
			t.Fatalf("the session is %+v, want a guess", r)
		}
		r = e.ask(http.StatusOK, "", "POST", "/v1/sessions/"+r.ID+"/guess", fmt.Sprintf(`{"step": %d, "right": %v}`, r.Step, right))
		if told := r.Truth != nil; told != right {
			t.Errorf("after a guess that is right %v the truth is %+v", right, r.Truth)
		}
	}
	e.wantCounts(map[string]int64{"cat": 1})
}

// TestNewObjectAPI: a name that the table does not have is proposed if asked to, waits for an admin, and counts once it is
// accepted.
func TestNewObjectAPI(t *testing.T) {
	e := newOverHTTP(t)
	r := e.played("cat", 2)
	r = e.ask(http.StatusOK, "", "POST", "/v1/sessions/"+r.ID+"/truth", `{"truth": "lynx", "new": true}`)
	if r.State != wire.StateDone || r.Truth.Known || r.Truth.Text != "lynx" || r.Truth.Place != 0 {
		t.Fatalf("the truth is %+v", r.Truth)
	}
	e.wantCounts(map[string]int64{})
	admin := e.as(adminToken)
	open := admin.ask(http.StatusOK, "", "GET", "/v1/policies/pets/review", "").Proposals
	if len(open) != 1 || open[0].Text != "lynx" || open[0].Kind != database.KindObject || open[0].Games != 1 {
		t.Fatalf("the proposals are %+v", open)
	}
	for _, path := range []string{"GET /v1/policies/pets/review", "POST /v1/policies/pets/review"} {
		method, path, _ := strings.Cut(path, " ")
		e.ask(http.StatusForbidden, "admin rights", method, path, `{"proposal": 1, "decision": "accept"}`)
		e.as("").ask(http.StatusUnauthorized, "token", method, path, `{"proposal": 1, "decision": "accept"}`)
	}
	accept := fmt.Sprintf(`{"proposal": %d, "decision": "accept"}`, open[0].ID)
	for range 2 { // the same again changes nothing
		if r := admin.ask(http.StatusOK, "", "POST", "/v1/policies/pets/review", accept); len(r.Proposals) != 0 {
			t.Errorf("%+v is left to review", r.Proposals)
		}
	}
	e.wantCounts(map[string]int64{"lynx": 1})
	admin.ask(http.StatusConflict, "decided otherwise", "POST", "/v1/policies/pets/review", fmt.Sprintf(`{"proposal": %d, "decision": "reject"}`, open[0].ID))
	admin.ask(http.StatusNotFound, "no proposal 99", "POST", "/v1/policies/pets/review", `{"proposal": 99, "decision": "reject"}`)
	admin.ask(http.StatusNotFound, "no client", "POST", "/v1/policies/pets/review", `{"client": "a:x", "decision": "restore"}`)
	admin.ask(http.StatusUnprocessableEntity, "accept", "POST", "/v1/policies/pets/review", `{"proposal": 1, "decision": "keep"}`)
	admin.ask(http.StatusNotFound, "no policy is called", "GET", "/v1/policies/wild/review", "")
	servetest.Tends(t, e.s)
	if got := e.ask(http.StatusOK, "", "GET", "/v1/policies/pets/objects?like=LY", "").Objects; !reflect.DeepEqual(got, []string{"lynx"}) {
		t.Errorf("ly is completed to %q after lynx was accepted", got)
	}
	admin.ask(http.StatusOK, `"version":1`, "GET", "/v1/policies/pets/review", "")
	e.ask(http.StatusOK, `"learning":true,"version":1`, "GET", "/v1/policies", "")
}

// TestObjectsAPI: names are completed, as many as wanted.
func TestObjectsAPI(t *testing.T) {
	e := newOverHTTP(t)
	for query, want := range map[string][]string{
		"?like=c": {"carp", "cat"}, "?like=C&limit=1": {"carp"}, "?like=budg": {"Budgie"}, "?like=ar": {"carp", "parrot"}, "?like=x": {},
		"?limit=3": {"Budgie", "carp", "cat"}, "": {"Budgie", "carp", "cat", "dog", "goldfish", "parrot"},
	} {
		if got := e.ask(http.StatusOK, `"objects":[`, "GET", "/v1/policies/pets/objects"+query, "").Objects; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?like=" + strings.Repeat("x", 201)} {
		e.ask(http.StatusUnprocessableEntity, "validation failed", "GET", "/v1/policies/pets/objects"+query, "")
	}
	e.ask(http.StatusNotFound, "no policy is called", "GET", "/v1/policies/wild/objects", "")
}

// TestGamesAPI: a game that was played elsewhere counts once under its key, and is withdrawn by it.
func TestGamesAPI(t *testing.T) {
	e := newOverHTTP(t)
	const path, key = "/v1/policies/pets/games", "6f1ed002ab5595859014ebf0951522d9"
	const body = `{"truth": "cat", "recommendation": "dog", "history": [{"query": "purrs?", "answer": 1}, {"query": 0, "answer": -0.5}, {"query": 3, "answer": null}]}`
	send := func(status int, part, key, body string) toldReply {
		t.Helper()
		return e.ask(status, part, "POST", path, body, "Idempotency-Key", key)
	}
	r := send(http.StatusCreated, "", key, body)
	if r.ID != "pets/"+key || r.Truth.Text != "cat" || !r.Truth.Known {
		t.Fatalf("the game is %+v, its truth %+v", r, r.Truth)
	}
	send(http.StatusOK, "cat", key, body)
	e.wantCounts(map[string]int64{"cat": 1})
	send(http.StatusConflict, "another game", key, strings.Replace(body, "cat", "dog", 1))
	send(http.StatusConflict, "another game", key, strings.Replace(body, "-0.5", "-1", 1))
	other := strings.Replace(key, "6", "7", 1)
	for _, c := range []struct {
		status          int
		part, key, body string
	}{
		{http.StatusUnprocessableEntity, "required header parameter is missing", "", body},
		{http.StatusUnprocessableEntity, "expected length", "short", body},
		{http.StatusUnprocessableEntity, "expected string to match pattern", "6f1ed002ab559585 9014ebf0951522d9", body},
		{http.StatusUnprocessableEntity, "expected array length", other, `{"truth": "cat", "history": []}`},
		{http.StatusConflict, "no answer", other, `{"truth": "cat", "history": [{"query": 0, "answer": null}]}`},
		{http.StatusUnprocessableEntity, `did you mean`, other, strings.Replace(body, "cat", "catt", 1)},
		{http.StatusUnprocessableEntity, "history[0]: no query reads", other, strings.Replace(body, "purrs?", "hums?", 1)},
		{http.StatusUnprocessableEntity, "unexpected property", other, strings.Replace(body, "truth", "turth", 1)},
		{http.StatusBadRequest, "stands twice", other, strings.Replace(body, `"truth"`, `"truth": "dog", "truth"`, 1)},
		{http.StatusUnprocessableEntity, "which was answered before", other, strings.Replace(body, `"query": 0`, `"query": 1`, 1)},
	} {
		send(c.status, c.part, c.key, c.body)
	}
	e.wantCounts(map[string]int64{"cat": 1})
	r = send(http.StatusCreated, `"known":false`, other, strings.Replace(body, `"cat"`, `"lynx", "new": true`, 1))
	e.ask(http.StatusAccepted, "", "POST", "/v1/policies/pets/questions", fmt.Sprintf(`{"text": "Has it ear tufts?", "answer": 1, "game": %q}`, r.ID))
	e.ask(http.StatusNoContent, "", "DELETE", path+"/"+other, "")

	e.now = e.now.Add(25 * time.Hour)
	e.ask(http.StatusForbidden, "admin rights", "DELETE", path+"/"+key, "")
	e.wantCounts(map[string]int64{"cat": 1})
	e.as(adminToken).ask(http.StatusNoContent, "", "DELETE", path+"/"+key, "")
	e.ask(http.StatusNotFound, "no such game", "DELETE", path+"/"+key, "")
	e.wantCounts(map[string]int64{})
}

// TestProposalsAPI: a client may have 20 proposals open, and more once some are decided; the same question is proposed
// once.
func TestProposalsAPI(t *testing.T) {
	e := newOverHTTP(t)
	propose := func(e *overHTTP, status int, part, text string) int64 {
		t.Helper()
		return e.ask(status, part, "POST", "/v1/policies/pets/questions", fmt.Sprintf(`{"text": %q}`, text)).Proposal
	}
	first := propose(e, http.StatusAccepted, "", "Is it 0?")
	if again := propose(e, http.StatusAccepted, "", " is  it 0? "); again != first {
		t.Errorf("the same question is proposal %d and %d", first, again)
	}
	for i := range 19 {
		propose(e, http.StatusAccepted, "", fmt.Sprintf("Is it %d?", i+1))
	}
	propose(e, http.StatusTooManyRequests, "20 proposals of this client wait for review", "Is it 20?")
	r := e.played("cat", 1)
	e.ask(http.StatusTooManyRequests, "wait for review", "POST", "/v1/sessions/"+r.ID+"/truth", `{"truth": "lynx", "new": true}`)
	e.ask(http.StatusOK, "cat", "POST", "/v1/sessions/"+r.ID+"/truth", `{"truth": "cat"}`)
	propose(e.as("another-token-0123"), http.StatusAccepted, "", "Is it 20?")
	admin := e.as(adminToken)
	admin.ask(http.StatusOK, "", "POST", "/v1/policies/pets/review", fmt.Sprintf(`{"proposal": %d, "decision": "reject"}`, first))
	propose(e, http.StatusAccepted, "", "Is it 21?")
	for _, c := range []struct {
		status     int
		part, body string
	}{
		{http.StatusUnprocessableEntity, "expected length", `{"text": ""}`},
		{http.StatusUnprocessableEntity, "empty", `{"text": "  "}`},
		{http.StatusUnprocessableEntity, "expected length", `{"text": "` + strings.Repeat("x", 201) + `"}`},
		{http.StatusUnprocessableEntity, "cannot be shown", `{"text": "Is it \u202e?"}`},
		{http.StatusConflict, "already", `{"text": "barks?"}`},
		{http.StatusNotFound, "no game", `{"text": "Is it small?", "answer": 1, "game": "pets/none-of-these-keys"}`},
		{http.StatusUnprocessableEntity, "send game", `{"text": "Is it small?", "answer": 1}`},
	} {
		admin.ask(c.status, c.part, "POST", "/v1/policies/pets/questions", c.body)
	}
	r = admin.ask(http.StatusAccepted, "", "POST", "/v1/policies/pets/questions", fmt.Sprintf(`{"text": "Is it 0.5?", "answer": 0.5, "game": %q}`, r.ID))
	open := admin.ask(http.StatusOK, "", "GET", "/v1/policies/pets/review", "").Proposals
	if n := len(open); n != 22 || open[n-1].ID != r.Proposal || open[n-1].Truth != "cat" || open[n-1].Answer.String() != "probably" {
		t.Errorf("%d are open, the last %+v", n, open[n-1])
	}
}
