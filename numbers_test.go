package mapo_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mapo"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/rng"
)

// saved opens a policy of three arms, made as a test needs it.
func saved(t *testing.T, answers game.Answer) *mapo.Policy {
	t.Helper()
	p := &game.Problem{Name: "arms", X: []string{"a?", "b?", "c?"}, Names: []string{"A", "B", "C"}, Z: []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, T: 9, Reply: answers}
	path := filepath.Join(t.TempDir(), "arms.safetensors")
	if err := nn.WriteFile(path, nn.NewStructured(p, 16, rng.New(1)), nn.Contract{Name: "mapo", Problem: p, Loss: game.BestIdentification.String(), Rule: "made for a test"}); err != nil {
		t.Fatal(err)
	}
	policy, err := mapo.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// TestNumber: a game whose answers are numbers takes numbers alone, and names the largest mean.
func TestNumber(t *testing.T) {
	policy := saved(t, game.Answers{Sigma: 1, Bound: 10})
	g := policy.Play(1)
	rewards := map[string]float64{"a?": -3, "b?": 2.5, "c?": 0}
	asked := 0
	for ; g.Next(); asked++ {
		g.Number(rewards[g.Question()])
	}
	if name, confidence := g.Best(); name != "B" || confidence != 0 || asked != 9 || g.Err() != nil {
		t.Errorf("after %d answers %s, %v, %v", asked, name, confidence, g.Err())
	}
	for want, answer := range map[string]func(*mapo.Game){
		"answers are numbers: call Number":           func(g *mapo.Game) { g.Answer(true) },
		"it must be a number from -1e+09 to 1e+09":   func(g *mapo.Game) { g.Number(2e9) },
		"an answer without a question: call Next be": func(g *mapo.Game) { g.Number(1); g.Number(1) },
	} {
		g := policy.Play(1)
		g.Next()
		if answer(g); g.Err() == nil || !strings.Contains(g.Err().Error(), want) || g.Next() {
			t.Errorf("%v, want %q", g.Err(), want)
		}
	}
	yesNo := saved(t, nil).Play(1)
	yesNo.Next()
	if yesNo.Number(1); yesNo.Err() == nil || !strings.Contains(yesNo.Err().Error(), "answers are yes and no: call Answer") {
		t.Errorf("a number for yes: %v", yesNo.Err())
	}
}
