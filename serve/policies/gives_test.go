package policies_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/web"
	"mapo/serve/wire"
)

// TestMajoritiesDecide: on majorities, too, a policy recommends by its own decision: in a game that the caller keeps,
// and in the terminal. After a no to the first query and three yeses and a no to the second, scores and the posterior differ. Without training the contract says which it is, and the hash tells it from versions that went by the score.
func TestMajoritiesDecide(t *testing.T) {
	p := dataset.Thresholds(2, 5)
	dir := t.TempDir()
	score := servetest.Write(t, dir, "score", p, nil)
	posterior := servetest.Write(t, dir, "posterior", p, func(c *nn.Contract) { c.Decision = decision.Posterior })
	set, err := policies.NewSet([]string{score, posterior}, policies.Open)
	must(t, err)
	h := web.New(set, nil, web.Options{}).Handler()
	replies := map[int][]play.Answer{0: {play.No}, 1: {play.Yes, play.Yes, play.No, play.Yes}}
	for id, want := range map[string]int{"score": 0, "posterior": 2} {
		var out wire.NextReply
		body := `{"history": [{"query": 0, "answer": -1}, {"query": 1, "answer": 1}, {"query": 1, "answer": 1}, {"query": 1, "answer": -1}, {"query": 1, "answer": 1}]}`
		if code := servetest.Post(t, h, "/v1/policies/"+id+"/next", body, &out); code != http.StatusOK || out.Recommendation == nil || out.Recommendation.Index != want {
			t.Errorf("%s recommends %+v in a stateless game, want %d", id, out.Recommendation, want)
		}
		given := terminal.Game{Policy: set.Get(id), Out: new(bytes.Buffer)}
		for query, list := range replies {
			for _, a := range list {
				given.Given = append(given.Given, play.Answered{Query: query, Answer: a})
			}
		}
		must(t, given.Play(t.Context()))
		if text := given.Out.(*bytes.Buffer).String(); !strings.Contains(text, "After 5 answers: "+p.Names[want]+".") {
			t.Errorf("%s in the terminal:\n%s", id, text)
		}
	}
	rules := map[string]string{"uniform": policies.ScoreRule, "uniform+posterior": policies.VotesRule}
	hashes := map[string]bool{}
	for name, rule := range rules {
		ask, err := rival.Parse(p, game.BestIdentification, name)
		must(t, err)
		served, err := policies.Untrained("u", p, ask, policies.Rules{})
		must(t, err)
		byName := policies.HashOf(policies.DecisionVersion, name, p, false, 0)
		if hashes[served.Hash()] = true; served.Contract.Rule != rule || (served.Hash() == byName) != (rule == policies.ScoreRule) {
			t.Errorf("%s: rule %q, hash %s by its name alone %s", name, served.Contract.Rule, served.Hash(), byName)
		}
	}
	if len(hashes) != 2 {
		t.Error("both have the same hash")
	}
}
