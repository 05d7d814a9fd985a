package search

import (
	"math"

	"mapo/game"
)

const (
	box          = 1 - game.Edge // |θ_i| an instance may have (reading 2)
	newtonSteps  = 6
	newtonReach  = 0.3    // the largest move of a coordinate in one Newton step
	newtonInside = 1.0005 // aims a little inside, so that rounding leaves no 𝒞 > r
)

// project moves theta, [|X|], in place to a nearby point that [game.Problem.Admit] leaves as it is
// and with 𝒞(θ) ≤ r, and returns 𝒞 there; one that is such a point already stays. It
// takes Newton steps along ∇𝒞 in 𝒞^(−1/2), which is linear along rays and
// nearly so where one gap decides ρ̃; falls back on mixing with an anchor, towards which
// ρ̃ does not grow. Where even the mixture's end is above r it leaves
// theta there and reports false. grad, [|X|], is scratch. Costs a few 𝒞.Grad,
// at worst some twenty.
func project(g geometry, c game.Difficulty, theta []float64, r float64, grad []float64) (float64, bool) {
	g.admit(theta)
	rho := c.Grad(grad, theta)
	for step := 0; step < newtonSteps && rho > r && !math.IsInf(rho, 1); step++ {
		newton(theta, grad, rho, r)
		g.admit(theta)
		rho = c.Grad(grad, theta)
	}
	if rho <= r {
		return rho, true
	}
	return mix(g, c, theta, r, grad)
}

// newton moves theta to where 𝒞^(−1/2), linearised, is r^(−1/2); coordinates
// that the box holds back have no say in the direction. The caller admits what comes of it.
func newton(theta, grad []float64, rho, r float64) {
	var norm float64
	for i, g := range grad {
		if g < 0 && theta[i] >= box || g > 0 && theta[i] <= -box {
			grad[i] = 0
			continue
		}
		norm += g * g
	}
	if norm == 0 {
		return
	}
	// ∇ 𝒞^(−1/2) = −½ 𝒞^(−3/2) ∇𝒞.
	lack := newtonInside/math.Sqrt(r) - 1/math.Sqrt(rho)
	scale := -lack * 2 * rho * math.Sqrt(rho) / norm
	for i, g := range grad {
		theta[i] += max(-newtonReach, min(newtonReach, scale*g))
	}
}

// mix replaces theta by the first point on the segment to the anchor of g.easier that has 𝒞 ≤ r, by bisection.
func mix(g geometry, c game.Difficulty, theta []float64, r float64, from []float64) (float64, bool) {
	copy(from, theta)
	to, ok := g.easier(theta, r)
	if !ok {
		return c.Of(theta), false
	}
	easy := make([]float64, len(theta))
	g.anchor(easy, to)
	at := func(a float64) float64 {
		for i, v := range easy {
			theta[i] = (1-a)*from[i] + a*v
		}
		g.admit(theta) // rounding
		return c.Of(theta)
	}
	rho := at(1)
	if !(rho <= r) {
		return rho, false
	}
	lo, hi := 0.0, 1.0
	for range bisection {
		if mid := (lo + hi) / 2; at(mid) <= r {
			hi = mid
		} else {
			lo = mid
		}
	}
	return at(hi), true
}
