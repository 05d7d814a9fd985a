package mapo_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mapo"
	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
)

// TestLabel: a game whose answers are classes asks for items, each once, takes classes alone, and names the model that is right.
func TestLabel(t *testing.T) {
	p := check.Pool(12, 4, 3, 9, true, rng.New(5).Rand())
	path := filepath.Join(t.TempDir(), "pool.safetensors")
	if err := nn.WriteFile(path, nn.NewStructured(p, 4, rng.New(1)), nn.Contract{Problem: p, Loss: game.SimpleRegret.String(), Levels: []nn.Level{}}); err != nil {
		t.Fatal(err)
	}
	policy, err := mapo.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	truth := map[string]string{} // what the third model predicts
	for q, says := range p.Says(2) {
		cell := p.Seek.(*game.Labels).CellOf(q)
		for i := p.Seek.(*game.Labels).Cell[cell]; says == 1 && i < p.Seek.(*game.Labels).Cell[cell+1]; i++ {
			truth[p.Seek.(*game.Labels).Items[i]] = p.Seek.(*game.Labels).Classes[p.Seek.(*game.Labels).Of[q]]
		}
	}
	g := policy.Play(1)
	asked := map[string]bool{}
	for g.Next() {
		item := g.Question()
		if asked[item] || truth[item] == "" {
			t.Fatalf("it asks for %q", item)
		}
		asked[item] = true
		g.Label(truth[item])
	}
	if name, _ := g.Best(); name != p.Names[2] || len(asked) != 9 || g.Err() != nil {
		t.Errorf("after %d labels %s, %v", len(asked), name, g.Err())
	}
	for want, answer := range map[string]func(*mapo.Game){
		"answers are classes: call Label":    func(g *mapo.Game) { g.Answer(true) },
		`the class is "whale"; there are ["`: func(g *mapo.Game) { g.Label("whale") },
		"an answer without a question: call Next be": func(g *mapo.Game) {
			g.Label(p.Seek.(*game.Labels).Classes[0])
			g.Label(p.Seek.(*game.Labels).Classes[0])
		},
	} {
		g := policy.Play(1)
		g.Next()
		if answer(g); g.Err() == nil || !strings.Contains(g.Err().Error(), want) || g.Next() {
			t.Errorf("%v, want %q", g.Err(), want)
		}
	}
	yesNo := saved(t, nil).Play(1)
	yesNo.Next()
	if yesNo.Label("a"); yesNo.Err() == nil || !strings.Contains(yesNo.Err().Error(), "call Answer or Number") {
		t.Errorf("a class for yes: %v", yesNo.Err())
	}
}
