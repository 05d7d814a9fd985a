package sim_test

import (
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/suite"
	"mapo/policy/decision"
	"mapo/policy/rival"
	"mapo/rng"
)

// animalRows is the game over the rows of the table of animals.
func animalRows(t *testing.T) *game.Problem {
	t.Helper()
	table, err := dataset.ReadTable("../../examples/animals.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := dataset.Rows(table, dataset.RowOptions{Options: dataset.Options{T: 20, AskOnce: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestVarianceOnRows: on the rows of a real table, one answer in ten wrong, the control variate leaves at most 0.7 of the
// variance of losses within an instance, with either decision: 0.52 to 0.59 when this was written.
func TestVarianceOnRows(t *testing.T) {
	suite.Long(t, "plays two policies with two decisions on a real table")
	p := animalRows(t)
	prior := game.DrawShares(p, 0.1)
	const n, l = 8, 64
	theta, drawn := make([]float64, n*p.Queries()), make([]int, n)
	for m := range drawn {
		drawn[m] = prior.Draw(theta[m*p.Queries():(m+1)*p.Queries()], rng.New(1).At(m).Rand())
	}
	for _, name := range []string{"uniform", "information:0.1"} {
		policy, err := rival.Parse(p, game.BestIdentification, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{decision.LeastSquares, decision.Posterior} {
			b := &sim.Block{P: p, L: l, Theta: theta, Drawn: drawn}
			if by != decision.LeastSquares {
				if b.Decider, err = decision.New(p, game.BestIdentification, by); err != nil {
					t.Fatal(err)
				}
			}
			learnt(b, policy, game.BestIdentification)
			share := varianceLeft(b, policy)
			t.Logf("%s, %s: %.3f of the variance", name, by, share)
			if share > 0.7 {
				t.Errorf("%s, %s: the control variate leaves %.3f of the variance, want at most 0.7", name, by, share)
			}
		}
	}
}

// varianceLeft returns the share of the variance of losses within an instance that a block's control variate leaves, in games
// that had no part in its lines.
func varianceLeft(b *sim.Block, policy game.Policy) float64 {
	playBlock(b, rng.New(3), 0, choose(policy))
	b.Judge(game.BestIdentification, nil)
	var raw, less float64
	for first := 0; first < b.Games(); first += b.L {
		var with, without sim.Sum
		for g := first; g < first+b.L; g++ {
			with.Add(b.Loss[g])
			without.Add(b.Loss[g] - b.Variate.Of[g])
		}
		raw, less = raw+variance(with), less+variance(without)
	}
	return less / raw
}
