package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/policy/decision"
	"mapo/policy/external"
	"mapo/policy/rival"
	"mapo/serve/outage"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// player is a helper: a policy that asks the first query that may be asked, and writes each request to a file. It dies
// where a file of that name with .die beside it exists, and hangs where one with .hang does.
func player(args []string) {
	in := bufio.NewReader(os.Stdin)
	log, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	for line := 0; ; line++ {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if _, err := log.Write(text); err != nil {
			panic(err)
		}
		if line == 0 {
			continue
		}
		if _, err := os.Stat(args[0] + ".die"); err == nil && line > 1 {
			fmt.Fprintln(os.Stderr, "ValueError: no more questions")
			os.Exit(3)
		}
		if _, err := os.Stat(args[0] + ".hang"); err == nil && line > 1 {
			time.Sleep(time.Hour)
		}
		var q struct{ N, Mask [][]float64 }
		if err := json.Unmarshal(text, &q); err != nil {
			panic(err)
		}
		row := make([]float64, len(q.N[0]))
		for i := range row {
			if q.Mask == nil || q.Mask[0][i] == 0 {
				row[i] = 1
				break
			}
		}
		reply, _ := json.Marshal(map[string]any{"probs": [][]float64{row}})
		fmt.Printf("%s\n", reply)
	}
}

// programmed is a set with one policy, "me", which is a program on p, and the file that it writes requests to.
func programmed(t *testing.T, p *game.Problem, timeout time.Duration, fail func(error)) (*policies.Set, string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "requests")
	open := func(string) (*policies.Policy, error) {
		x, err := external.Start(t.Context(), p, fmt.Sprintf("'%s' player '%s'", os.Args[0], log), external.Options{Workers: 1, Timeout: timeout, First: suite.Patience, Lasting: true, Fail: fail})
		if err != nil {
			return nil, err
		}
		return policies.Untrained("program", p, x, policies.Rules{})
	}
	set, err := policies.NewSet([]string{"me=cmd:a=b"}, open)
	must(t, err)
	t.Cleanup(set.Close)
	return set, log
}

// TestProgramHalfAnswers: a program gets a half answer as one answer with the sum ±½, and guesses as answers used up.
func TestProgramHalfAnswers(t *testing.T) {
	p, err := problemOf(cases+"key16.csv", "", dataset.RowOptions{})
	must(t, err)
	set, log := programmed(t, p, suite.Patience, nil)
	me := set.Get("me")
	got, err := me.Next(&wire.NextRequest{RuledOut: []int{3}, History: []wire.HistoryEntry{{Query: wire.Ref{Index: 0}, Answer: wire.Reply{Answer: play.ProbablyNot}}, {Query: wire.Ref{Index: 2}, Answer: wire.Reply{Answer: play.Yes}}}})
	must(t, err)
	if got.Query == nil || got.Query.Index != 1 || got.Confidence == nil {
		t.Errorf("it is answered with %+v", got)
	}
	data, err := os.ReadFile(log)
	must(t, err)
	if want := `{"n":[[1,0,1,0]],"s":[[-0.5,0,1,0]],"left":[1],"level":null,"mask":[[1,0,1,0]]}` + "\n"; !strings.HasSuffix(string(data), want) {
		t.Errorf("it was asked %s, want %s", data, want)
	}
	if c := contractOf(t, me); c.Arch != "untrained program" {
		t.Errorf("the contract shows %q", c.Arch)
	}
}

// TestRules: contracts say in words by which decision a policy without training recommends over rows. A program's sessions are
// those of its decision.
func TestRules(t *testing.T) {
	p, err := problemOf(cases+"key16.csv", "", dataset.RowOptions{})
	must(t, err)
	for name, want := range map[string]string{
		"uniform": policies.NearestRule, "uniform+posterior": policies.InferredRule, "information:0.03": policies.InferredRule, "information:0.03+least-squares": policies.NearestRule,
	} {
		policy, err := rival.Parse(p, game.BestIdentification, name)
		must(t, err)
		served, err := policies.Untrained("t", p, policy, policies.Rules{})
		must(t, err)
		if got := contractOf(t, served).Rule; got != want {
			t.Errorf("%s: the rule is %q, want %q", name, got, want)
		}
	}
	hashes, command := map[string]bool{}, fmt.Sprintf("'%s' player '%s'", os.Args[0], filepath.Join(t.TempDir(), "log"))
	for by, want := range map[string]string{"": policies.NearestRule, decision.LeastSquares: policies.NearestRule, decision.Posterior: policies.InferredRule} {
		x, err := external.Start(t.Context(), p, command, external.Options{Workers: 1, Timeout: suite.Patience, Decision: by})
		must(t, err)
		served, err := policies.Untrained("t", p, x, policies.Rules{})
		must(t, err)
		c := contractOf(t, served)
		if hashes[served.Contract.Hash] = true; c.Rule != want {
			t.Errorf("%q: the rule of a program is %q, want %q", by, c.Rule, want)
		}
		must(t, x.Close())
	}
	if len(hashes) != 2 {
		t.Errorf("%d hashes of two decisions", len(hashes))
	}
}

// TestDeadProgram: a request that meets a dead program, or a late one, gets 503 and when to come again; what befell it is
// told; the same request then has its answer, and the session lost nothing.
func TestDeadProgram(t *testing.T) {
	for _, how := range []string{"die", "hang"} {
		t.Run(how, func(t *testing.T) {
			var mu sync.Mutex
			var told []string
			timeout := suite.Patience
			if how == "hang" {
				timeout = time.Second
			}
			set, log := programmed(t, servetest.Wheels(), timeout, func(err error) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, err.Error())
			})
			s, err := sessions.New(t.Context(), set, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{})
			must(t, err)
			h := New(set, s, Options{}).Handler()
			var v wire.View
			// Where the program has a second, a busy machine may hold it up for longer.
			suite.Await(t, func() bool { return servetest.Post(t, h, "/v1/sessions", `{"policy": "me"}`, &v) == http.StatusCreated }, func() string { return "no session is begun" })
			must(t, os.WriteFile(log+"."+how, nil, 0o600))
			answer := fmt.Sprintf(`{"step": %d, "answer": 1}`, v.Step)
			for _, path := range []string{"/v1/sessions/" + v.ID + "/answers", "/v1/policies/me/next"} {
				body := answer
				if strings.HasSuffix(path, "next") {
					body = "{}"
				}
				r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
				r.Host = "localhost"
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if retry, err := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != http.StatusServiceUnavailable || err != nil || retry < 1 || retry > 60 ||
					!strings.Contains(w.Body.String(), outage.NoProgram) || w.Header().Get("Content-Type") != "application/problem+json" {
					t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
				}
			}
			if status := get(t, h, "/readyz", nil); status != http.StatusOK {
				t.Errorf("the server is not ready: %d", status)
			}
			must(t, os.Remove(log+"."+how))
			var next wire.View
			suite.Await(t, func() bool {
				return servetest.Post(t, h, "/v1/sessions/"+v.ID+"/answers", answer, &next) == http.StatusOK
			}, func() string { return "the program is not started again" })
			if next.Step != v.Step+1 || next.Query == nil || next.Answers != 1 {
				t.Errorf("the session goes on with %+v", next)
			}
			mu.Lock()
			defer mu.Unlock()
			want := map[string]string{"die": "it ended (exit status 3, ValueError: no more questions)", "hang": "within 1s, so it was stopped"}[how]
			if len(told) == 0 || !strings.Contains(told[0], want) {
				t.Errorf("told %q, want %q", told, want)
			}
		})
	}
}

// TestReloadProgram: programs are started anew when files are read again, and the old process ends.
func TestReloadProgram(t *testing.T) {
	set, log := programmed(t, servetest.Wheels(), suite.Patience, nil)
	was := set.Get("me")
	changed, err := set.Reload()
	if err != nil || len(changed) > 0 || set.Get("me") == was || set.Get("me").Hash() != was.Hash() || set.Get("me").ID != "me" {
		t.Errorf("changed %v, %v", changed, err)
	}
	data, err := os.ReadFile(log)
	must(t, err)
	if n := strings.Count(string(data), `"mapo":`); n != 2 {
		t.Errorf("%d processes were greeted, want 2", n)
	}
	if _, err := set.Get("me").Next(&wire.NextRequest{}); err != nil {
		t.Error(err)
	}
	if _, err := was.Next(&wire.NextRequest{}); err == nil {
		t.Error("the old process still answers")
	}
}
