package train

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/rng"
)

// On a finite Θ whose games can all be played, a policy comes within 0.003 of the certified minimax value, whatever the
// problem and the loss. That takes 4,000 iterations, with MAPO_LONG. A tenth of them comes as
// near as is stated; it begins 0.02 to 0.14 above.
func TestTinyReachesTheBracket(t *testing.T) {
	once := check.Random(4, 7, 3, rand.New(rand.NewPCG(4, 4)))
	once.AskOnce = true
	for _, c := range []struct {
		name string
		p    *game.Problem
		r    float64
		near [2]float64 // of a tenth of the iterations, for each loss
	}{
		{"thresholds", check.Thresholds(3, 5), 8, [2]float64{.002, .002}},
		{"thresholds", check.Thresholds(3, 5), 32, [2]float64{.002, .002}},
		{"best arm", check.BestArm(3, 6), 40, [2]float64{.002, .002}},
		{"random", check.Random(4, 7, 5, rand.New(rand.NewPCG(3, 3))), 40, [2]float64{.02, .006}},
		{"ask once", once, 40, [2]float64{.007, .005}},
	} {
		values := []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}
		if c.p.Queries() == 4 {
			values = []float64{-1, -.5, .5, 1}
		}
		rows := exact.Grid(c.p, game.RhoTilde(c.p), values, c.r)
		for i, loss := range game.Losses() {
			if suite.Reduced() && c.p.Queries() == 4 && loss == game.SimpleRegret { // the largest games once
				continue
			}
			iters, near := 400, c.near[i]
			if os.Getenv("MAPO_LONG") != "" {
				iters, near = 4000, .003 // some seconds each
			}
			bracket, err := exact.Certify(t.Context(), c.p, rows, exact.Options{Loss: loss})
			if err != nil {
				t.Fatal(err)
			}
			run := begin(t, tinyTask(t, c.p, loss, c.r, rows, iters))
			finish(t, run)
			g, err := exact.New(c.p)
			if err != nil {
				t.Fatal(err)
			}
			worst, _ := g.Flow(nn.Policy(c.p, run.Net())).Worst(loss, rows)
			if worst > bracket.Hi+near || worst < bracket.Lo-1e-6 {
				t.Errorf("%s, %v, r = %v: the policy's worst case is %.4f, the bracket [%.4f, %.4f]", c.name, loss, c.r, worst, bracket.Lo, bracket.Hi)
			}
		}
	}
}

// tinyTask returns a training over the rows as at desk scale, of so many iterations, in which the game is played whole.
func tinyTask(t *testing.T, p *game.Problem, loss game.Loss, r float64, rows [][]float64, iters int) Task {
	t.Helper()
	c := base()
	if c.Structured.Units, c.Decay, c.Pi = 32, .02, iters; loss == game.SimpleRegret {
		c.Structured, c.Decay = &Structured{Units: 16, Start: "uniform"}, .1
	}
	task := Task{P: p, C: game.RhoTilde(p), Loss: loss, R: []float64{r}, Finite: rows, Config: c, Key: rng.New(1)}
	if newEnumerated(&task, task.fresh()) == nil {
		t.Fatal("the game is not played whole")
	}
	return task
}

// TestTinyStops: a training whose games are played whole ends with ctx, too.
func TestTinyStops(t *testing.T) {
	rows := [][]float64{{1, .5, -.5}, {.5, -.5, -1}, {1, 1, .5}}
	run := begin(t, tinyTask(t, check.Thresholds(3, 5), game.BestIdentification, 64, rows, 20))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for step, err := range Descend(ctx, run) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			return
		}
		if cancel(); step.Iter > 1 {
			break
		}
	}
	t.Error("it went on")
}
