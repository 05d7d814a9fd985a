package paper

import (
	"math"

	"mapo/game"
)

// gradW returns Eq. 9, by which w ascends:
//
//	1/(ML) Σ_m ∇_w log(SOFTMAX(w)_{I_m}) · (Σ_l L_T(π^ψ, τ_{m,l}, θ̃_{I_m}))
//
// and the gradient of λ_Gen-reg · H(SOFTMAX(w)), which Appendix B adds so that "the generating
// distribution" does not cover "only a small subset of particles".
func (a *Training) gradW(samples []sample) []float64 {
	grad, prob := make([]float64, len(a.W)), softmax(a.W)
	for _, s := range samples {
		for _, loss := range s.losses {
			grad[s.index] += loss / float64(a.M*a.L) // ∇_w log SOFTMAX(w)_i = e_i …
			for i, p := range prob {
				grad[i] -= p * loss / float64(a.M*a.L) // … − SOFTMAX(w)
			}
		}
	}
	for i, slope := range entropySlope(prob) {
		grad[i] += a.LambdaGen * slope
	}
	return grad
}

// gradTheta returns Eq. 10, by which Θ̃ ascends:
//
//	1/(ML) Σ_m Σ_l ( ∇ℒ_barrier(θ̃_{I_m}, Ω) + ∇L_T(π^ψ, τ_{m,l}, θ̃_{I_m})
//	                 + L_T(π^ψ, τ_{m,l}, θ̃_{I_m}) · ∇log P_{π^ψ, θ̃_{I_m}}(τ_{m,l}) )
//
// ℒ_barrier "heavily penalizes": where Θ̃ ascends it is subtracted (reading 1).
func (a *Training) gradTheta(samples []sample) [][]float64 {
	grad := make([][]float64, len(a.Theta))
	for i := range grad {
		grad[i] = make([]float64, a.P.Queries())
	}
	for _, s := range samples {
		for l, tau := range s.rollouts {
			barrier, direct, score := a.barrierSlope(s.theta), a.lossSlope(tau, s.theta), scoreTheta(tau, s.theta)
			for i := range s.theta {
				term := -barrier[i]
				term += direct[i]
				term += s.losses[l] * score[i]
				grad[s.index][i] += term / float64(a.M*a.L)
			}
		}
	}
	return grad
}

// gradPsi returns Eq. 11, against which ψ descends:
//
//	1/(ML) Σ_m Σ_l L_T(π^ψ, τ_{m,l}, θ̃_{I_m}) · ∇_ψ log P_{π^ψ, θ̃_{I_m}}(τ_{m,l})
//
// and, against "over committing to a certain action" (Appendix B), the gradient of −λ_Pol-reg
// times the mean over all steps of H(π^ψ(s_t)), the states as they came (reading 1). log P(τ)
// is a sum of log π^ψ(s_t, x_t) and of terms without ψ.
func (a *Training) gradPsi(samples []sample) []float64 {
	grad := make([]float64, len(a.Psi))
	for _, s := range samples {
		for l, tau := range s.rollouts {
			for t, step := range tau {
				state := a.state(tau[:t])
				prob := softmax(a.forward(state))
				dlogits := make([]float64, len(prob))
				dlogits[step.x] += s.losses[l] / float64(a.M*a.L) // ∇ log π(x) in the logits = e_x …
				entropy := entropySlope(prob)
				for i, p := range prob {
					dlogits[i] -= p * s.losses[l] / float64(a.M*a.L) // … − π
					dlogits[i] -= a.LambdaPol * entropy[i] / float64(a.M*a.L*a.P.T)
				}
				a.backward(grad, state, dlogits)
			}
		}
	}
	return grad
}

// entropySlope returns ∇H of a softmax in its logits, −p_i (log p_i + H).
func entropySlope(prob []float64) []float64 {
	var h float64
	for _, p := range prob {
		h -= p * math.Log(p)
	}
	slope := make([]float64, len(prob))
	for i, p := range prob {
		slope[i] = -p * (math.Log(p) + h)
	}
	return slope
}

// scoreTheta returns ∇_θ log P(τ) = Σ_t ∇_θ log f(y_t | θ, s_t, x_t): π^ψ(s_t, x_t), the other
// factor, is without θ (Appendix B). f(y | θ, e_i) = (1 + yθ_i)/2.
func scoreTheta(tau rollout, theta []float64) []float64 {
	score := make([]float64, len(theta))
	for _, step := range tau {
		score[step.x] += step.y / (1 + step.y*theta[step.x])
	}
	return score
}

// barrierSlope returns ∇ℒ_barrier(θ, Ω), ℒ_barrier = "λ_barrier · max{0, log(𝒞(𝒳, 𝒵, θ)) −
// log(r_k)}" (Appendix B).
func (a *Training) barrierSlope(theta []float64) []float64 {
	rho, slope := a.rhoTilde(theta)
	inside := !(rho > a.R[len(a.R)-1])
	for i := range slope {
		if slope[i] *= a.LambdaBarrier / rho; inside {
			slope[i] = 0
		}
	}
	return slope
}

// lossSlope returns ∇_θ L_T(π, τ, θ), scaled: z_*(θ) − ẑ for simple regret, 0 for best
// identification (reading 10). It is averaged over the hypotheses that ẑ may be (reading 4).
func (a *Training) lossSlope(tau rollout, theta []float64) []float64 {
	slope := make([]float64, len(theta))
	if a.Loss == game.BestIdentification {
		return slope
	}
	star, ties := a.best(theta), a.recommended(tau)
	for _, k := range ties {
		for i, z := range a.P.Row(k) {
			slope[i] += a.Scale * float64(a.P.Row(star)[i]-z) / float64(len(ties))
		}
	}
	return slope
}
