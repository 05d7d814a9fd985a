package paper

import (
	"mapo/game"
	"mapo/rng"
)

// rollout is a trajectory τ = {(x_t, y_t)} of Section 2. x is the index of e_x.
type rollout []struct {
	x int
	y float64
}

// play plays the game of Section 2. For t = 1, 2, …, T: "state s_t is a function of the
// history, {(x_i, y_i)}_{i=1}^{t−1}, action x_t ∈ 𝒳 is drawn at random from the distribution
// π(s_t)", and one observes "y_t ~ f(·|θ_*, s_t, x_t)", which is ±1 with mean ⟨x_t, θ_*⟩.
func (a *Training) play(theta []float64, draws rng.Stream) rollout {
	tau := make(rollout, a.P.T)
	for t := range tau {
		x := pick(softmax(a.forward(a.state(tau[:t]))), float64(draws.Float32()))
		tau[t].x, tau[t].y = x, -1
		if draws.Float64() < (1+theta[x])/2 {
			tau[t].y = 1
		}
	}
	return tau
}

// state returns s_t, "a flattened |𝒳| × 3 matrix": a row "records the number of times that
// action x has been taken, its inverse, and the sum of the observations" (Appendix B). The
// inverse of 0 is 0 (reading 3).
func (a *Training) state(tau rollout) []float64 {
	s := make([]float64, 3*a.P.Queries())
	for _, step := range tau {
		row := s[3*step.x : 3*step.x+3]
		row[0]++
		row[1] = 1 / row[0]
		row[2] += step.y
	}
	return s
}

// recommended returns the hypotheses ẑ that a game ends with: "ẑ = argmax ⟨z, θ̂⟩ where θ̂ is
// the minimum ℓ2 norm solution to argmin_θ Σ_s (y_s − ⟨x_s, θ⟩)²" (Appendix B). That is an
// answer's mean for each query, 0 where there is none. Scores within game.Tie of the best are
// as good (reading 4).
func (a *Training) recommended(tau rollout) (ties []int) {
	estimate, s := make([]float64, a.P.Queries()), a.state(tau)
	for i := range estimate {
		estimate[i] = s[3*i+1] * s[3*i+2]
	}
	top := a.score(a.best(estimate), estimate)
	for k := range a.P.Hypotheses() {
		if a.score(k, estimate) >= top-game.Tie {
			ties = append(ties, k)
		}
	}
	return ties
}

// score returns ⟨z, θ⟩ of hypothesis k.
func (a *Training) score(k int, theta []float64) (sum float64) {
	for i, z := range a.P.Row(k) {
		sum += float64(z) * theta[i]
	}
	return sum
}

// best returns z_*(θ) = argmax_{z ∈ 𝒵} ⟨z, θ⟩ (Section 2.1), by its index.
func (a *Training) best(theta []float64) (star int) {
	for k := range a.P.Hypotheses() {
		if a.score(k, theta) > a.score(star, theta) {
			star = k
		}
	}
	return star
}

// lost returns L_T(π, τ, θ) of Algorithm 3, which "is inherently subtracting the scalar value
// b^(r_{k(θ)})", scaled by λ_binary: 1{z_* ≠ ẑ} for best identification (Section 2.1), ⟨z_* −
// ẑ, θ⟩ for simple regret (Section 4.3). It is the mean over the hypotheses that ẑ may be
// (reading 4).
func (a *Training) lost(tau rollout, theta []float64) float64 {
	star, ties := a.best(theta), a.recommended(tau)
	var sum float64
	for _, k := range ties {
		regret := a.score(star, theta) - a.score(k, theta)
		switch {
		case a.Loss == game.SimpleRegret:
			sum += regret
		case regret > 0:
			sum++
		}
	}
	return a.Scale * (sum/float64(len(ties)) - a.benchmark(theta))
}

// benchmark returns b^(r_k(θ)) of Eq. 5: k(θ) "such that r_{k(θ)−1} < 𝒞(θ) ≤ r_{k(θ)}", K
// beyond (reading 11).
func (a *Training) benchmark(theta []float64) float64 {
	if a.B == nil {
		return 0
	}
	rho, _ := a.rhoTilde(theta)
	k := 0
	for k < len(a.R)-1 && rho > a.R[k] {
		k++
	}
	return a.B[k]
}

// rhoTilde returns 𝒞(θ), Eq. 1, with its gradient:
//
//	ρ̃(θ) = Σ_{i=1}^d max_{z : z_i ≠ z_{*,i}(θ)} ‖z − z_*(θ)‖₂² / ⟨z − z_*(θ), θ⟩²
func (a *Training) rhoTilde(theta []float64) (rho float64, slope []float64) {
	slope = make([]float64, len(theta))
	star := a.best(theta)
	for i := range theta {
		var most, norm float64
		z := star
		for k := range a.P.Hypotheses() {
			if gap := a.score(k, theta) - a.score(star, theta); a.differ(k, star, i) != 0 && a.distance(k, star)/(gap*gap) > most {
				z, norm = k, a.distance(k, star)
				most = norm / (gap * gap)
			}
		}
		if z == star {
			continue // all hypotheses agree on query i
		}
		rho += most
		gap := a.score(z, theta) - a.score(star, theta)
		for j := range slope {
			slope[j] -= 2 * norm / (gap * gap * gap) * a.differ(z, star, j)
		}
	}
	return rho, slope
}

// differ returns z_i − z_{*,i}.
func (a *Training) differ(k, star, i int) float64 {
	return float64(a.P.Row(k)[i] - a.P.Row(star)[i])
}

// distance returns ‖z − z_*‖₂².
func (a *Training) distance(k, star int) (sum float64) {
	for i := range a.P.Row(k) {
		sum += a.differ(k, star, i) * a.differ(k, star, i)
	}
	return sum
}
