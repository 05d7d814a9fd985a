package sim_test

import (
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/sim"
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
	p, _, err := dataset.Rows(table.Table, dataset.RowOptions{Options: dataset.Options{T: 20, AskOnce: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestVarianceOnRows: on the rows of a real table, one answer in ten wrong, the control variate leaves at most 0.7 of the
// variance of losses within an instance, with either decision.
func TestVarianceOnRows(t *testing.T) {
	p := animalRows(t)
	prior := game.DrawShares(p, 0.1)
	const n, l = 16, 64
	theta, drawn := make([]float64, n*p.Queries()), make([]int, n)
	for m := range drawn {
		drawn[m] = prior.Draw(theta[m*p.Queries():(m+1)*p.Queries()], rng.New(1).At(m).Rand())
	}
	for _, name := range []string{"uniform", "gain:1"} {
		policy, err := rival.Parse(p, game.BestIdentification, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range decision.Names() {
			decider, err := decision.New(p, game.BestIdentification, by)
			if err != nil {
				t.Fatal(err)
			}
			b := &sim.Block{P: p, L: l, Theta: theta, Drawn: drawn, Decider: decider}
			b.Variate = &sim.ControlVariate{P: p, Lines: sim.NoLines(p), Steps: &sim.Steps{Weight: make([]float64, n)}}
			last := p.T
			if by == decision.Posterior {
				last++
			}
			for range 3 { // each round's lines predict what those before leave
				sim.PlayBlock(b, rng.New(2), 0, choose(policy))
				b.Judge(game.BestIdentification, nil)
				left := append([]float64(nil), b.Loss...)
				for at := p.T; at >= 0; at-- {
					if at < p.T {
						for g := range left {
							left[g] -= b.Variate.Steps.Variate[at*n*l+g]
						}
					}
					if at >= last {
						continue
					}
					var m sim.Moments
					for first := 0; first < n*l; first += l {
						m.Take(b.Variate.Steps, at, n*l, first, left[first:first+l])
					}
					b.Variate.Lines[at] = m.Line()
				}
			}
			sim.PlayBlock(b, rng.New(3), 0, choose(policy)) // games that had no part in the lines
			b.Judge(game.BestIdentification, nil)
			var raw, less float64
			for m := range n {
				var with, without sim.Sum
				for g := m * l; g < (m+1)*l; g++ {
					with.Add(b.Loss[g])
					without.Add(b.Loss[g] - b.Variate.Of[g])
				}
				raw, less = raw+variance(with), less+variance(without)
			}
			t.Logf("%s, %s: %.3f of the variance", name, by, less/raw)
			if less > 0.7*raw {
				t.Errorf("%s, %s: the control variate leaves %.3f of the variance, want at most 0.7", name, by, less/raw)
			}
		}
	}
}
