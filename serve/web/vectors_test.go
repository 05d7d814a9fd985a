package web

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/serve/policies"
)

// TestArmsTerminal: the player of a game on arms finds the best of them, and thinks of none.
func TestArmsTerminal(t *testing.T) {
	p, err := dataset.Arms([]string{"red", "green", "blue"}, 8)
	must(t, err)
	policy, err := policies.Untrained("arms", p, rival.TopTwo(p), policies.Rules{Version: "test"})
	must(t, err)
	var out bytes.Buffer
	g := terminal.Game{Policy: policy, Seed: 2, Out: &out, Read: terminal.Lines(strings.NewReader("y\nq\n"))}
	must(t, g.Play(t.Context()))
	if !strings.HasPrefix(out.String(), "Find the best of 3: answer 8 times. There are 3 questions. A question may come again.\n") {
		t.Errorf("it begins with %.100q", out.String())
	}
}

// TestVectorTerminal: a game over vectors is played to its end, and says who leads by how much and no probability. Sessions of
// other vectors with the same texts are others.
func TestVectorTerminal(t *testing.T) {
	open := func(seed uint64) *policies.Policy {
		p := check.RandomVectors(3, 5, 0, 3, rng.New(seed).Rand())
		policy, err := policies.Untrained("linear", p, rival.LinearTopTwo(p, 1), policies.Rules{Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		return policy
	}
	policy := open(1)
	var out bytes.Buffer
	g := terminal.Game{Policy: policy, Seed: 2, Out: &out, Read: terminal.Lines(strings.NewReader("y\nn\nu\ny\nn\n"))}
	if err := g.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Find the best of 5: answer 3 times. There are 5 questions. A question may come again.", "leads by", "After 3 answers: z"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "%") {
		t.Errorf("a probability is said:\n%s", out.String())
	}
	if policy.Hash() == open(2).Hash() || policy.Hash() != open(1).Hash() {
		t.Error("a policy's hash does not depend on its vectors")
	}
}

// TestMeasuredInBrowser: the page says of arms and vectors that one is recommended, and only of hypotheses that a player knows to
// think of one.
func TestMeasuredInBrowser(t *testing.T) {
	suite.Long(t, "three more games in a browser")
	t.Parallel()
	of := map[string]func() (*game.Problem, string, error){
		"key": func() (*game.Problem, string, error) { p, err := keyRows(); return p, rival.Untrained, err },
		"arms": func() (*game.Problem, string, error) {
			p, err := dataset.Arms([]string{"red", "green", "blue"}, 8)
			return p, "top-two", err
		},
		"vectors": func() (*game.Problem, string, error) {
			return check.RandomVectors(3, 5, 0, 3, rng.New(1).Rand()), "xy-static", nil
		},
	}
	set, err := policies.NewSet([]string{"arms", "key", "vectors"}, func(name string) (*policies.Policy, error) {
		p, asks, err := of[name]()
		must(t, err)
		policy, err := rival.Parse(p, game.BestIdentification, asks)
		must(t, err)
		return policies.Untrained(name, p, policy, policies.Rules{Version: "test"})
	})
	must(t, err)
	b := newTab(t, chromium(t), "http://"+listen(t, New(set, nil, Options{Version: "test"})))
	for name, want := range map[string]string{"key": "Think of one of the 15 hypotheses", "arms": "At the end one of the 3 hypotheses is recommended.", "vectors": "At the end one of the 5 hypotheses is recommended."} {
		b.open("/play/" + name + "#seed=1")
		b.wait(fmt.Sprintf(`location.pathname === "/play/%s" && document.getElementById("question")`, name))
		if said := b.all(); !strings.Contains(said, want) || strings.Contains(said, "guess") != (name == "key") {
			t.Errorf("the page of %s says %s", name, said)
		}
	}
	b.clean()
}
