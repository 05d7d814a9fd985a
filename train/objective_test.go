package train

import (
	"math"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/rng"
)

// counting lets an adversary's instances and a prior's count as told.
type counting struct {
	adversary.Adversary
	own, prior float64 // what an instance of each part counts for
}

func (c counting) Draw(b *adversary.Batch, key rng.Key) {
	c.Adversary.Draw(b, key)
	for m := range b.Importance {
		if b.Importance[m] = c.prior; m < len(b.Index) {
			b.Importance[m] = c.own
		}
	}
}

// unlisted is a prior whose instances are not known, so that games are drawn.
type unlisted struct{ game.Prior }

// What is drawn counts in Eq. 11 by its importance: the parts of the adversary's and of the prior's instances add up to the
// whole.
func TestImportances(t *testing.T) {
	p := check.Thresholds(3, 4)
	for _, algorithm := range []string{"oracle", "paper"} {
		t.Run(algorithm, func(t *testing.T) {
			c := base()
			if c.M, c.L, c.LambdaPolFine, c.Oracle.Temperature = 10, 4, 0, 1; algorithm == "paper" {
				paper(&c)
				c.Paper.Regret = 0
			}
			task := Task{
				P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1),
				Finite:  [][]float64{{1, 1, 1}, {1, .75, -.5}, {.5, -.75, -1}},
				Average: unlisted{game.Rows("rows", [][]float64{{-1, -1, -1}, {.25, 0, 0}})}, Weight: .4,
			}
			gradient := func(own, prior float64) []float32 {
				e := takeApart(t, task)
				e.adversary = counting{e.adversary, own, prior}
				e.estimate(t, 0)
				return e.grad
			}
			whole, first, second := gradient(2, 3), gradient(2, 0), gradient(0, 3)
			off := 0.
			for i, v := range whole {
				off = max(off, math.Abs(float64(v-first[i]-second[i])))
			}
			if norm32(first) == 0 || norm32(second) == 0 || off > 1e-5*norm32(whole) {
				t.Errorf("parts of length %v and %v are %v off the whole's %v", norm32(first), norm32(second), off, norm32(whole))
			}
		})
	}
}

// With more weight the average is bought for worst case, by the exact judge, on the mean of
// six trainings.
func TestWeightTrades(t *testing.T) {
	suite.Long(t, "trains for seconds")
	p := check.Thresholds(3, 5)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	grid := exact.Grid(p, game.RhoTilde(p), []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}, 32)
	rows := [][]float64{{-.25, -1, -1}, {1, 1, .25}} // each the other, read backwards and the other way round: a policy starts on both alike
	prior := game.Rows("ends", rows)
	const seeds = 6
	var worst, average [2]float64
	for i := range 2 * seeds {
		weighted := i / seeds
		c := base()
		c.Pi, c.M, c.L, c.N, c.Structured.Start = 300, 32, 8, 48, "uniform" // from the rivals both are soon near the best average
		run := begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{32}, Config: c,
			Average: prior, Weight: .97 * float64(weighted), Key: rng.New(uint64(i % seeds))})
		finish(t, run)
		f := g.Flow(nn.Policy(p, run.Net()))
		most, _ := f.Worst(game.BestIdentification, grid)
		worst[weighted] += most / seeds
		average[weighted] += (f.Loss(game.BestIdentification, rows[0]) + f.Loss(game.BestIdentification, rows[1])) / 2 / seeds
	}
	if average[1] > average[0]-.05 || worst[1] < worst[0]+.05 {
		t.Errorf("from w = 0 to .97 the average goes from %.3f to %.3f, the worst case from %.3f to %.3f", average[0], average[1], worst[0], worst[1])
	}
}
