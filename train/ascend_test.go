package train

import (
	"math"
	"slices"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
)

// Eq. 10 as a training collects it: the mean over many batches is the exact gradient of the particle's share of the
// objective, less the barrier's outside Θ^(r), within 6 standard errors an entry.
func TestThetaGradMean(t *testing.T) {
	p := check.Thresholds(3, 3)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, estimator := range []string{"paper", "loo"} {
		for _, loss := range game.Losses() {
			for _, r := range []float64{64, 2} { // all within, all outside
				c := quick()
				c.Estimator, c.M, c.L, c.N, c.Paper.LambdaBarrier = estimator, 8, 64, 8, .3
				run := takeApart(t, Task{P: p, C: game.RhoTilde(p), Loss: loss, R: []float64{r}, Config: c, Key: rng.New(1), Workers: 1})
				theta := []float64{.6, -.35, -.8}
				run.adversary = alike{run.adversary, theta}
				scale := run.phase.Scale
				want := make([]float64, 3)
				g.Flow(nn.Policy(p, run.net)).Grad(want, loss, theta)
				barrier := make([]float64, 3)
				adversary.BarrierGrad(barrier, run.task.C, theta, r, -c.Paper.LambdaBarrier, make([]float64, 3))
				for i := range want {
					want[i] = scale*want[i] + barrier[i]
				}
				var sum, square [3]float64
				const batches = 200
				for b := range batches {
					games := run.estimate(t, b)
					run.adversary.Observe(&run.batch, &games.Games) // adds the barrier
					for i := range want {
						var g float64
						for m := range c.M {
							g += games.ThetaGrad[3*m+i]
						}
						sum[i], square[i] = sum[i]+g/batches, square[i]+g*g/batches
					}
				}
				for i, v := range want {
					if e := math.Sqrt((square[i] - sum[i]*sum[i]) / batches); math.Abs(sum[i]-v) > 6*e+1e-6 {
						t.Errorf("%s, %v, r = %g: entry %d is %.4f ± %.4f, want %.4f", estimator, loss, r, i, sum[i], e, v)
					}
				}
			}
		}
	}
}

// alike has all instances drawn be one.
type alike struct {
	adversary.Adversary
	theta []float64
}

func (a alike) Draw(b *adversary.Batch, key rng.Key) {
	a.Adversary.Draw(b, key)
	for m := range b.Importance {
		copy(b.Theta[m*len(a.theta):], a.theta)
	}
}

// What the double oracle and Bayes-LAL do not have is not a number.
func TestStepWithoutParticles(t *testing.T) {
	p := check.Thresholds(5, 5)
	for name, prior := range map[string]game.Prior{"oracle": nil, "bayes-lal": game.Noiseless(p)} {
		c := quick()
		by(&c, "oracle")
		step := iterate(t, begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, R: []float64{16}, Prior: prior, Config: c, Key: rng.New(1)}))
		for _, v := range []float64{step.Feasible, step.Barrier, step.GradTheta, step.GradW} {
			if !math.IsNaN(v) {
				t.Errorf("%s: %+v, want NaN for feasibility, barrier and the gradients of θ and w", name, step)
			}
		}
		if math.IsNaN(step.ParticleEntropy) != (prior != nil) {
			t.Errorf("%s: the entropy of its weights is %v", name, step.ParticleEntropy)
		}
	}
}

// Appendix D's procedures in their order (reading 17).
func TestPhases(t *testing.T) {
	type row struct {
		name  string
		loss  game.Loss
		iters int
		gap   bool
		fresh bool
		w     bool // not frozen
	}
	p := check.Thresholds(5, 5)
	paper, oracle := quick(), base()
	paper.Paper.Init, paper.Paper.Regret, paper.Paper.Tilde, paper.Pi, paper.PiHat = 1, 2, 3, 4, 5
	oracle.Pi, oracle.PiHat = 4, 5
	const regret, identify = game.SimpleRegret, game.BestIdentification
	for _, c := range []struct {
		why  string
		task Task
		want []row
	}{
		{"π_k for regret", Task{Loss: regret, Config: paper}, []row{
			{PhaseInit, regret, 1, false, true, false}, {PhaseRegret, regret, 2, false, false, true},
			{PhaseInit, regret, 1, false, true, false}, {PhaseTilde, regret, 3, false, false, true},
		}},
		{"π_k to identify", Task{Loss: identify, Config: paper}, []row{
			{PhaseInit, regret, 1, false, true, false}, {PhaseRegret, regret, 2, false, false, true},
			{PhaseInit, regret, 1, false, true, false}, {PhaseTilde, regret, 3, false, false, true},
			{PhaseInit, identify, 1, false, true, false}, {PhasePi, identify, 4, false, false, true},
		}},
		{"π̂", Task{Loss: identify, Config: paper, B: []float64{0}}, []row{
			{PhaseInit, identify, 1, true, true, false}, {PhasePiHat, identify, 5, true, false, true},
		}},
		{"Bayes-LAL", Task{Loss: regret, Config: paper, Prior: game.Noiseless(p)}, []row{
			{PhaseRegret, regret, 2, false, true, true}, {PhaseTilde, regret, 3, false, true, true},
		}},
		{"π_k by the double oracle", Task{Loss: identify, Config: oracle}, []row{{PhasePi, identify, 4, false, true, true}}},
	} {
		var got []row
		for _, ph := range c.task.Config.algorithm().phases(&c.task) {
			got = append(got, row{ph.name, ph.Loss, ph.Iters, ph.Benchmarks != nil, ph.Fresh, !ph.Frozen})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%v, want\n%v", c.why, got, c.want)
		}
	}
}
