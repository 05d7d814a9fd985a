package preset

import (
	"fmt"
	"math"

	"mapo/adversary"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/train"
)

// New returns the named configuration for a problem and a loss, before it is changed to what suits a number of levels ([For]).
// "paper" is both tables of appendix D: its thresholds' column for thresholds, for other tables 20
// Questions' (best identification) or Jester's (simple regret), reading 17.
// "desk" is what two cores do in minutes, "smoke" in seconds; both learn the
// structured policy by the double oracle.
func New(name string, p *game.Problem, loss game.Loss) (train.Config, error) {
	c, err := named(name, p, loss)
	return c.kept(), err
}

// Algorithm returns the block of the algorithm that the named preset begins with.
func Algorithm(name string) string {
	if name == "paper" {
		return "paper"
	}
	return "oracle"
}

// whole is a configuration with the blocks of all algorithms and kinds of policy, and which of them stand.
type whole struct {
	train.Config
	algorithm, policy string // the blocks that stand
}

// kept returns the configuration with the blocks that stand.
func (w *whole) kept() train.Config {
	c := w.Clone()
	if w.algorithm == "paper" {
		c.Oracle = nil
	} else {
		c.Paper = nil
	}
	if w.policy != "structured" {
		c.Structured = nil
	}
	if w.policy != "mlp" {
		c.MLP = nil
	}
	if w.policy != "gated" {
		c.Gated = nil
	}
	return c
}

// named returns the preset of this name.
func named(name string, p *game.Problem, loss game.Loss) (whole, error) {
	w := whole{algorithm: "oracle", policy: "structured", Config: train.Config{
		Oracle:     &train.Oracle{Refresh: 80, Add: 8, Soften: 1, Temperature: .025},
		Paper:      &train.Paper{LambdaGen: .02, LambdaBarrier: 10, RateTheta: 2e-2, RateW: 3e-2, Init: 40},
		Structured: &train.Structured{Start: "rivals", Units: 16},
		MLP:        &train.MLP{Hidden: []int{128, 128}},
		Gated:      &train.Gated{Start: "instant"},
		From:       "fresh",
		Estimator:  "loo", Critic: true,
		N: 320, M: 128, L: 4,
		LambdaBinary: paperBinary(p), LambdaPolFine: .02,
		Optimizer: "adam", RatePsi: 6e-3, Decay: .1,
	}}
	if loss == game.SimpleRegret {
		w.Structured.Start = "uniform"
	} else if name != "paper" {
		w.policy = reader(p)
	}
	switch name {
	case "paper":
		published(&w, p, loss)
	case "desk":
		desk(&w.Config, p, loss)
	case "smoke":
		c := &w.Config
		c.N, c.M, c.L, c.MLP.Hidden = 48, 16, 8, []int{32}
		n := iterations(p, 40, 120, 120)
		c.Paper.Init, c.Paper.Regret, c.Pi, c.Oracle.Follow, c.PiHat, c.Oracle.Refresh = 5, n*3/8, n, n/2, n, 40
	default:
		return whole{}, fmt.Errorf("unknown preset %q; known are smoke, desk and paper", name)
	}
	return w, nil
}

// reader returns the kind of policy that identifies p's hypotheses.
func reader(p *game.Problem) string {
	switch p.Goal().(type) {
	case *game.Shares:
		return "gated" // it reads the rows themselves
	default:
		return "structured"
	}
}

// desk sets what two cores do in minutes. For regret it has fewer units: what more of them learn has more undetected
// high-loss instances.
func desk(c *train.Config, p *game.Problem, loss game.Loss) {
	const thresholds = 1250 // iterations there
	iters, thorough := thresholds, 3
	if loss == game.BestIdentification {
		thorough, c.Oracle.Hedge = 5, 100
	}
	if nn.Work(p) > nn.Costly { // of few iterations twice as many with half the games are better
		c.M, iters, thorough, c.Oracle.Hedge = c.M/2, 2*iters, 0, 0
	}
	n := iterations(p, 60, iters, 4000)
	c.Paper.Regret, c.Pi, c.Oracle.Follow, c.PiHat, c.Oracle.Refresh = n*3/8, n, max(n/4, min(n/2, 150)), 9*n/2, max(30, min(40, n/4))
	if loss == game.BestIdentification {
		c.Structured.Units, c.LambdaPolFine, c.Decay, c.PiHat, c.Oracle.Refresh = 32, .01, .02, 3*n, max(30, min(80, n/4))
		if thorough > 0 { // its searches take the time of the rest
			c.PiHat = 9 * n / 4
		}
	}
	c.Oracle.Thorough = thorough
	c.RatePsi *= math.Sqrt(min(1, float64(n)/thresholds)) // few steps are short ones, or the start's worth is lost
}

// suit changes a configuration to what suits its algorithm and policy, and so many levels. Where a
// structured policy learns to identify and searches can be thorough, Soap moves ψ, a magnet
// holds it and a search adds more. A policy for one level alone has twice the iterations where
// searches can be thorough, and more of these to identify. One for regret has searches that keep to
// lower levels as well and, where it is structured, is moved by Soap. Where searches can be thorough
// they are fewer, and the logits handed out are multiplied by 0.8. A structured one is then held by a
// magnet and begins near queries unasked. Otherwise trainings were left with undetected
// high-loss instances (docs/decisions/0012). The paper's algorithm stays as it is printed.
func suit(c *train.Config, loss game.Loss, levels int) {
	o := c.Oracle
	if o == nil {
		return
	}
	structured, cheap, alone := c.Structured != nil, o.Thorough > 0, levels == 1
	if alone && cheap {
		c.Pi *= 2
	}
	switch {
	case loss == game.BestIdentification:
		if alone || structured && cheap {
			o.Add = adversary.FullSet / 3
		}
		if alone && cheap {
			o.Thorough = 8
		}
		if structured && cheap {
			c.Optimizer, o.Magnet = "soap", .3
			c.LambdaPolFine *= 3
		}
	case alone:
		o.Below = true
		if structured {
			c.Optimizer = "soap"
		}
		if cheap {
			o.Soften = .8
			o.Refresh = o.Refresh * 3 / 2
		}
		if structured && cheap {
			c.Structured.Start, o.Magnet, c.Decay = "unasked", .3, .02
		}
	}
}

// fewWeights changes a configuration to what suits a policy of nine weights. They start far from where a trade-off weight takes
// them, so that steps are long. It is good where its training begins: a few games show where to go, so that desk has more
// iterations of fewer games, whatever the problem. On animals 300 are enough for one level.
func fewWeights(c *train.Config, name string) {
	c.RatePsi = .2
	if name != "desk" {
		return
	}
	c.N, c.M, c.L = 96, 16, 8
	c.Pi, c.PiHat = 300, 600
	if o := c.Oracle; o != nil {
		o.Follow, o.Refresh = 200, 40
	}
}

// iterations returns n for the paper's thresholds, more for smaller problems, whose
// iterations cost less, and fewer for larger ones.
func iterations(p *game.Problem, least, n, most int) int {
	return max(least, min(most, int(float64(n)/nn.Work(p))))
}
