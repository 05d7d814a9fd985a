package train

import (
	"math"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/decision"
	"mapo/policy/stopping"
	"mapo/rng"
)

// All that is collected from games is the same up to rounding whether all instances are in one block or in four, the last of
// them short: means, variances, the gradients of Eq. 10 and 11, the entropy and the
// critic's moments. Instances differ in their difficulty, their benchmark and what they count for.
func TestBlocks(t *testing.T) {
	p, rows := check.Thresholds(5, 4), graded()
	posterior, err := decision.New(rows, game.BestIdentification, decision.Posterior)
	if err != nil {
		t.Fatal(err)
	}
	early, err := stopping.New(rows, "confidence:0.55")
	if err != nil {
		t.Fatal(err)
	}
	levels, benchmarks := []float64{6, 10, 40}, []float64{.1, .25, .6}
	for _, c := range []struct {
		name, algorithm string
		policy          string
		critic          bool
		task            Task
	}{
		{"the paper's adversary", "paper", "mlp", false, Task{R: levels[1:2]}},
		{"the paper's gap", "paper", "structured", false, Task{R: levels, B: benchmarks}},
		{"the oracle", "oracle", "mlp", false, Task{R: levels[1:2]}},
		{"the oracle's gap with a critic", "oracle", "structured", true, Task{R: levels, B: benchmarks}},
		{"a prior with a critic", "paper", "mlp", true, Task{Prior: game.Flip(p, .7)}},
		{"the oracle's gap with an average", "oracle", "mlp", false, Task{R: levels, B: benchmarks, Average: game.Flip(p, .7), Weight: .3}},
		{"the paper's gap with an average", "paper", "mlp", false, Task{R: levels, B: benchmarks, Average: game.Flip(p, .7), Weight: .3}},
		{"rows decided by the posterior", "oracle", "structured", true, Task{P: rows, Decider: posterior, R: levels[2:], Average: game.DrawFlipped(rows, .1, .2), Weight: .4}},
		{"rows that end early", "oracle", "structured", true, Task{P: rows, Stopper: early, R: levels[2:], Average: game.DrawFlipped(rows, .1, .2), Weight: .4}},
		{"games that end early", "oracle", "mlp", true, Task{Prior: game.Flip(p, .7), Stopper: check.Lead{P: p, Sum: 2, After: 3}}},
		{"an average with a critic", "oracle", "mlp", true, Task{R: levels[2:], Average: game.Flip(p, .7), Weight: .4}},
	} {
		for _, loss := range game.Losses() {
			conf := quick()
			conf.Critic, conf.M, conf.L, conf.N = c.critic, 10, 4, 24
			if by(&conf, c.algorithm); c.algorithm == "oracle" {
				conf.Oracle.Add = 12
			}
			if c.policy == "structured" {
				structured(&conf)
			}
			task := c.task
			if task.P == nil {
				task.P = p
			}
			task.C, task.Loss, task.Config, task.Key = game.RhoTilde(task.P), loss, conf, rng.New(1)
			whole := collected(t, task, conf.M)
			parts := collected(t, task, 3)
			for what, pair := range map[string][2][]float64{
				"means":       {whole.games.Mean, parts.games.Mean},
				"variances":   {whole.games.Variance, parts.games.Variance},
				"Eq. 10":      {whole.games.ThetaGrad, parts.games.ThetaGrad},
				"Eq. 11":      {whole.grad, parts.grad},
				"the entropy": {{whole.games.Entropy}, {parts.games.Entropy}},
				"the moments": {whole.moments, parts.moments},
			} {
				near(t, c.name+", "+loss.String()+": "+what, pair[1], pair[0])
			}
			if norm64(whole.grad) == 0 || norm64(whole.games.Mean) == 0 {
				t.Errorf("%s, %v: nothing was collected", c.name, loss)
			}
		}
	}
}

// counted lets the m-th instance count for m + 1.
type counted struct{ adversary.Adversary }

func (c counted) Draw(b *adversary.Batch, key rng.Key) {
	c.Adversary.Draw(b, key)
	for m := range b.Importance {
		b.Importance[m] = float64(m + 1)
	}
}

// collection is all that an estimate collects.
type collection struct {
	games         Games
	grad, moments []float64
}

// collected returns what is collected in blocks of per instances, once a first estimate has taught the critic something.
func collected(t *testing.T, task Task, per int) collection {
	t.Helper()
	e := takeApart(t, task)
	e.prepare(t, 0)
	e.estimator.(*Sampled).per, e.adversary = per, counted{e.adversary}
	e.estimate(t, 0)
	e.estimator.Learn()
	c := collection{games: *e.estimate(t, 1), grad: wide(e.grad)}
	e.estimator.Learn()
	data, err := e.estimator.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range holds(t, data).Critic {
		c.moments = append(c.moments, m[:]...)
	}
	return c
}

// wide returns v in float64.
func wide(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// near fails unless got is want but for the rounding of float32 sums.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i, v := range want {
		if off := math.Abs(got[i] - v); !(off <= 1e-4*(norm64(want)+1e-6)) {
			t.Errorf("%s: in several blocks number %d is %v, in one %v", what, i, got[i], v)
			return
		}
	}
}
