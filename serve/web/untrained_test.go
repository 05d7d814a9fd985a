package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/rival"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// cases are the small tables that table's tests read.
const cases = "../../data/table/testdata/cases/"

// problemOf is the problem of a table's rows.
func problemOf(path, weights string, o dataset.RowOptions) (*game.Problem, error) {
	raw, err := dataset.ReadTable(path, weights)
	if err != nil {
		return nil, err
	}
	o.T, o.AskOnce = len(raw.Queries), true
	p, _, err := dataset.Rows(raw, o)
	return p, err
}

// opener opens tables as information:0.03.
func opener(o dataset.RowOptions, rules policies.Rules) policies.Opener {
	return func(path string) (*policies.Policy, error) {
		p, err := problemOf(path, "", o)
		if err != nil {
			return nil, err
		}
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		if err != nil {
			return nil, err
		}
		return policies.Untrained(dataset.Base(path), p, policy, rules)
	}
}

// contractOf reads a contract as a client does.
func contractOf(t *testing.T, p *policies.Policy) (c struct {
	Rule    string
	Notes   []string
	Levels  []any
	Arch    string
	Problem struct {
		Queries, Hypotheses []string
		Known               [][]float64
		Shares              *struct {
			Yes     [][]float64
			Unknown []string
			Weights []float64
			Wrong   *float64 `json:"wrong_answers"`
			Other   bool
		}
	}
}) {
	t.Helper()
	var reply struct{ Contract json.RawMessage }
	must(t, json.Unmarshal([]byte(pageText(t, p)), &reply))
	must(t, json.Unmarshal(reply.Contract, &c))
	return c
}

// pageText returns the reply that has a policy's contract.
func pageText(t *testing.T, p *policies.Policy) string {
	t.Helper()
	set, err := policies.NewSet([]string{p.ID}, func(string) (*policies.Policy, error) { return p, nil })
	must(t, err)
	code, text := status(New(set, nil, Options{}).Handler(), request("GET", "/v1/policies/"+p.ID, ""))
	if code != http.StatusOK {
		t.Fatal(code, text)
	}
	return text
}

// plainBayes is the posterior over rows with the share of wrong answers inferred, as its definition has it.
func plainBayes(yes [][]float64, weights []float64, noise map[float64]float64, history []play.Answered) []float64 {
	joint, total := make([]float64, len(yes)), 0.
	for j, row := range yes {
		for e, prior := range noise {
			likelihood := weights[j] * prior
			for _, a := range history {
				q := min(max((1-2*e)*row[a.Query]+e, .02), .98)
				likelihood *= (1 + a.Answer.Value()*(2*q-1)) / 2
			}
			joint[j] += likelihood
			total += likelihood
		}
	}
	for j := range joint {
		joint[j] /= total
	}
	return joint
}

// TestPlainBayes: whatever the answers, what is recommended and how sure it is are those of a plain program that reads the
// contract.
func TestPlainBayes(t *testing.T) {
	wrong := 0.1
	inferred := map[float64]float64{0: .3, .05: .25, .1: .2, .2: .15, .3: .1}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		file, weights string
		o             dataset.RowOptions
		noise         map[float64]float64
	}{
		{file: "lowrates.csv", noise: inferred}, {file: "rep3.csv", noise: inferred}, {file: "key16.csv", noise: inferred},
		{file: "empty.csv", noise: inferred}, {file: "counts.csv", noise: inferred},
		{file: "weights.csv", weights: "weight", noise: inferred},
		{file: "lowrates.csv", o: dataset.RowOptions{Wrong: &wrong}, noise: map[float64]float64{wrong: 1}},
		{file: "rep3.csv", o: dataset.RowOptions{Other: .05}, noise: inferred},
		{file: "majority", noise: inferred}, // rows that share a majority
	} {
		path := cases + c.file
		if c.file == "majority" {
			path = filepath.Join(t.TempDir(), "majority.csv")
			must(t, os.WriteFile(path, []byte("object,a,b,c\nu,0.6,0.7,0.1\nv,0.9,0.99,0.3\nw,0.8,0.6,0.45\nx,0.95,0.55,0.02\n"), 0o600))
		}
		p, err := problemOf(path, c.weights, c.o)
		must(t, err)
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		must(t, err)
		served, err := policies.Untrained("t", p, policy, policies.Rules{})
		must(t, err)
		contract := contractOf(t, served)
		shares := contract.Problem.Shares
		for range 100 {
			var in wire.NextRequest
			var history []play.Answered
			for _, query := range r.Perm(p.Queries())[:r.IntN(p.Queries()+1)] {
				answer := []play.Answer{play.Yes, play.No, play.Probably, play.ProbablyNot}[r.IntN(4)]
				history = append(history, play.Answered{Query: query, Answer: answer})
				in.History = append(in.History, wire.HistoryEntry{Query: wire.Ref{Index: query}, Answer: wire.Reply{Answer: answer}})
			}
			got, err := served.Next(&in)
			must(t, err)
			want := plainBayes(shares.Yes, shares.Weights, c.noise, history)
			if got.Recommendation == nil {
				if got.Tied != len(want) {
					t.Errorf("%s after %v: nothing is recommended, of %v", c.file, history, want)
				}
				continue
			}
			k := got.Recommendation.Index
			if math.Abs(*got.Confidence-want[k]) > 1e-6 || want[k] < slices.Max(want)-1e-6 {
				t.Errorf("%s after %v: %s with %v, of %v", c.file, history, got.Recommendation.Text, *got.Confidence, want)
			}
		}
	}
}

// TestContract: a policy without training says so, and its contract has all that its posterior is made of.
func TestContract(t *testing.T) {
	wrong := 0.
	p, err := problemOf(cases+"empty.csv", "", dataset.RowOptions{Wrong: &wrong, Other: .1})
	must(t, err)
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	must(t, err)
	served, err := policies.Untrained("t", p, policy, policies.Rules{})
	must(t, err)
	c := contractOf(t, served)
	s := c.Problem.Shares
	if !slices.Contains(c.Notes, "This policy was not trained on this problem, and its worst case is not measured.") || len(c.Levels) != 0 || !strings.Contains(c.Rule, "ε = wrong_answers") || c.Arch != "untrained information:0.03" {
		t.Errorf("the contract says %+v", c)
	}
	if s == nil || s.Wrong == nil || *s.Wrong != 0 || !s.Other || c.Problem.Known != nil || len(s.Yes) != p.Hypotheses() || len(s.Weights) != p.Hypotheses() {
		t.Fatalf("the contract's shares are %+v", s)
	}
	for k, row := range s.Yes {
		for i, yes := range row {
			at := k*p.Queries() + i
			if yes != p.Seek.(*game.Shares).Yes[at] || (s.Unknown[k][i] == '1') != p.Seek.(*game.Shares).Unknown[at] {
				t.Errorf("share %d of row %d is %v, unknown %c; want %v, %v", i, k, yes, s.Unknown[k][i], p.Seek.(*game.Shares).Yes[at], p.Seek.(*game.Shares).Unknown[at])
			}
		}
	}
	if page := pageText(t, policyOf(t, dataset.Thresholds(3, 3))); strings.Contains(page, `"shares"`) {
		t.Errorf("a trained policy's contract has shares: %s", page)
	}
}

func policyOf(t *testing.T, p *game.Problem) *policies.Policy {
	return servetest.Policy(t, "t", p, nil)
}

// TestLargeContract: a contract leaves more than a million shares out, and says so.
func TestLargeContract(t *testing.T) {
	p := &game.Problem{Name: "large", T: 1, Seek: &game.Shares{}}
	const d, n = 1000, 1001
	for i := range d {
		p.X = append(p.X, fmt.Sprint("q", i))
	}
	for k := range n {
		p.Names = append(p.Names, fmt.Sprint("h", k))
		p.Seek.(*game.Shares).Weight = append(p.Seek.(*game.Shares).Weight, 1./n)
	}
	p.Seek.(*game.Shares).Yes = make([]float64, d*n)
	p.Grade()
	served, err := policies.Untrained("t", p, rival.Uniform(p), policies.Rules{})
	must(t, err)
	c := contractOf(t, served)
	if c.Problem.Shares != nil || len(c.Notes) != 2 || !strings.Contains(c.Notes[1], "more than 1000000 shares") {
		t.Errorf("the contract has %v and shares %v", c.Notes, c.Problem.Shares != nil)
	}
}

// TestKey: a perfect key of 16 species with wrong-answers: 0 is certain after its 4 couplets. With a species deleted its
// answers contradict every row, which a reply says with the closest ones.
func TestKey(t *testing.T) {
	wrong := 0.
	text, err := os.ReadFile(cases + "key16.csv")
	must(t, err)
	lines := strings.SplitAfter(strings.TrimSpace(string(text))+"\n", "\n")
	path := filepath.Join(t.TempDir(), "key15.csv")
	must(t, os.WriteFile(path, []byte(strings.Join(lines[:16], "")), 0o600)) // without species 16
	open := opener(dataset.RowOptions{Wrong: &wrong}, policies.Rules{Stop: 0.95})
	whole, err := open(cases + "key16.csv")
	must(t, err)
	part, err := open(path)
	must(t, err)
	for k := range 16 {
		in := &wire.NextRequest{Guess: true}
		for i, yes := range whole.Problem().Seek.(*game.Shares).Row(k, 4) {
			in.History = append(in.History, wire.HistoryEntry{Query: wire.Ref{Index: i}, Answer: wire.Reply{Answer: play.OfHalves(2*int64(2*yes) - 2)}})
			got, err := whole.Next(in)
			must(t, err)
			if last := i == 3; last != (got.Guess != nil) || last && (*got.Confidence != 1 || got.Guess.Index != k || got.Contradiction != nil) {
				t.Errorf("species %d after %d answers: %+v", k+1, i+1, got)
			}
		}
		got, err := part.Next(in)
		must(t, err)
		if k < 15 {
			if *got.Confidence != 1 || got.Recommendation.Index != k || got.Contradiction != nil {
				t.Errorf("species %d of 15: %+v", k+1, got)
			}
			continue
		}
		if len(got.Contradiction) != policies.MostNear || *got.Confidence >= 1 {
			t.Fatalf("the answers of the deleted species: %+v", got)
		}
		for _, near := range got.Contradiction {
			if len(near.Differs) != 1 {
				t.Errorf("%s differs in %v, want one answer", near.Text.Text, near.Differs)
			}
		}
		again, err := part.Next(&wire.NextRequest{History: in.History[:3]})
		must(t, err)
		if again.Contradiction != nil || again.Recommendation.Text != "species 8" {
			t.Errorf("three of its answers: %+v", again)
		}
	}
}

// TestKeyRuledOut: a wrong guess of the only row that exact answers leave is a contradiction as well: the row is not
// recommended again.
func TestKeyRuledOut(t *testing.T) {
	wrong := 0.
	key, err := opener(dataset.RowOptions{Wrong: &wrong}, policies.Rules{})(cases + "key16.csv")
	must(t, err)
	in := &wire.NextRequest{RuledOut: []int{0}, History: []wire.HistoryEntry{{Query: wire.Ref{Index: 0}, Answer: wire.Reply{Answer: play.No}}, {Query: wire.Ref{Index: 1}, Answer: wire.Reply{Answer: play.No}}, {Query: wire.Ref{Index: 2}, Answer: wire.Reply{Answer: play.No}}, {Query: wire.Ref{Index: 3}, Answer: wire.Reply{Answer: play.No}}}}
	got, err := key.Next(in)
	must(t, err)
	if got.Recommendation.Index == 0 || *got.Confidence > 0.5 || len(got.Contradiction) != policies.MostNear || got.Contradiction[0].Index == 0 {
		t.Errorf("after a wrong guess of species 1: %+v", got)
	}
}

// TestReloadTables: a table is read again; a session goes on with the game it was begun with. A broken table is refused
// and the old one stays.
func TestReloadTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "birds.csv")
	put := func(text string) { must(t, os.WriteFile(path, []byte(text), 0o600)) }
	const table = "object,a,b,c\nu,0.9,0.7,0.1\nv,0.1,0.8,0.3\nw,0.8,0.1,0.45\n"
	put(table)
	dir := t.TempDir()
	database := func() (database.Store, error) { return database.OpenSQLite(t.Context(), filepath.Join(dir, "s.db")) }
	begun := func() (*sessions.Sessions, *policies.Set) {
		return servetest.Keeping(t, servetest.Opened(t, database), sessions.Options{}, opener(dataset.RowOptions{}, policies.Rules{}), path)
	}
	s, set := begun()
	old := servetest.Begin(t, s, wire.NewSession{Policy: "birds"})
	other := servetest.Tell(t, s, servetest.Begin(t, s, wire.NewSession{Policy: "birds"}), play.Yes)
	old = servetest.Tell(t, s, old, play.Yes)
	hash := set.Get("birds").Hash()

	put("object,a,b,c\nu,0.9,0.7,0.1\nv,0.1,7,0.3\n")
	changed, err := set.Reload()
	if err == nil || !strings.Contains(err.Error(), "birds.csv") || strings.Contains(err.Error(), "\n") || len(changed) > 0 || set.Get("birds").Hash() != hash {
		t.Errorf("a broken table: changed %v, %v", changed, err)
	}
	put(strings.Replace(table, "0.45", "0.46", 1))
	changed, err = set.Reload()
	if err != nil || !slices.Equal(changed, []string{"birds"}) || set.Get("birds").Hash() == hash {
		t.Errorf("a changed share: changed %v, %v", changed, err)
	}
	old = servetest.Tell(t, s, old, play.No)
	if old.State == wire.StateStale || old.Policy.Hash != hash {
		t.Errorf("the session goes on with %+v, want hash %s", old, hash)
	}
	if v := servetest.Begin(t, s, wire.NewSession{Policy: "birds"}); v.Policy.Hash == hash {
		t.Error("a new session plays the old table")
	}
	set.Renew(slog.New(slog.DiscardHandler))

	restarted, _ := begun() // with the changed table
	if v, err := restarted.View(t.Context(), old.ID); err != nil || v.State != wire.StateStale {
		t.Errorf("with another table the session is %+v, %v", v, err)
	}
	put(table)
	restarted, _ = begun()
	v, err := restarted.View(t.Context(), other.ID)
	if err != nil || v.State == wire.StateStale || v.Step != other.Step || *v.Query != *other.Query || *v.Confidence != *other.Confidence {
		t.Errorf("with the same table the session is %+v, %v; want %+v", v, err, other)
	}
	servetest.Tell(t, restarted, v, play.Yes)
}

// TestTerminalKey: the terminal says that no row gives the answers, also where the last answer shows it.
func TestTerminalKey(t *testing.T) {
	wrong := 0.
	path := filepath.Join(t.TempDir(), "three.csv")
	must(t, os.WriteFile(path, []byte("object,a,b\nnone,0,0\na,1,0\nb,0,1\n"), 0o600))
	p, err := opener(dataset.RowOptions{Wrong: &wrong}, policies.Rules{})(path)
	must(t, err)
	var out strings.Builder
	terminal := terminal.Game{Policy: p, Out: &out, Given: []play.Answered{{Query: 0, Answer: play.Yes}}, Read: terminal.Lines(strings.NewReader("y\nq\n"))}
	must(t, terminal.Play(t.Context()))
	if strings.Count(out.String(), "\nNo row gives these answers. The closest:\n  a, but for: b\n  b, but for: a\n") != 1 {
		t.Errorf("it says %s", out.String())
	}
}
