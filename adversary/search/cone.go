package search

import (
	"math"
	"math/rand/v2"

	"mapo/game"
)

// cone is the geometry of problems of vectors: as for hypotheses of 0 and 1, 𝒞(cμ) = 𝒞(μ)/c² along rays. But the easiest
// instances are anchors that had to be found, and a hypothesis may have none that is easy enough.
type cone struct {
	rays
	found *segments
}

func newCone(p *game.Problem, c game.Difficulty, rho []float64) cone {
	return cone{rays{p, c}, newSegments(p, c, rho)}
}

func (g cone) anchor(dst []float64, k int) { g.found.anchor(dst, k) }

func (g cone) easier(theta []float64, r float64) (int, bool) { return g.found.easier(theta, r) }

// carry: what as[j] said beyond a's anchor, bs[j] now says beyond b's.
func (g cone) carry(theta []float64, a, b int, as, bs []int) { g.found.carry(theta, a, b, as, bs) }

// voice returns what a hypothesis expects of a query, or its anchor.
func (g cone) voice(r *rand.Rand) func(k, i int) float64 {
	if r.IntN(2) == 0 {
		return g.rays.voice(r)
	}
	d := g.p.Queries()
	return func(k, i int) float64 { return g.found.anchors[k*d+i] }
}

// distances returns, per query i, 1 over what it adds to ρ̃ at the anchor of hypothesis k; |X| where it adds nothing.
func (g cone) distances(k int) []float64 {
	d := g.p.Queries()
	dist := make([]float64, d)
	for i := range dist {
		dist[i] = float64(d)
	}
	in := g.p.Instance(g.found.of(k))
	for other, v := range in.Value {
		if other == k || !(in.Value[k] > v) {
			continue
		}
		gap := in.Value[k] - v
		a, _ := g.p.Difference(k, other)
		for j, x := range a.On {
			if by := math.Abs(a.By[j]) * a.Norm / (gap * gap); by > 0 {
				dist[x] = min(dist[x], 1/by)
			}
		}
	}
	return dist
}
