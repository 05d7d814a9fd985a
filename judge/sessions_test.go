package judge

import (
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/policy/rival"
	"mapo/record"
)

// TestSessionsCover plays sessions on made-up pools as play does, with a floor of exploration, and recommends by their labels and
// logged propensities. The interval of the recommended model holds its accuracy on the items on which models differ, as in
// TestCoverage.
func TestSessionsCover(t *testing.T) {
	sessions := 2000
	if suite.Reduced() {
		sessions = 400
	}
	for _, c := range []struct {
		name           string
		explore        float64
		models, labels int
	}{
		{"model-selector", 0.1, 8, 50},
		{"disagreement", 0.3, 5, 20},
	} {
		var held, width float64
		for seed := range uint64(sessions) {
			o := dataset.Pool{Items: 120, Models: c.models, Classes: 2 + int(seed%3), Correlation: 0.3 + 0.5*float64(seed%7)/6, Low: 0.5, High: 0.9, Seed: seed}
			accuracy, estimate, ok := labelling(t, o, c.name, c.explore, c.labels)
			if !ok {
				continue
			}
			if accuracy >= estimate.Lo-1e-9 && accuracy <= estimate.Hi+1e-9 {
				held += 1 / float64(sessions)
			}
			width += (estimate.Hi - estimate.Lo) / float64(sessions)
		}
		t.Logf("%s, explore %v, %d labels: coverage %.3f, mean width %.3f", c.name, c.explore, c.labels, held, width)
		if held < 0.93 {
			t.Errorf("%s, explore %v: coverage %.3f", c.name, c.explore, held)
		}
	}
}

// labelling plays one session, and returns the recommended model's accuracy on the items in play and what is estimated of it.
func labelling(t *testing.T, o dataset.Pool, name string, explore float64, labels int) (accuracy float64, estimate record.Estimate, ok bool) {
	t.Helper()
	pool, truth, err := o.Generate()
	if err != nil {
		t.Fatal(err)
	}
	made, err := pool.Problem(dataset.PoolOptions{T: labels})
	if err != nil {
		return 0, estimate, false // models that are all alike
	}
	p := made.Problem
	p.T = min(p.T, len(p.Seek.(*game.Labels).Items))
	policy, err := rival.Parse(p, game.SimpleRegret, name)
	if err != nil {
		t.Fatal(err)
	}
	number := map[string]int{}
	for i, item := range pool.Items {
		number[item] = i
	}
	g := play.New(p, policy, false)
	g.Explore = explore
	var past play.Record
	var given []Labelled
	for range p.T {
		at, err := g.At(past)
		if err != nil {
			t.Fatal(err)
		}
		probs, err := at.Probabilities()
		if err != nil {
			t.Fatal(err)
		}
		item := play.Draw(probs, at.Key(o.Seed))
		class := int(truth[number[p.Seek.(*game.Labels).Items[item]]])
		given = append(given, Labelled{Item: item, Class: class, Propensity: float64(probs[item])})
		past.History = append(past.History, play.Answered{Query: item, Answer: play.Class(class)})
	}
	models, err := Models(p, game.LeastSquares(p), given, explore)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range p.Seek.(*game.Labels).Items {
		i := number[item]
		if pool.Row(i)[made.Model[models[0].Hypothesis]] == truth[i] {
			accuracy += 1 / float64(len(p.Seek.(*game.Labels).Items))
		}
	}
	return accuracy, models[0].Accuracy, true
}
