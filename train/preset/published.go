package preset

import (
	"mapo/game"
)

// published sets the paper's column for the problem (App. D).
func published(w *whole, p *game.Problem, loss game.Loss) {
	w.algorithm, w.policy = "paper", "mlp"
	c, a := &w.Config, w.Paper
	c.Critic, c.Structured.Start, c.MLP.Hidden = false, "uniform", []int{256, 256, 256, 256}
	a.LambdaBarrier, c.RatePsi, a.RateTheta, a.RateW, c.Decay, a.Dense = 1e3, 1e-4, 1e-3, 1e-3, 1, true
	a.Init, a.Regret = 20000, 480000
	z := p.Hypotheses()
	switch {
	case isThresholds(p):
		c.N, c.M, c.L = 1000*z, 1000, 10
		a.LambdaPol, c.LambdaPolFine, a.LambdaGen = .2, .3, .05
		a.Tilde, c.Pi, c.PiHat = 200000, 200000, 500000
	case loss == game.BestIdentification:
		c.N, c.M, c.L = 300*z, 500, 30
		a.LambdaPol, c.LambdaPolFine, a.LambdaGen = .8, .8, .1
		a.Tilde, c.Pi, c.PiHat = 0, 1500000, 250000
	default:
		c.N, c.M, c.L = 2000*z, 500, 30
		a.LambdaPol, c.LambdaPolFine, a.LambdaGen = .8, .8, .05
		a.Tilde, c.Pi, c.PiHat = 200000, 0, 500000
	}
}

// isThresholds reports whether p is the paper's thresholds, whatever its name and
// the order of its queries and hypotheses: |X| + 1 hypotheses, each the one
// before with another query answered by yes.
func isThresholds(p *game.Problem) bool {
	d := p.Queries()
	chain := make([]int, d+1) // hypothesis by its number of ones, plus 1; 0: none yet
	for k := range p.Hypotheses() {
		ones := 0
		for _, z := range p.Says(k) {
			ones += int(z)
		}
		if chain[ones] != 0 {
			return false
		}
		chain[ones] = k + 1
	}
	for n := range chain {
		if chain[n] == 0 {
			return false
		}
		if n > 0 && !within(p.Says(chain[n-1]-1), p.Says(chain[n]-1)) {
			return false
		}
	}
	return true
}

// within reports whether b has a one wherever a has.
func within(a, b []float32) bool {
	for i, z := range a {
		if z > b[i] {
			return false
		}
	}
	return true
}

// paperBinary returns λ_binary, which brings best identification to simple regret's
// scale (App. D).
func paperBinary(p *game.Problem) float64 {
	if isThresholds(p) {
		return 7.5
	}
	return 30
}
