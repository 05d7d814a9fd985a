package train

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/decision"
	"mapo/rng"
)

// The critic leaves the mean gradient and the mean losses what they are and makes them less noisy:
// over many batches of the same policy and instances, entry by entry within 6 standard errors (some 4,000
// checks, fewer than one false alarm in 10⁵ runs; 1e-6 is for entries that rounding alone moves), and with less total
// variance: .1 to .55 of it when this was written.
func TestCritic(t *testing.T) {
	p := check.Thresholds(6, 6)
	graded := graded()
	posterior, err := decision.New(graded, game.BestIdentification, decision.Posterior)
	if err != nil {
		t.Fatal(err)
	}
	rows := game.Rows("rows", [][]float64{{1, .3, .1, -.1, -.3, -.5}, {.5, .4, .3, .2, .1, -1}, {1, 1, 1, .5, 0, -.2}, {-.1, -.2, -.3, -.4, -1, -1}})
	for name, task := range map[string]Task{
		"a prior":   {Loss: game.BestIdentification, Prior: game.Flip(p, .8)},
		"rows":      {Loss: game.SimpleRegret, Prior: rows},
		"one level": {Loss: game.BestIdentification, R: []float64{16}},
		"a dial":    {Loss: game.SimpleRegret, R: []float64{16}, Average: rows, Weight: .5},
		"posterior": {Loss: game.BestIdentification, P: graded, Prior: game.DrawFlipped(graded, .1, .2), Decider: posterior},
		"early":     {Loss: game.BestIdentification, Prior: game.Flip(p, .8), Stopper: check.Lead{P: p, Sum: 2, After: 5}},
		"nearest":   {Loss: game.BestIdentification, P: graded, R: []float64{40}, Average: game.DrawFlipped(graded, .1, .2), Weight: .5},
	} {
		if task.P == nil {
			task.P = p
		}
		t.Run(name, func(t *testing.T) { testCritic(t, task) })
	}
}

func testCritic(t *testing.T, task Task) {
	const batches = 300
	p := task.P
	mean, square := map[bool][]float64{}, map[bool][]float64{}
	for _, on := range []bool{false, true} {
		c := quick()
		by(&c, "oracle")
		structured(&c)
		c.Critic, c.M, c.L = on, 16, 8
		task.C, task.Config, task.Key = game.RhoTilde(p), c, rng.New(1)
		r := takeApart(t, task)
		r.prepare(t, 0)
		n := len(r.grad)
		mean[on], square[on] = make([]float64, n+c.M), make([]float64, n+c.M)
		for i := range batches + 20 {
			games := r.estimate(t, i)
			r.estimator.Learn()
			if i < 20 {
				continue // the lines settle
			}
			for j := range mean[on] {
				x := 0.
				if j < n {
					x = float64(r.grad[j])
				} else {
					x = games.Mean[j-n]
				}
				mean[on][j] += x / batches
				square[on][j] += x * x / batches
			}
		}
	}
	var with, without float64
	for j := range mean[true] {
		a, b := mean[true][j], mean[false][j]
		va, vb := square[true][j]-a*a, square[false][j]-b*b
		with, without = with+va, without+vb
		if math.Abs(a-b) > 6*math.Sqrt((va+vb)/batches)+1e-6 {
			t.Errorf("the mean of entry %d is %v with the critic, %v without", j, a, b)
		}
	}
	t.Logf("the variance is %.3g with the critic, %.3g without", with, without)
	if with > .7*without {
		t.Errorf("the variance is %v with the critic, %v without", with, without)
	}
}
