package game

// Edge is ε of reading 2: what an adversary moves stays in |θ_i| ≤ 1 − Edge,
// because Eq. 10 is biased at 1, where the impossible answer is never drawn,
// and its variance grows like 1/(1−θ²) just inside.
const Edge = 1e-3

// Clip brings θ, [any], back into the box |θ_i| ≤ 1 − [Edge] (reading 2).
func Clip(theta []float64) {
	for i, v := range theta {
		theta[i] = max(Edge-1, min(1-Edge, v))
	}
}

// MostLevel is the highest level r there may be, far above any that tells policies apart.
const MostLevel = 1e9

// Difficulty is 𝒞: how hard an instance is. Implementations may be called
// concurrently.
type Difficulty interface {
	// Of is 𝒞(θ), in (0, ∞]; +Inf where z_*(θ) is not unique.
	Of(theta []float64) float64
	// Grad writes ∇𝒞(θ) to dst, [|X|], and returns 𝒞(θ); dst is 0 where 𝒞 is +Inf.
	Grad(dst, theta []float64) float64
}

// Omega is the set of instances an adversary may use: Θ^(R) = {θ : 𝒞(θ) ≤ R}.
type Omega struct {
	C Difficulty
	R float64
}

// Contains reports whether 𝒞(θ) ≤ R, up to rounding.
func (o Omega) Contains(theta []float64) bool { return Within(o.C.Of(theta), o.R) }

// Within reports whether an instance of difficulty 𝒞(θ) is in Θ^(r), with a part in 10⁹ for rounding.
func Within(rho, r float64) bool { return rho <= r*(1+1e-9) }

// LevelOf returns k(θ) as an index from 0: of levels r_1 < … < r_K the least k with
// difficulty ≤ r_k, and the last for anything harder (reading 11).
func LevelOf(r []float64 /* [K] */, rho float64) int {
	for k := range r {
		if Within(rho, r[k]) {
			return k
		}
	}
	return len(r) - 1
}
