package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"mapo/game"
)

// geometry is how difficulty grows on a problem: along rays from the vertices to 0, where hypotheses are 0 and 1, or along
// segments from anchors, where they are graded. Where queries are vectors it grows along both. Read-only once made.
type geometry interface {
	// admit moves theta to a nearby instance that may be, as [game.Problem.Admit] does.
	admit(theta []float64)
	// anchor writes the easiest instance of hypothesis k to dst, [|X|]. Where k is best ρ̃ does not fall along segments from it.
	anchor(dst []float64, k int)
	// easier is the hypothesis to whose anchor theta moves to be of difficulty at most r; false where none is that easy.
	easier(theta []float64, r float64) (k int, ok bool)
	// harden moves theta, whose difficulty rho is at most r, to where it is about r or where it can go no farther, and
	// returns its difficulty, at most r.
	harden(theta []float64, rho, r float64) float64
	// stretch multiplies how far theta is from the easy end of its hypothesis, or from 0.
	stretch(theta []float64, by float64)
	// carry moves theta from hypothesis a to hypothesis b, query as[j] to query bs[j].
	carry(theta []float64, a, b int, as, bs []int)
	// voice is how instances of a start speak for hypothesis k at query i.
	voice(r *rand.Rand) func(k, i int) float64
	// turn turns query i to the other side: of classes, what it said is the next class's.
	turn(theta []float64, i int)
	// random writes any instance to dst, [|X|].
	random(dst []float64, r *rand.Rand)
	// distances is, per query i, how far from hypothesis k the nearest is that differs at i. O(|Z||X|).
	distances(k int) []float64
}

// geometryOf returns that of p, rho being [difficulty.Cells] of it. A problem of rows or vectors needs its anchors.
func geometryOf(p *game.Problem, c game.Difficulty, rho []float64) geometry {
	if make := classOf(p).geometry; make != nil {
		return make(p, c, rho)
	}
	if p.Questions().Tells() > 1 { // probabilities of several columns
		g := simplices{rays{p, c}, make([]float64, p.Queries())}
		p.Centre(g.centre)
		return g
	}
	return rays{p, c}
}

// class is what searches of a kind of problem do that others do not.
type class struct {
	geometry func(p *game.Problem, c game.Difficulty, rho []float64) geometry // nil: along rays
	climbs   bool                                                             // whether climbs find what breeding does not
}

// classOf returns that of p.
func classOf(p *game.Problem) (c class) {
	switch p.Goal().(type) {
	case *game.Vectors:
		c.geometry = func(p *game.Problem, c game.Difficulty, rho []float64) geometry { return newCone(p, c, rho) }
	case *game.Shares:
		c.geometry = func(p *game.Problem, c game.Difficulty, rho []float64) geometry { return newSegments(p, c, rho) }
		c.climbs = true
	}
	return c
}

// sign of hypothesis k at query i, ±1, or 0 for neither.
func sign(p *game.Problem, k, i int) float64 { return 2*float64(p.Says(k)[i]) - 1 }

// rays is the geometry of hypotheses of 0 and 1, where ρ̃(cθ) = ρ̃(θ)/c².
type rays struct {
	p *game.Problem
	c game.Difficulty
}

func (g rays) admit(theta []float64) { g.p.Admit(theta) }

func (g rays) anchor(dst []float64, k int) {
	g.p.Vertex(dst, k)
	g.admit(dst)
}

// easier returns z_* and true: along the segment no gap falls.
func (g rays) easier(theta []float64, _ float64) (int, bool) { return g.p.Instance(theta).Best, true }

func (g rays) harden(theta []float64, rho, r float64) float64 { return scale(g, g.c, theta, rho, r) }

// scale stretches theta along its ray to 𝒞 = r, up to the rounding project allows: where 𝒞 grows as 1/c².
func scale(g geometry, c game.Difficulty, theta []float64, rho, r float64) float64 {
	by := math.Sqrt(rho/r) * newtonInside
	if !(by < 1) {
		return rho
	}
	g.stretch(theta, by)
	return c.Of(theta)
}

func (g rays) stretch(theta []float64, by float64) {
	for i := range theta {
		theta[i] *= by
	}
}

func (g rays) turn(theta []float64, i int) { theta[i] = -theta[i] }

func (g rays) random(dst []float64, r *rand.Rand) { g.p.Anywhere(dst, r) }

// carry: what query as[j] said for a, bs[j] now says for b.
func (g rays) carry(theta []float64, a, b int, as, bs []int) {
	old := slices.Clone(theta)
	for j, i := range as {
		theta[bs[j]] = old[i] * sign(g.p, a, i) * sign(g.p, b, bs[j])
	}
}

func (g rays) voice(*rand.Rand) func(k, i int) float64 {
	return func(k, i int) float64 { return sign(g.p, k, i) }
}

// distances counts differing queries; |X| where no hypothesis differs.
func (g rays) distances(k int) []float64 {
	dist := make([]float64, g.p.Queries())
	for i := range dist {
		dist[i] = float64(len(dist))
	}
	zk := g.p.Says(k)
	for other := range g.p.Hypotheses() {
		n := float64(g.p.Differ(k, other))
		for i, v := range g.p.Says(other) {
			if v != zk[i] {
				dist[i] = min(dist[i], n)
			}
		}
	}
	return dist
}

// segments is the geometry of graded hypotheses: where one is best, 𝒞 rises along every segment from its anchor.
type segments struct {
	p       *game.Problem
	c       game.Difficulty
	anchors []float64 // [|Z|, |X|]
	rho     []float64 // of the anchors, [|Z|]
}

func newSegments(p *game.Problem, c game.Difficulty, rho []float64) *segments {
	easy := p.Easy()
	g := &segments{p: p, c: c, anchors: make([]float64, len(easy)), rho: rho}
	for at, v := range easy {
		g.anchors[at] = float64(v)
	}
	for k := range p.Hypotheses() {
		p.Admit(g.of(k)) // float32 rounds ε
	}
	return g
}

func (g *segments) of(k int) []float64 {
	d := g.p.Queries()
	return g.anchors[k*d : (k+1)*d]
}

func (g *segments) admit(theta []float64) { g.p.Admit(theta) }

func (g *segments) turn(theta []float64, i int) { theta[i] = -theta[i] }

func (g *segments) random(dst []float64, r *rand.Rand) { g.p.Anywhere(dst, r) }

func (g *segments) anchor(dst []float64, k int) { copy(dst, g.of(k)) }

// easier returns the hypothesis with the highest score of those that are easy enough.
func (g *segments) easier(theta []float64, r float64) (k int, ok bool) {
	score := g.p.Instance(theta).Value
	for other, v := range score {
		if g.rho[other] <= r && (!ok || v > score[k]) {
			k, ok = other, true
		}
	}
	return k, ok
}

const (
	farthest  = 4  // how many times as far from the anchor harden goes
	bisection = 10 // halvings of a segment, of which no more than a thousandth is missed
)

// harden moves theta away from its anchor while its hypothesis stays best. Coordinates that reach the box stay there.
func (g *segments) harden(theta []float64, rho, r float64) float64 {
	best := g.p.Instance(theta).Best
	from, at := g.of(best), slices.Clone(theta)
	inside := func(by float64) bool {
		for i, a := range from {
			theta[i] = a + by*(at[i]-a)
		}
		g.admit(theta)
		return g.c.Of(theta) <= r && g.p.Instance(theta).Best == best
	}
	lo, hi := 1.0, float64(farthest)
	for range bisection {
		if mid := (lo + hi) / 2; inside(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo == 1 || !inside(lo) {
		copy(theta, at)
		return rho
	}
	return g.c.Of(theta)
}

func (g *segments) stretch(theta []float64, by float64) {
	for i, a := range g.of(g.p.Instance(theta).Best) {
		theta[i] = a + by*(theta[i]-a)
	}
}

// carry: what as[j] said beyond a's anchor, bs[j] now says beyond b's, for b where it was for a.
func (g *segments) carry(theta []float64, a, b int, as, bs []int) {
	old, from, to := slices.Clone(theta), g.of(a), g.of(b)
	for j, i := range as {
		beyond := old[i] - from[i]
		if math.Signbit(from[i]) != math.Signbit(to[bs[j]]) {
			beyond = -beyond
		}
		theta[bs[j]] = to[bs[j]] + beyond
	}
}

// voice returns the majorities', the row's own or the anchor's.
func (g *segments) voice(r *rand.Rand) func(k, i int) float64 {
	d := g.p.Queries()
	switch r.IntN(3) {
	case 0:
		return func(k, i int) float64 { return sign(g.p, k, i) }
	case 1:
		return func(k, i int) float64 { return float64(g.p.Z[k*d+i]) }
	}
	return func(k, i int) float64 { return g.anchors[k*d+i] }
}

// distances returns, per query i, 1 over what it adds to ρ̃ at row k, whose gaps are half of the squared distances.
func (g *segments) distances(k int) []float64 {
	dist := make([]float64, g.p.Queries())
	for i := range dist {
		dist[i] = float64(len(dist))
	}
	zk := g.p.Row(k)
	for other := range g.p.Hypotheses() {
		var norm, square float64
		z := g.p.Row(other)
		for i, v := range z {
			a := math.Abs(float64(v - zk[i]))
			norm, square = norm+a, square+a*a
		}
		if square == 0 {
			continue
		}
		for i, v := range z {
			if a := math.Abs(float64(v - zk[i])); a > 0 {
				dist[i] = min(dist[i], square*square/(4*norm*a))
			}
		}
	}
	return dist
}
