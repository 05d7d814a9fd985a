package web

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/policy/posterior"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// original is a policy as its file or table gives it, asked without any of the server's code.
type original struct {
	id     string
	p      *game.Problem
	policy game.Policy
	rows   *posterior.Rows // nil: least squares recommends
	open   policies.Opener
	path   string
}

// originals are trained policies of both kinds, on games with and without repeats, and a table's without training. The
// trained ones' weights are large, so that they heed every answer.
func originals(t *testing.T) (list []original) {
	t.Helper()
	repeats, once := dataset.Thresholds(7, 6), servetest.Animals(t)
	for i, net := range []nn.Net{nn.NewMLP(repeats, []int{16}, rng.New(1)), nn.NewStructured(once, 16, rng.New(2)), nn.NewStructured(repeats, 16, rng.New(3))} {
		p := []*game.Problem{repeats, once, repeats}[i]
		r := rng.New(4).At(i).Rand()
		for j := range net.Params() {
			net.Params()[j] += float32(0.3 * r.NormFloat64())
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("trained-%d%s", i, policies.Suffix))
		must(t, nn.WriteFile(path, net, nn.Contract{Name: "mapo", Problem: p, Loss: game.BestIdentification.String(), Rule: "made for a test"}))
		read, c, err := nn.ReadFile(path)
		must(t, err)
		list = append(list, original{id: fmt.Sprint("trained-", i), p: c.Problem, policy: nn.Policy(c.Problem, read), path: path})
	}
	table := servetest.OpenTable(-1, 0)
	p, err := table("table.csv")
	must(t, err)
	policy, err := rival.Parse(p.Problem(), game.BestIdentification, "information:0.03")
	must(t, err)
	return append(list, original{"table", p.Problem(), policy, posterior.NewRows(p.Problem()), table, "table.csv"})
}

// sessions serves k alone.
func (k *original) sessions(t *testing.T) (*sessions.Sessions, *policies.Set) {
	t.Helper()
	return servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, k.open, k.path)
}

// state is the game so far as a policy is to see it.
func (k *original) state(history []play.Answered, mask ...int) game.States {
	d := k.p.Queries()
	s := game.States{N: make([]float32, d), S: make([]float32, d), Mask: make([]bool, d), Left: []float32{float32(k.p.T)}}
	for _, i := range mask {
		s.Mask[i] = true
	}
	for _, a := range history {
		if a.Answer == play.DontKnow {
			s.Mask[a.Query] = true
			continue
		}
		s.N[a.Query]++
		s.S[a.Query] += float32(a.Answer.Value())
		s.Left[0]--
		if k.p.AskOnce {
			s.Mask[a.Query] = true
		}
	}
	return s
}

// probs is the policy's distribution after history, nil where the game is over.
func (k *original) probs(history []play.Answered, mask ...int) []float32 {
	s := k.state(history, mask...)
	if s.Left[0] == 0 || !slices.Contains(s.Mask, false) {
		return nil
	}
	out := make([]float32, k.p.Queries())
	k.policy.Probs(out, s)
	return out
}

// check compares what is said after history with what the policy's decision is: a leader, one of so many, with its
// posterior probability; nothing while all tie and answers are left.
func (k *original) check(t *testing.T, where string, history []play.Answered, name string, tied int, confidence *float64) {
	t.Helper()
	s := k.state(history)
	lead := make([]float32, k.p.Hypotheses())
	var weight []float64
	if k.rows != nil {
		var b posterior.Belief
		k.rows.Believe(&b, s.N, s.S, nil)
		weight = b.Weight
		k.rows.Decide(lead, s)
	} else {
		game.LeastSquares(k.p).Decide(lead, s)
	}
	n := 0
	for _, v := range lead {
		if v > 0 {
			n++
		}
	}
	at := slices.Index(k.p.Names, name)
	switch {
	case tied != n:
		t.Fatalf("%s after %v: %d share the lead, want %d", where, history, tied, n)
	case n == k.p.Hypotheses() && s.Left[0] > 0:
		if name != "" || confidence != nil {
			t.Fatalf("%s after %v: %q is recommended while all tie", where, history, name)
		}
	case at < 0 || lead[at] == 0:
		t.Fatalf("%s after %v: %q is recommended, and does not lead", where, history, name)
	case (confidence == nil) != (weight == nil):
		t.Fatalf("%s after %v: the confidence is %v", where, history, confidence)
	case weight != nil && math.Abs(*confidence-weight[at]) > 1e-9:
		t.Fatalf("%s after %v: the confidence in %s is %v, want %v", where, history, name, *confidence, weight[at])
	}
}

// reply is a random answer that the game takes.
func (k *original) reply(r *rand.Rand) play.Answer {
	replies := []play.Answer{play.Yes, play.No, play.Yes, play.No, play.DontKnow, play.Probably, play.ProbablyNot}
	if !k.p.AskOnce {
		replies = replies[:5]
	}
	return replies[r.IntN(len(replies))]
}

// history is a random game of up to the whole budget, whatever the policy asks, and a mask.
func (k *original) history(r *rand.Rand) (history []play.Answered, mask []int) {
	open := r.Perm(k.p.Queries())
	for left := r.IntN(k.p.T + 1); left > 0 && len(open) > 2; {
		a := play.Answered{Query: open[0], Answer: k.reply(r)}
		if k.p.AskOnce || a.Answer == play.DontKnow || r.IntN(2) == 0 {
			open = open[1:]
		}
		if history = append(history, a); a.Answer != play.DontKnow {
			left--
		}
	}
	if r.IntN(2) == 0 {
		mask = open[len(open)-1:]
	}
	return history, mask
}

// text is an answer in JSON.
func text(a play.Answer) string {
	if a == play.DontKnow {
		return "null"
	}
	return fmt.Sprint(a.Value())
}

// TestServedIsThePolicy: at random states the stateless API tells the policy's own probabilities, draws by them, and
// recommends by its decision.
func TestServedIsThePolicy(t *testing.T) {
	for _, k := range originals(t) {
		set, err := policies.NewSet([]string{k.path}, k.open)
		must(t, err)
		h := New(set, nil, Options{}).Handler()
		r := rng.New(7).Name(k.id).Rand()
		for range 60 {
			history, mask := k.history(r)
			entries := []string{}
			for _, a := range history {
				entries = append(entries, fmt.Sprintf(`{"query": %d, "answer": %s}`, a.Query, text(a.Answer)))
			}
			seed := r.Uint64N(1 << 50)
			var out struct {
				Query          *play.Text
				Probabilities  []float32
				Recommendation *play.Text
				Confidence     *float64
				Tied           int
			}
			body := fmt.Sprintf(`{"history": [%s], "mask": %s, "seed": %d, "stop": 0}`, strings.Join(entries, ","), strings.ReplaceAll(fmt.Sprint(append([]int{}, mask...)), " ", ","), seed)
			if k.rows == nil {
				body = strings.Replace(body, `, "stop": 0`, "", 1)
			}
			if code := servetest.Post(t, h, "/v1/policies/"+k.id+"/next", body, &out); code != 200 {
				t.Fatalf("%s: %d for %s", k.id, code, body)
			}
			k.asks(t, "next", history, out.Query, policies.DrawKey(mask, rng.New(seed).At(len(history))), mask...)
			for i, p := range k.probs(history, mask...) {
				if math.Abs(float64(out.Probabilities[i]-p)) > 1e-6 {
					t.Fatalf("%s after %v: query %d has probability %v, the policy gives %v", k.id, history, i, out.Probabilities[i], p)
				}
			}
			k.check(t, k.id, history, servetest.Name(out.Recommendation), out.Tied, out.Confidence)
		}
	}
}

// asks compares a question with the one that the policy's probabilities and key draw.
func (k *original) asks(t *testing.T, where string, history []play.Answered, query *play.Text, key rng.Key, mask ...int) {
	t.Helper()
	probs := k.probs(history, mask...)
	if probs == nil {
		if query != nil {
			t.Fatalf("%s, %s after %v: it asks %v, and the game is over", k.id, where, history, query)
		}
		return
	}
	if want := play.Draw(probs, key); query == nil || query.Index != want || query.Text != k.p.X[want] {
		t.Fatalf("%s, %s after %v: it asks %v, the policy's draw is %d", k.id, where, history, query, want)
	}
}

// TestSessionsAreThePolicy: a session over HTTP asks, at every step of whole games, what the policy draws, and tells its
// probability and decision.
func TestSessionsAreThePolicy(t *testing.T) {
	for _, k := range originals(t) {
		s, set := k.sessions(t)
		h := New(set, s, Options{}).Handler()
		r := rng.New(8).Name(k.id).Rand()
		for range 4 {
			var v wire.View
			seed := r.Uint64N(1 << 50)
			if code := servetest.Post(t, h, "/v1/sessions", fmt.Sprintf(`{"policy": %q, "seed": %d}`, k.id, seed), &v); code != 201 {
				t.Fatal(k.id, code)
			}
			var history []play.Answered
			for v.State == wire.StateOpen {
				k.asks(t, "session", history, v.Query, rng.New(seed).At(v.Step))
				if p := k.probs(history)[v.Query.Index]; math.Abs(v.Probability-float64(p)) > 1e-6 {
					t.Fatalf("%s after %v: drawn with %v, the policy gives %v", k.id, history, v.Probability, p)
				}
				k.check(t, k.id, history, servetest.Name(v.Recommendation), v.Tied, v.Confidence)
				a := play.Answered{Query: v.Query.Index, Answer: k.reply(r)}
				history = append(history, a)
				at := fmt.Sprintf("/v1/sessions/%s/answers", v.ID)
				body := fmt.Sprintf(`{"step": %d, "answer": %s}`, v.Step, text(a.Answer))
				v = wire.View{}
				if code := servetest.Post(t, h, at, body, &v); code != 200 {
					t.Fatal(k.id, code, body)
				}
			}
			k.asks(t, "session", history, v.Query, rng.New(seed).At(v.Step))
			k.check(t, k.id, history, servetest.Name(v.Recommendation), v.Tied, v.Confidence)
		}
	}
}

// TestAgentsAreToldThePolicy: so do the verbs of an agent.
func TestAgentsAreToldThePolicy(t *testing.T) {
	for _, k := range originals(t) {
		s, _ := k.sessions(t)
		c := servetest.Agent(t, s)
		r := rng.New(9).Name(k.id).Rand()
		for range 2 {
			v, fault := servetest.Verb(t, c, "next", map[string]any{"policy": k.id})
			session, err := s.View(t.Context(), v.ID)
			must(t, err)
			var history []play.Answered
			for ; fault == "" && v.State == wire.StateOpen; v, fault = servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": wire.InWords(history[len(history)-1].Answer)}) {
				k.asks(t, "agent", history, v.Query, rng.New(session.Seed).At(v.Step))
				k.check(t, k.id, history, servetest.Name(v.Recommendation), v.Tied, v.Confidence)
				history = append(history, play.Answered{Query: v.Query.Index, Answer: k.reply(r)})
			}
			if fault != "" || k.probs(history) != nil {
				t.Fatalf("%s ends after %v: %s", k.id, history, fault)
			}
			k.check(t, k.id, history, servetest.Name(v.Recommendation), v.Tied, v.Confidence)
		}
	}
}

// TestTerminalIsThePolicy: so does the terminal, in words.
func TestTerminalIsThePolicy(t *testing.T) {
	for _, k := range originals(t) {
		open := k.open
		if open == nil {
			open = policies.Open
		}
		p, err := open(k.path)
		must(t, err)
		r := rng.New(10).Name(k.id).Rand()
		var out bytes.Buffer
		var history []play.Answered
		played := terminal.Game{Policy: p, Seed: 11, Out: &out}
		played.Read = func(context.Context) (string, error) {
			query := play.Draw(k.probs(history), rng.New(11).At(len(history)))
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if asked := lines[len(lines)-1]; !strings.HasSuffix(asked, "  "+k.p.X[query]) {
				t.Errorf("%s after %v: it asks %q, the policy's draw is %q", k.id, history, asked, k.p.X[query])
			}
			history = append(history, play.Answered{Query: query, Answer: k.reply(r)})
			return wire.InWords(history[len(history)-1].Answer), nil
		}
		must(t, played.Play(t.Context()))
		if k.probs(history) != nil {
			t.Fatalf("%s: the game ends after %v", k.id, history)
		}
		_, end, _ := strings.Cut(out.String(), "\nAfter ")
		_, best, _ := strings.Cut(strings.SplitN(end, "\n", 2)[0], ": ")
		best = strings.TrimSuffix(best, ".")
		lead := make([]float32, k.p.Hypotheses())
		s := k.state(history)
		if k.rows == nil {
			game.LeastSquares(k.p).Decide(lead, s)
		} else {
			k.rows.Decide(lead, s)
			var b posterior.Belief
			k.rows.Believe(&b, s.N, s.S, nil)
			if want := "If answers follow the table: " + best + " " + terminal.Percent(slices.Max(b.Weight)); !strings.Contains(end, want) {
				t.Errorf("%s: the end is %q, want %q", k.id, end, want)
			}
		}
		if at := slices.Index(k.p.Names, best); at < 0 || lead[at] == 0 {
			t.Errorf("%s after %v: %q is recommended, and does not lead:\n%s", k.id, history, best, end)
		}
	}
}

// TestPageIsThePolicy: so does the page, which has the whole game in its address.
func TestPageIsThePolicy(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	letter := map[play.Answer]string{play.Yes: "y", play.No: "n", play.DontKnow: "d"}
	for i, k := range originals(t) {
		if i == 0 || i == 2 { // one trained policy and one without training: a page takes half a second
			continue
		}
		s, set := k.sessions(t)
		b := newTab(t, browser, "http://"+listen(t, New(set, s, Options{})))
		r := rng.New(12).Name(k.id).Rand()
		var history []play.Answered
		var moves []string
		for len(history) < 6 {
			query := play.Draw(k.probs(history), rng.New(13).At(len(history)))
			b.open("/")
			b.open(fmt.Sprintf("/play/%s#seed=13&h=%s", k.id, strings.Join(moves, ",")))
			b.wait(`document.getElementById("question")`)
			if got := b.text("question"); got != k.p.X[query] {
				t.Fatalf("%s after %v: the page asks %q, the policy's draw is %q", k.id, history, got, k.p.X[query])
			}
			a := play.Answered{Query: query, Answer: []play.Answer{play.Yes, play.No, play.DontKnow}[r.IntN(3)]}
			history, moves = append(history, a), append(moves, fmt.Sprint(a.Query, letter[a.Answer]))
		}
		b.clean()
	}
}

// TestStopMarginIsExact: a session ends once the recommendation leads by as much as it was begun with, and not before.
func TestStopMarginIsExact(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Animals(t), nil))
	seed := uint64(3)
	one := func(margin float64) (leads []float32) {
		v := servetest.Begin(t, s, wire.NewSession{Policy: "t", Seed: &seed, StopMargin: margin})
		for v.State == wire.StateOpen {
			v = servetest.Tell(t, s, v, []play.Answer{play.Yes, play.No}[v.Step%2])
			leads = append(leads, v.Margin)
		}
		return leads
	}
	whole := one(0)
	for i, lead := range whole[:len(whole)-1] {
		if lead == 0 || lead <= slices.Max(append([]float32{0}, whole[:i]...)) {
			continue
		}
		if got := one(float64(lead)); !slices.Equal(got, whole[:i+1]) {
			t.Errorf("with the margin %v a game with the leads %v ends after %v", lead, whole, got)
		}
		if got := one(math.Nextafter(float64(lead), math.Inf(1))); len(got) <= i+1 {
			t.Errorf("with a margin just above %v a game with the leads %v ends after %v", lead, whole, got)
		}
		return
	}
	t.Fatalf("no lead of %v grows before the end", whole)
}
