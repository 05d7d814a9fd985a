package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/game"
	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestRequester: a request is known by its token, else by its address; an address of IPv6 by its network.
// Only what comes from this machine and through no proxy is local. Without tokens, the local client alone is an admin.
func TestRequester(t *testing.T) {
	const ask, admin = "3f9c1e0b7a5d2468", "b81d4e6f0a92c357"
	for _, c := range []struct {
		name, from string
		options    Options
		headers    []string
		address    string
		token      bool
		loopback   bool
		admin      bool
	}{
		{"local", "127.0.0.1:5", Options{}, nil, "127.0.0.1", false, true, true},
		{"local, IPv6", "[::1]:5", Options{}, nil, "::/64", false, true, true},
		{"another machine", "192.0.2.1:5", Options{}, nil, "192.0.2.1", false, false, false},
		{"a network of IPv6", "[2001:db8::1]:5", Options{}, nil, "2001:db8::/64", false, false, false},
		{"the same network", "[2001:db8::2]:5", Options{}, nil, "2001:db8::/64", false, false, false},
		{"another network", "[2001:db8:1::1]:5", Options{}, nil, "2001:db8:1::/64", false, false, false},
		{"through a trusted proxy", "127.0.0.1:5", Options{Proxies: trusted(t, "127.0.0.1")}, []string{"X-Forwarded-For", "203.0.113.9"}, "203.0.113.9", false, false, false},
		{"through a trusted proxy, as if local", "127.0.0.1:5", Options{Proxies: trusted(t, "127.0.0.1")}, []string{"X-Forwarded-For", "127.0.0.1"}, "127.0.0.1", false, false, false},
		{"perhaps through a trusted proxy", "127.0.0.1:5", Options{Proxies: trusted(t, "127.0.0.1")}, nil, "127.0.0.1", false, true, false},
		{"through another proxy", "127.0.0.1:5", Options{Insecure: true}, []string{"Via", "1.1 proxy"}, "127.0.0.1", false, false, false},
		{"ask token", "192.0.2.1:5", Options{AskTokens: []string{ask}, AdminTokens: []string{admin}}, []string{"Authorization", "Bearer " + ask}, "192.0.2.1", true, false, false},
		{"admin token", "192.0.2.1:5", Options{AskTokens: []string{ask}, AdminTokens: []string{admin}}, []string{"Authorization", "Bearer " + admin}, "192.0.2.1", true, false, true},
		{"cookie", "127.0.0.1:5", Options{AskTokens: []string{ask}}, []string{"Cookie", cookieName + "=" + cookieOf(ask)}, "127.0.0.1", true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := server(t, c.options, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
			var got *sessions.Requester
			s.routes.handle(rightAsk, "GET /who", func(_ http.ResponseWriter, r *http.Request) { got = sessions.RequesterOf(r.Context()) })
			r := request("GET", "/who", "", c.headers...)
			r.RemoteAddr = c.from
			if code, text := status(s.Handler(), r); code != http.StatusOK {
				t.Fatalf("%d %s", code, text)
			}
			if got.Address != c.address || (got.Token != "") != c.token || got.Loopback != c.loopback || got.Admin != c.admin {
				t.Errorf("%+v; want %+v", got, c)
			}
		})
	}
}

// TestRequesterTokens: the cookie that stands for a token is the same client, another token another one.
func TestRequesterTokens(t *testing.T) {
	const one, two = "3f9c1e0b7a5d2468", "b81d4e6f0a92c357"
	a := newAccess([]string{one, two}, nil)
	of := func(header, value string) string {
		_, token := a.of(request("GET", "/", "", header, value))
		return token
	}
	if bearer, cookie := of("Authorization", "Bearer "+one), of("Cookie", cookieName+"="+cookieOf(one)); bearer == "" || bearer != cookie {
		t.Errorf("the token is client %x, its cookie %x", bearer, cookie)
	}
	if of("Authorization", "bearer "+one) != of("Authorization", "Bearer "+one) || of("Authorization", "BEARER  "+one) == "" {
		t.Error("the name of the scheme is read with its case") // RFC 9110, 11.1
	}
	if of("Authorization", "Bearer "+one) == of("Authorization", "Bearer "+two) {
		t.Error("two tokens are one client")
	}
	if token := of("Authorization", "Bearer 0123"); token != "" {
		t.Errorf("a token that does not exist is client %x", token)
	}
}

// TestClientsOfVersions: what one address tells is capped, and who contradicts all others is set aside, in the version
// that is served.
func TestClientsOfVersions(t *testing.T) {
	type outcome struct {
		*sessions.Sessions
		set   *policies.Set
		store database.Store
		aside []database.Aside
	}
	run := func(t *testing.T, o learn.SelectOptions) outcome {
		at, store := servetest.SomeTime, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) })
		s, set := servetest.Learning(t, store, sessions.Options{Clock: func() time.Time { return at }, Learn: learning.Options{Every: 1, Options: learn.Options{Select: o}}}, servetest.WriteTable(t, servetest.Pets))
		submit := func(ctx context.Context, n int, object string, flip int64) {
			in := &wire.GameRequest{TruthRequest: wire.TruthRequest{Truth: object}}
			for i, text := range set.Get("pets").Problem().X {
				in.History = append(in.History, wire.HistoryEntry{Query: wire.Ref{Index: i}, Answer: wire.Reply{Answer: play.OfHalves(flip * servetest.AnswerFor(object, text).Halves())}})
			}
			at = at.Add(time.Second)
			_, _, err := s.Submit(ctx, "pets", fmt.Sprintf("key-of-16-letters-%d", n), in)
			must(t, err)
		}
		n := 0
		for range 40 {
			for _, object := range []string{"dog", "cat", "Budgie", "parrot"} {
				submit(servetest.From(t, fmt.Sprintf("198.51.100.%d", 1+n%40)), n, object, 1)
				n++
			}
		}
		for range 30 { // one address claims everything, and the opposite of all answers
			submit(servetest.From(t, "203.0.113.9"), n, "dog", -1)
			n++
		}
		servetest.Tends(t, s)
		list, err := store.SetAside(t.Context(), "pets")
		must(t, err)
		return outcome{s, set, store, list}
	}
	barks := func(o outcome) float64 { // a dog
		p := o.set.Get("pets")
		query, err := p.Query("barks?")
		must(t, err)
		return p.Problem().Seek.(*game.Shares).Row(p.Hypothesis("dog"), p.Problem().Queries())[query]
	}
	o := run(t, learn.SelectOptions{})
	if games := servetest.LearnedFrom(t, o.Sessions); barks(o) > 0.7 || games != 190 || len(o.aside) != 0 {
		t.Errorf("unprotected: %d games, %+v aside", games, o.aside)
	}
	o = run(t, learn.SelectOptions{Cap: 0.05})
	if games := servetest.LearnedFrom(t, o.Sessions); games != 180 || len(o.aside) != 0 {
		t.Errorf("capped: %d games, want 160 and 20; %+v aside", games, o.aside)
	} else if last := leftOut(t, o.store); len(last) != 10 || last[0] != 180 {
		t.Errorf("capped, the games %v are left out, want the newest 10", last)
	}
	o = run(t, learn.SelectOptions{Cap: 0.05, SetAside: true})
	aside := o.aside
	if games := servetest.LearnedFrom(t, o.Sessions); games != 160 || len(aside) != 1 || aside[0].Games != 20 || aside[0].Median >= aside[0].Quantile {
		t.Fatalf("set aside: %d games, %+v", games, aside)
	}
	scrape := request("GET", "/metrics", "")
	scrape.RemoteAddr = "127.0.0.1:5"
	_, metrics := status(New(o.set, o.Sessions, Options{}).Handler(), scrape)
	for _, want := range []string{`mapo_learned_version{policy="pets"} 1`, `mapo_learned_games{policy="pets"} 160`, `mapo_learn_set_aside{policy="pets"} 1`} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("metrics lack %s", want)
		}
	}
	if out := leftOut(t, o.store); len(out) != 30 || out[0] != 160 || barks(o) < 0.95 {
		t.Errorf("set aside, the games %v are left out, and a dog barks with the share %.3f", out, barks(o))
	}
	r, err := o.Decide(t.Context(), "pets", &wire.DecisionRequest{Client: aside[0].Client, Decision: "restore"})
	must(t, err)
	servetest.Tends(t, o.Sessions)
	if games := servetest.LearnedFrom(t, o.Sessions); len(r.SetAside) != 0 || games != 180 {
		t.Errorf("restored: %+v, %d games", r, games)
	}
	if out := leftOut(t, o.store); len(out) != 10 || out[0] != 180 || barks(o) > 0.8 {
		t.Errorf("restored, the games %v are left out, and a dog barks with the share %.3f", out, barks(o))
	}
}

// leftOut are the numbers, by age, of the games that the newest version leaves out.
func leftOut(t *testing.T, store database.Store) (out []int) {
	t.Helper()
	v, err := store.Snapshot(t.Context(), "pets")
	must(t, err)
	slices.SortFunc(v.Games, func(a, b database.Told) int { return a.At.Compare(b.At) })
	for n, g := range v.Games {
		if g.Excluded {
			out = append(out, n)
		}
	}
	return out
}
