package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

func classOf(item string) string {
	i, _ := strconv.Atoi(strings.TrimPrefix(item, "photo "))
	return servetest.Truly[i]
}

// TestLabelSession: a session asks items, takes classes by name and by number, recommends the model that is right, and
// exports every label with the probability that its item had to be asked. An item that got "don't know" is not asked again.
func TestLabelSession(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := servetest.Opened(t, open)
		s, set := servetest.Keeping(t, store, sessions.Options{}, servetest.Labelling(servetest.Photos(), "photos", 0.1), "photos=pool")
		var servers []http.Handler // which take turns, so that each reads what the other has written
		for range 2 {
			servers = append(servers, New(set, servetest.Holding(t, set, store, sessions.Options{}), Options{}).Handler())
		}
		seed := uint64(3)
		v := servetest.Begin(t, s, wire.NewSession{Policy: "photos", Seed: &seed, Guess: true})
		if !slices.Equal(v.Classes, servetest.Photos().Seek.(*game.Labels).Classes) || v.Halves || v.Numbers || v.Remaining != 8 {
			t.Errorf("a session of labels is %+v", v)
		}
		v = servetest.Tell(t, s, v, play.DontKnow)
		seen := map[string]bool{v.Query.Text: true}
		for n := range 8 {
			class := classOf(v.Query.Text)
			answer := strconv.Quote(class)
			if n%2 == 1 {
				answer = fmt.Sprint(slices.Index(v.Classes, class))
			}
			next := new(wire.View)
			body := fmt.Sprintf(`{"step": %d, "answer": %s, "query": %q, "annotator": "a"}`, v.Step, answer, v.Query.Text)
			for range 2 { // the same again changes nothing
				if code := servetest.Post(t, servers[n%2], "/v1/sessions/"+v.ID+"/answers", body, next); code != 200 || next.Step != v.Step+1 {
					t.Fatalf("%s: %d, at step %d", body, code, next.Step)
				}
			}
			if v = next; v.Query != nil && seen[v.Query.Text] {
				t.Fatalf("%s is asked again", v.Query.Text)
			} else if v.Query != nil {
				seen[v.Query.Text] = true
			}
		}
		if v.State != wire.StateDone || v.Guess != nil || v.Recommendation.Text != "good" || *v.Agreed != 8 || v.Answers != 8 || v.Confidence != nil {
			t.Errorf("at the end: %+v", v)
		}
		full, err := s.View(t.Context(), v.ID)
		must(t, err)
		data, err := s.Labels(t.Context(), v.ID)
		must(t, err)
		rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		must(t, err)
		if len(rows) != 9 || !slices.Equal(rows[0], []string{"item", "class", "propensity"}) {
			t.Fatalf("labels are\n%s", data)
		}
		for k, row := range rows[1:] {
			turn := full.History[k+1]
			p, err := strconv.ParseFloat(row[2], 32)
			if err != nil || row[0] != turn.Query.Text || row[1] != classOf(row[0]) || turn.Answer.String() != row[1] || math.Abs(p-turn.Probability) > 1e-7 || p < 0.1/12 {
				t.Errorf("label %d is %q; the turn is %+v", k, row, turn)
			}
		}
		_, err = s.Tell(t.Context(), v.ID, &wire.TruthRequest{Truth: "good"})
		servetest.Faulty(t, err, 409, "are classes of items")
		back, err := s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: v.Step})
		must(t, err)
		if back.Query.Text != rows[8][0] || back.Remaining != 1 {
			t.Errorf("undo asks %v", back.Query)
		}
		if data, err = s.Labels(t.Context(), v.ID); err != nil || strings.Count(string(data), "\n") != 8 {
			t.Errorf("after undo the labels are\n%s", data)
		}
	})
}

// TestLabelExport: an export has classes by their names, and what a spreadsheet would run is inert there but not in labels.
func TestLabelExport(t *testing.T) {
	p := servetest.Mails()
	p.Seek.(*game.Labels).Items, p.Seek.(*game.Labels).Classes = []string{"=1+1", "y", "z"}, []string{"-x", "spam"}
	s, set := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), p, 0)
	h := New(set, s, Options{}).Handler()
	v := servetest.Begin(t, s, wire.NewSession{Policy: "mails"})
	for v.Query != nil {
		v = servetest.Tell(t, s, v, play.Class(0))
	}
	code, labels := status(h, request(http.MethodGet, "/v1/sessions/"+v.ID+"/labels.csv", ""))
	if code != 200 || !strings.Contains(labels, "\n=1+1,-x,") {
		t.Errorf("%d: %s", code, labels)
	}
	text, err := s.CSV(t.Context(), v.ID)
	must(t, err)
	if !strings.Contains(string(text), ",'=1+1,answer,'-x,") {
		t.Errorf("the export is\n%s", text)
	}
	lines, err := s.JSONL(t.Context(), v.ID)
	must(t, err)
	if strings.Count(string(lines), `"answer":"-x"`) != 3 {
		t.Errorf("the export is\n%s", lines)
	}
	other := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	_, err = other.Labels(t.Context(), servetest.Begin(t, other, wire.NewSession{Policy: "t"}).ID)
	servetest.Faulty(t, err, 409, "asks queries")
}

// TestLabelsAPI: the stateless call names items, by index and by text; probabilities are those of items; a class may be called
// yes or no; any other text is refused, and the classes are listed.
func TestLabelsAPI(t *testing.T) {
	s, set := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), servetest.Mails(), 0.5)
	h := New(set, s, Options{}).Handler()
	for _, body := range []string{
		`{"history":[{"query":"x","answer":"no"},{"query":1,"answer":"spam"}],"seed":1}`,
		`{"history":[{"query":0,"answer":0},{"query":"y","answer":1}],"seed":1}`,
		`{"history": [{"query": "\u0078", "answer": "n\u006f"}, {"query": 1, "answer": 1}], "seed": 1}`,
	} {
		var out wire.NextReply
		if code := servetest.Post(t, h, "/v1/policies/mails/next", body, &out); code != 200 {
			t.Fatalf("%s: %d", body, code)
		}
		if out.Query.Text != "z" || !slices.Equal(out.Probabilities, []float32{0, 0, 1}) || out.Recommendation.Text != "m1" || *out.Agreed != 2 || *out.RunnersUp[0].Agreed != 0 {
			t.Errorf("%s: %+v", body, out)
		}
	}
	for body, want := range map[string]string{
		`{"history":[{"query":"x","answer":"Spam"}]}`:                     `an answer is "Spam"; want a class ("no", "spam"), its number from 0 to 1, or null`,
		`{"history":[{"query":"x","answer":true}]}`:                       "an answer is true; want a class",
		`{"history":[{"query":"x","answer":-1}]}`:                         "an answer is -1; want a class",
		`{"history":[{"query":"x","answer":0.5}]}`:                        "an answer is 0.5; want a class",
		`{"history":[{"query":"x","answer":2}]}`:                          "an answer is 2; want a class",
		`{"history":[{"query":"x","answer":""}]}`:                         `an answer is ""; want a class`,
		`{"history":[{"query":"x","answer":["no"]}]}`:                     "want a class",
		`{"history":[{"query":"w","answer":1}]}`:                          `no item reads "w"`,
		`{"history":[{"query":3,"answer":1}]}`:                            "there is no item 3; there are items 0 to 2",
		`{"history":[{"query":"x","answer":1},{"query":"x","answer":1}]}`: "has a label already",
		`{"mask":[4]}`: "the mask names item 4; there are items 0 to 2",
	} {
		if code, text := status(h, request(http.MethodPost, "/v1/policies/mails/next", body)); code != 422 || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), want) {
			t.Errorf("%s: %d %s, want %q", body, code, text, want)
		}
	}
	var list wire.PolicyList
	if code := get(t, h, "/v1/policies", &list); code != 200 || list.Policies[0].Queries != 3 || list.Policies[0].Labels == nil || list.Policies[0].Labels.Explore != 0.5 {
		t.Errorf("the list is %+v", list.Policies[0])
	}
	var page struct {
		Contract struct {
			Problem struct{ Labels struct{ Items []string } }
		}
	}
	if code := get(t, h, "/v1/policies/mails", &page); code != 200 || len(page.Contract.Problem.Labels.Items) != 3 {
		t.Errorf("the contract's items are %v", page.Contract.Problem.Labels.Items)
	}
}

// TestLabelTerminal: a player answers by a name, by the beginning of one and by a number, and is told the labels.
func TestLabelTerminal(t *testing.T) {
	policy, err := servetest.Labelling(servetest.Photos(), "photos", 0)("")
	must(t, err)
	var out strings.Builder
	g := terminal.Game{Policy: policy, Seed: 2, Guess: true, Out: &out, Read: terminal.Lines(strings.NewReader("dog\nc\nb\n4\n5\nCO\n?\nu\nu\n3\nq\n"))}
	must(t, g.Play(t.Context()))
	text := out.String()
	for _, want := range []string{
		"Find the best of 3 models: give the classes of 8 of 12 items. No item comes twice.",
		"Answer with a class: 1 cat, 2 dog, 3 bird, 4 cow (its name, the beginning of it, or its number), ? (don't know), u", "the item does not come again",
		"It predicts ", " of the 4 labels.", " labels)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the game has no %q:\n%s", want, text)
		}
	}
	var classes []string
	for _, l := range g.Labels() {
		classes = append(classes, l.Class)
		if l.Propensity <= 0 {
			t.Errorf("label %+v", l)
		}
	}
	if want := []string{"dog", "bird", "cow", "bird"}; !slices.Equal(classes, want) {
		t.Errorf("labels %v, want %v:\n%s", classes, want, text)
	}
	if strings.Contains(text, "would most likely have been") {
		t.Errorf("one of many items is called the next one:\n%s", text)
	}
	// Where a class is called by a number, numbers are names.
	p := servetest.Photos()
	p.Seek.(*game.Labels).Classes = []string{"3", "1", "u", "unsure"}
	policy, err = servetest.Labelling(p, "photos", 0)("")
	must(t, err)
	g = terminal.Game{Policy: policy, Out: new(strings.Builder), Read: terminal.Lines(strings.NewReader("3\n1\n2\nu\nun\nq\n"))}
	must(t, g.Play(t.Context()))
	classes = nil
	for _, l := range g.Labels() {
		classes = append(classes, l.Class)
	}
	if want := []string{"3", "1", "u", "unsure"}; !slices.Equal(classes, want) {
		t.Errorf("labels %v, want %v", classes, want)
	}
}

// TestLabelPolicyFile: a contract keeps the pool, to the last bit.
func TestLabelPolicyFile(t *testing.T) {
	for _, p := range []*game.Problem{servetest.Photos(), servetest.Mails()} {
		for at := range p.Z {
			p.Z[at] *= 1.5 // weights need not be numbers of items that may be asked
		}
		data, err := json.Marshal(nn.Contract{Problem: p, Loss: game.SimpleRegret.String(), Levels: []nn.Level{}})
		must(t, err)
		back := new(nn.Contract)
		must(t, json.Unmarshal(data, back))
		if q := back.Problem; !slices.Equal(q.Z, p.Z) || !slices.Equal(q.Expects(), p.Expects()) || fmt.Sprint(*q.Seek.(*game.Labels)) != fmt.Sprint(*p.Seek.(*game.Labels)) {
			t.Errorf("%s comes back as %+v", data, q)
		}
	}
}

// TestLabelAgent: an agent is told the classes and answers by them; one is called like a word of yes and no.
func TestLabelAgent(t *testing.T) {
	s, _ := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), servetest.Mails(), 0)
	c := servetest.Agent(t, s)
	v, fault := servetest.Verb(t, c, "next", map[string]any{"guess": true})
	if fault != "" || !slices.Equal(v.Classes, []string{"no", "spam"}) || v.Query == nil {
		t.Fatalf("%+v %s", v, fault)
	}
	if _, fault := servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": "yes"}); !strings.Contains(fault, `want a class ("no", "spam")`) {
		t.Errorf("yes: %s", fault)
	}
	if _, fault := servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": "ham"}); !strings.Contains(fault, `want a class ("no", "spam")`) {
		t.Errorf("ham: %s", fault)
	}
	for _, answer := range []string{"don't know", "undo", "spam", "no", "no"} {
		if v, fault = servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": answer}); fault != "" {
			t.Fatalf("%s: %s", answer, fault)
		}
	}
	data, err := s.Labels(t.Context(), v.ID)
	must(t, err)
	if v.State != wire.StateDone || v.Guess != nil || v.Recommendation == nil || strings.Count(string(data), ",no,") != 2 || strings.Count(string(data), ",spam,") != 1 {
		t.Errorf("at the end %+v, labels\n%s", v, data)
	}
}

// TestLabelsOutlive: the labels of a session are there after its policy plays another pool.
func TestLabelsOutlive(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := servetest.Opened(t, open)
		s, _ := servetest.Keeping(t, store, sessions.Options{}, servetest.Labelling(servetest.Photos(), "photos", 0), "photos=pool")
		v := servetest.Tell(t, s, servetest.Begin(t, s, wire.NewSession{Policy: "photos"}), play.Class(3))
		before, err := s.Labels(t.Context(), v.ID)
		must(t, err)
		other := servetest.Photos()
		other.Seek.(*game.Labels).Classes = []string{"cow", "bird", "dog", "cat"} // by their numbers labels would be others
		later, _ := servetest.Keeping(t, store, sessions.Options{}, servetest.Labelling(other, "photos", 0), "photos=pool")
		full, err := later.View(t.Context(), v.ID)
		must(t, err)
		after, err := later.Labels(t.Context(), v.ID)
		must(t, err)
		if full.State != wire.StateStale || full.History[0].Answer.String() != "cow" || string(after) != string(before) || !strings.Contains(string(after), ",cow,") {
			t.Errorf("the session is %+v, and its labels are\n%s, before\n%s", full, after, before)
		}
	})
}

// TestPosteriorsRegret: where games are for regret, the posterior's recommendation is another one: the contract says so, and the hash differs.
func TestPosteriorsRegret(t *testing.T) {
	p := servetest.Photos()
	hashes := map[string]bool{}
	for loss, rule := range map[game.Loss]string{game.BestIdentification: policies.VotesRule, game.SimpleRegret: policies.RegretRule} {
		asks, err := rival.Parse(p, loss, "uniform+posterior")
		must(t, err)
		policy, err := policies.Untrained("models", p, asks, policies.Rules{Loss: loss})
		must(t, err)
		if hashes[policy.Hash()] = true; policy.Contract.Rule != rule || policy.Contract.Loss != loss.String() {
			t.Errorf("%v: a contract for %s, with the rule %q", loss, policy.Contract.Loss, policy.Contract.Rule)
		}
	}
	if len(hashes) != 2 {
		t.Error("both have the same hash")
	}
}
