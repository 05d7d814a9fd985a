package game_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// TestAnswersDraw: draws have the mean θ and the variance that is stated, and none is infinite.
func TestAnswersDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	draw := func(a game.Answer, theta, u float64) float64 {
		var y [1]float32
		a.Draw(y[:], []float64{theta}, false, u)
		return float64(y[0])
	}
	for _, c := range []struct {
		answers game.Answer
		lo, hi  float64 // of θ's answers, but for one draw in 10¹⁰
	}{{game.YesNo{}, -1, 1}, {game.Answers{Sigma: 3, Bound: 6}, -4, 4}} {
		const theta = .3
		check.Mean(t, theta, c.lo, c.hi, .02, func(dst []float64) {
			for i := range dst {
				dst[i] = draw(c.answers, theta, r.Float64())
			}
		})
		check.Mean(t, c.answers.Variance(theta), 0, 16, .1, func(dst []float64) {
			for i := range dst {
				y := draw(c.answers, theta, r.Float64()) - theta
				dst[i] = y * y
			}
		})
	}
	if y := draw(game.Answers{Sigma: 1, Bound: 1}, 0, 0); math.IsInf(y, 0) || y < 8 {
		t.Errorf("u = 0 draws %v, want a large number", y)
	}
	if draw(game.YesNo{}, 0, .5) != -1 || draw(game.YesNo{}, 0, .499) != 1 {
		t.Error("half of the draws of mean 0 are not 1")
	}
}

// TestAnswersScore: AddScore is the derivative of LogLikelihood, which is that of the density.
func TestAnswersScore(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, answers := range []game.Answer{game.YesNo{}, game.Answers{Sigma: .7, Bound: 2}} {
		n, s := []float32{3, 0, 5}, []float32{1, 0, -3}
		value := func(theta []float64) (sum float64) {
			for i, v := range theta {
				sum += answers.LogLikelihood(v, float64(n[i]), float64(s[i]))
			}
			return sum
		}
		draw := func(theta []float64) {
			for i := range theta {
				theta[i] = 1.8*r.Float64() - .9
			}
		}
		check.Grad(t, 3, draw, value, func(dst, theta []float64) {
			clear(dst)
			answers.AddScore(dst, theta, n, s, check.BestArm(3, 1).Questions(), 1)
		})
	}
	// Two answers of N(θ, σ²), σ = ½: Σ −(y−θ)²/2σ² but for what depends on the answers alone.
	answers, ys := game.Answers{Sigma: 1, Bound: 2}, []float64{.4, -1.1}
	density := func(theta float64) (sum float64) {
		for _, y := range ys {
			sum -= (y - theta) * (y - theta) / (2 * .25)
		}
		return sum
	}
	if got, want := answers.LogLikelihood(.8, 2, -.7)-answers.LogLikelihood(-.2, 2, -.7), density(.8)-density(-.2); math.Abs(got-want) > 1e-12 {
		t.Errorf("the log-likelihood ratio is %v, want %v", got, want)
	}
}

func TestAnswersCheck(t *testing.T) {
	for _, c := range []struct {
		change func(p *game.Problem)
		ok     bool
		why    string
	}{
		{func(p *game.Problem) { p.Reply = game.Answers{Sigma: 1, Bound: 2} }, true, "Gaussian"},
		{func(p *game.Problem) { p.Reply = game.Answers{Sigma: 1} }, false, "no bound"},
		{func(p *game.Problem) { p.Reply = game.Answers{Bound: 1} }, false, "no noise"},
		{func(p *game.Problem) { p.Reply, p.AskOnce, p.T = game.Answers{Sigma: 1, Bound: 1}, true, 2 }, false, "asked once"},
	} {
		p := check.BestArm(3, 5)
		c.change(p)
		if err := p.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}
