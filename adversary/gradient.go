package adversary

import (
	"math"

	"mapo/game"
)

// Baseline writes to dst, [G], what Eq. 10 and 11 multiply the score by, from
// the losses of M instances × l rollouts. As printed that is the loss itself. Where
// loo is true it is the loss less the mean of the instance's other rollouts (reading
// 18): the expectation stays, and the variance is smaller. With l = 1 there are
// no others, and the loss stays.
func Baseline(dst, loss []float64, l int, loo bool) {
	copy(dst, loss)
	if !loo || l < 2 {
		return
	}
	for lo := 0; lo < len(loss); lo += l {
		var sum float64
		for _, x := range loss[lo : lo+l] {
			sum += x
		}
		for g := lo; g < lo+l; g++ {
			dst[g] = loss[g] - (sum-loss[g])/float64(l-1)
		}
	}
}

// WGrad adds Eq. 9's estimate to dst, [N]:
//
//	1/(ML) Σ_m ∇_w log softmax(w)_{I_m} · Σ_l L_T
//
// from the instances drawn, idx [M], their mean losses, mean [M], and
// prob = softmax(w), [N]. Where loo is true a mean is taken less the mean of the
// other instances' (reading 18). ∇_w log softmax(w)_i = e_i − softmax(w). O(N + M).
func WGrad(dst, prob []float64, idx []int, mean []float64, loo bool) {
	m := float64(len(idx))
	var sum, all float64
	for _, x := range mean {
		sum += x
	}
	for j, i := range idx {
		x := mean[j]
		if loo && m > 1 {
			x -= (sum - x) / (m - 1)
		}
		dst[i] += x / m
		all += x / m
	}
	for i, p := range prob {
		dst[i] -= all * p
	}
}

// ThetaGrad adds scale times the score part of Eq. 10 to dst, [|X|]:
//
//	Σ_l weight_l · ∇_θ log P(τ_l),  ∂ log P/∂θ_i = (S_i − N_i θ_i)/Var(θ_i)
//
// of one instance's rollouts: n and s are their final counts and sums, [L,|X|],
// weight what [Baseline] made of their losses, [L]. The policy's factor does not
// depend on θ. See [game.Problem.AddScore] for |θ_i| = 1. O(L|X|).
func ThetaGrad(dst, theta, weight []float64, p *game.Problem, n, s []float32, scale float64) {
	d := len(theta)
	for l, w := range weight {
		if w != 0 {
			p.AddScore(dst, theta, n[l*d:(l+1)*d], s[l*d:(l+1)*d], w*scale)
		}
	}
}

// Excess returns ℒ_barrier without its coefficient, max{0, log 𝒞(θ) − log r}
// (App. B), from rho = 𝒞(θ). Where z_*(θ) is not unique it returns log 10.
func Excess(rho, r float64) float64 {
	if math.IsInf(rho, 1) {
		return math.Log(10)
	}
	return max(0, math.Log(rho/r))
}

// BarrierGrad adds scale · ∇_θ max{0, log 𝒞(θ) − log r} to dst, [|X|]; 0 where
// z_*(θ) is not unique. grad, [|X|], is scratch.
func BarrierGrad(dst []float64, c game.Difficulty, theta []float64, r, scale float64, grad []float64) {
	rho := c.Grad(grad, theta)
	if rho <= r || math.IsInf(rho, 1) {
		return
	}
	for i, g := range grad {
		dst[i] += scale * g / rho
	}
}

// EntropyGrad adds scale · ∇_w H(softmax(w)) to dst, [N]: the direct gradient of
// the generator's entropy (App. B, reading 1). −p_i (log p_i + H).
func EntropyGrad(dst, prob []float64, scale float64) {
	h := Entropy(prob)
	for i, p := range prob {
		if p > 0 {
			dst[i] -= scale * p * (math.Log(p) + h)
		}
	}
}

// Entropy returns that of a distribution.
func Entropy(prob []float64) (h float64) {
	for _, p := range prob {
		if p > 0 {
			h -= p * math.Log(p)
		}
	}
	return h
}
