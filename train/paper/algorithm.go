package paper

import (
	"math"

	"mapo/game"
	"mapo/rng"
)

// Input is Algorithm 3's "Input", by the paper's letters.
type Input struct {
	P     *game.Problem // 𝒳, 𝒵 and T
	Loss  game.Loss     // L_T
	Scale float64       // λ_binary for best identification, else 1 (Appendix D)
	R     []float64     // levels r_1 < … < r_K; Ω is Θ^(r_K)
	B     []float64     // benchmarks b^(r_k) that are subtracted from L_T (Eq. 5), [K]; nil: none (Eq. 4)
	M, L  int           // problem samples, and rollouts of each

	LambdaBarrier, LambdaPol, LambdaGen float64 // Appendix B's penalties
	RatePsi, RateTheta, RateW           float64 // learning rates (Appendix D)

	Hidden []int   // widths of the policy's inner layers (Appendix B)
	Key    rng.Key // of all draws
}

// Training is Algorithm 3 under way, begun with "Initialization: w, finite set Θ̃ and ψ".
type Training struct {
	Input
	Psi   []float64   // ψ: each layer's weights [in, out], then its biases
	Theta [][]float64 // Θ̃ = θ̃_1 … θ̃_N, each [|X|]
	W     []float64   // w, [N]

	adamPsi, adamW adam
	adamTheta      []adam // of each particle
}

// Gradients are the estimates of one iteration.
type Gradients struct {
	W     []float64   // Eq. 9 and the gradient of the generator's entropy
	Theta [][]float64 // Eq. 10
	Psi   []float64   // Eq. 11 and the gradient of the policy's entropy
}

// Iterate makes one pass of "for t = 1, …, N_it". t counts from 0.
func (a *Training) Iterate(t int) Gradients {
	key := a.Key.At(t)

	// "Collect rollouts of play: for m = 1, …, M do"
	draw := key.Name("draw").Rand()
	samples := make([]sample, a.M)
	for m := range samples {
		// "Sample problem index I_m ~ SOFTMAX(w)."
		i := pick(softmax(a.W), draw.Float64())
		samples[m] = sample{index: i, theta: append([]float64(nil), a.Theta[i]...)}
		// "Collect L independent rollout trajectories, denoted as τ_{m,1:L}, by the policy π^ψ
		// for problem instance θ̃_{I_m} and observe losses L_T(π^ψ, τ_{m,l}, θ̃_{I_m}) for all
		// 1 ≤ l ≤ L."
		for l := range a.L {
			tau := a.play(a.Theta[i], key.Name("games").At(m).At(l).Stream())
			samples[m].rollouts = append(samples[m].rollouts, tau)
			samples[m].losses = append(samples[m].losses, a.lost(tau, a.Theta[i]))
		}
	}

	g := Gradients{W: a.gradW(samples), Theta: a.gradTheta(samples), Psi: a.gradPsi(samples)}

	// "Optimize worst cases in Ω: update the generating distribution by taking ascending steps
	// on gradient estimates"
	a.adamW.move(a.W, g.W, a.RateW)
	for i, theta := range a.Theta {
		a.adamTheta = append(a.adamTheta, make([]adam, len(a.Theta)-len(a.adamTheta))...)
		a.adamTheta[i].move(theta, g.Theta[i], a.RateTheta)
		for j, v := range theta { // reading 2
			theta[j] = max(game.Edge-1, min(1-game.Edge, v))
		}
	}

	// "Optimize policy: update the policy by taking descending step on gradient estimate"
	a.adamPsi.move(a.Psi, g.Psi, -a.RatePsi)
	return g
}

// sample is one of the M problem samples: I_m, θ̃_{I_m}, τ_{m,1:L} and their losses.
type sample struct {
	index    int
	theta    []float64
	rollouts []rollout
	losses   []float64
}

// pick returns the index that u ∈ [0, 1) draws from a distribution.
func pick(prob []float64, u float64) int {
	for i, p := range prob[:len(prob)-1] {
		if u < p {
			return i
		}
		u -= p
	}
	return len(prob) - 1
}

// softmax returns SOFTMAX(w) of Eq. 8; it is the last layer of Appendix B's policy, too.
func softmax(w []float64) []float64 {
	prob, sum := make([]float64, len(w)), 0.
	for i, v := range w {
		prob[i] = math.Exp(v)
		sum += prob[i]
	}
	for i := range prob {
		prob[i] /= sum
	}
	return prob
}

// adam is "Adam optimization in taking gradient updates" (Appendix B), β₁ = .9 and β₂ = .999
// (Appendix D).
type adam struct {
	m, v []float64
	t    float64
}

// move takes a step on x along grad, against it where the rate is negative.
func (a *adam) move(x, grad []float64, rate float64) {
	a.m, a.v = append(a.m, make([]float64, len(x)-len(a.m))...), append(a.v, make([]float64, len(x)-len(a.v))...)
	a.t++
	for i, g := range grad {
		a.m[i] = .9*a.m[i] + .1*g
		a.v[i] = .999*a.v[i] + .001*g*g
		x[i] += rate * a.m[i] / (1 - math.Pow(.9, a.t)) / (math.Sqrt(a.v[i]/(1-math.Pow(.999, a.t))) + 1e-8)
	}
}
