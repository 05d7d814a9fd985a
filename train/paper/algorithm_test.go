package paper_test

import (
	"bytes"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/train"
	"mapo/train/optim"
	"mapo/train/paper"
)

// most is the largest relative difference between a gradient and its reference.
const most = 1e-4

func testAlgorithm3(t *testing.T, p *game.Problem, loss game.Loss, benchmarks []float64) {
	const iterations = 10
	levels := []float64{4, 10, 40} // some of the particles are outside of the last
	if benchmarks == nil {
		levels = levels[1:2]
	}
	own := &train.Paper{LambdaPol: .3, LambdaGen: .2, LambdaBarrier: 3, RateTheta: .02, RateW: .05, Dense: true, Regret: iterations}
	c := train.Config{
		Paper: own, MLP: &train.MLP{Hidden: []int{7, 5}}, Estimator: "paper", N: 30, M: 12, L: 6, LambdaBinary: 4, LambdaPolFine: .3,
		Optimizer: "adam", RatePsi: .01, Decay: 1, PiHat: iterations,
	}
	if loss == game.BestIdentification {
		own.Regret, c.Pi = 0, iterations
	}
	task := train.Task{P: p, C: game.RhoTilde(p), Loss: loss, R: levels, B: benchmarks, Config: c, Key: rng.New(3)}
	// Weights that make a policy prefer some queries to others, and units that all count.
	net, weights := nn.NewMLP(p, c.MLP.Hidden, rng.New(4)), rand.New(rand.NewPCG(5, 6))
	for i := range net.Params() {
		net.Params()[i] = float32(.4 * weights.NormFloat64())
	}
	run, err := train.New(task, net)
	if err != nil {
		t.Fatal(err)
	}
	plain := begin(t, task, run)
	last := observed(t, run)
	step := 0
	for s, err := range train.Descend(t.Context(), run) {
		if err != nil {
			t.Fatal(err)
		}
		want, now := plain.Iterate(step), observed(t, run)
		for _, of := range []struct {
			what          string
			before, after []float64
			gradient      []float64
		}{
			{"Eq. 9", last.w.M, now.w.M, want.W},
			{"Eq. 10", last.theta.M, now.theta.M, flat(want.Theta)},
			{"Eq. 11", last.psi.M, now.psi.M, want.Psi},
		} {
			if e := apart(gradient(of.before, of.after), of.gradient); !(e < most) {
				t.Errorf("iteration %d: %s is off by %.2g of its length", s.Iter, of.what, e)
			}
		}
		last = now
		step++
	}
	if step != iterations {
		t.Errorf("%d iterations, want %d", step, iterations)
	}
	for what, e := range map[string]float64{"w": apart(last.mixture.W, plain.W), "Θ̃": apart(last.mixture.Theta, flat(plain.Theta)), "ψ": apart(last.weights, plain.Psi)} {
		if !(e < most) {
			t.Errorf("after %d iterations %s is off by %.2g of its length", iterations, what, e)
		}
	}
}

// begin returns the plain loops of a task, where run begins.
func begin(t *testing.T, task train.Task, run *train.Run) *paper.Training {
	t.Helper()
	c, from := &task.Config, observed(t, run)
	a := &paper.Training{
		Input: paper.Input{
			P: task.P, Loss: task.Loss, Scale: 1, R: task.R, B: task.B, M: c.M, L: c.L,
			LambdaBarrier: c.Paper.LambdaBarrier, LambdaPol: c.LambdaPolFine, LambdaGen: c.Paper.LambdaGen,
			RatePsi: c.RatePsi, RateTheta: c.Paper.RateTheta, RateW: c.Paper.RateW,
			Hidden: c.MLP.Hidden, Key: task.Key.Name("phase").At(0),
		},
		Psi: from.weights, W: from.mixture.W,
	}
	if task.Loss == game.BestIdentification {
		a.Scale = c.LambdaBinary
	}
	for i := range from.mixture.N() {
		a.Theta = append(a.Theta, from.mixture.At(i))
	}
	return a
}

// observation is what a training holds between two iterations.
type observation struct {
	mixture       adversary.Mixture // Θ̃ and w
	weights       []float64         // ψ
	w, theta, psi adversary.Adam    // their moments
}

// observed reads a training's checkpoint.
func observed(t *testing.T, run *train.Run) (o observation) {
	t.Helper()
	snapshot, err := run.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Psi                  []float32
		Optimizer, Adversary []byte
	}
	var particles struct {
		Weights struct {
			Mixture adversary.Mixture
			Adam    adversary.Adam
		}
		Theta adversary.Adam
	}
	var psi optim.Adam
	decode(t, snapshot, &state)
	decode(t, state.Optimizer, &psi)
	decode(t, state.Adversary, &particles)
	return observation{
		mixture: particles.Weights.Mixture, weights: wide(state.Psi),
		w: particles.Weights.Adam, theta: particles.Theta, psi: adversary.Adam{M: wide(psi.M)},
	}
}

func decode(t *testing.T, data []byte, to any) {
	t.Helper()
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(to); err != nil {
		t.Fatal(err)
	}
}

// gradient returns what moved Adam's running mean from before to after: β₁ is .9.
func gradient(before, after []float64) []float64 {
	grad := make([]float64, len(after))
	for i, m := range after {
		grad[i] = (m - .9*before[i]) / .1
	}
	return grad
}

// apart returns the length of got − want as a share of want's.
func apart(got, want []float64) float64 {
	var off, all float64
	for i, v := range want {
		off, all = off+(got[i]-v)*(got[i]-v), all+v*v
	}
	return math.Sqrt(off / all)
}

func flat(rows [][]float64) (all []float64) {
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
