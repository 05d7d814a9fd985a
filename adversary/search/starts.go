package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"mapo/difficulty"
	"mapo/game"
	"mapo/rng"
)

// shapes draws instances of the kinds that are hard for some policy. All are
// stated in terms of hypotheses and the distances between them, so that they
// mean the same on any table; some also use the order of the queries, which
// means something for thresholds and does no harm elsewhere.
type shapes struct {
	geometry
	p        *game.Problem
	d        int
	rho      []float64 // difficulty.Cells, [|Z|]
	families []func(dst []float64, r *rand.Rand)
}

// newShapes needs p's anchors where it is graded.
func newShapes(p *game.Problem, c game.Difficulty) *shapes {
	rho := difficulty.Cells(p)
	s := &shapes{geometry: geometryOf(p, c, rho), p: p, d: p.Queries(), rho: rho}
	s.families = []func([]float64, *rand.Rand){
		s.pieces, s.decay, s.between, s.split, s.lies,
		s.runs, s.signs, s.decay, s.lies, s.uniform, s.thin,
	}
	return s
}

// fresh returns start j of level k, of family j in turn, or nil where none could be made to fit.
func (h *hunt) fresh(k, j int, key rng.Key) *trial {
	r := key.Rand()
	theta := make([]float64, h.d)
	for range 4 {
		h.shape.families[j%len(h.shape.families)](theta, r)
		if t := h.fit(theta, k, r); t != nil {
			return t
		}
	}
	return nil
}

// fit projects theta, which it keeps, onto level k. Most of the time it then
// moves away from the easy end: up to the level for best identification, whose worst
// instances hug it; anywhere below for simple regret, whose worst lie inside. nil where none is in level k.
func (h *hunt) fit(theta []float64, k int, r *rand.Rand) *trial {
	grad := make([]float64, h.d)
	rho, ok := project(h.shape, h.C, theta, h.Levels[k], grad)
	if !ok {
		return nil
	}
	u := r.Float64()
	to := h.Levels[k]
	if h.Loss == game.SimpleRegret {
		u += .3
		to = rho * math.Pow(to/rho, r.Float64())
	}
	if u < .8 {
		rho = h.shape.harden(theta, rho, to)
	}
	if !game.Within(rho, h.Levels[k]) {
		return nil
	}
	return &trial{theta: theta, rho: rho, level: k}
}

// sign of hypothesis k at query i, ±1, or 0 for neither.
func (s *shapes) sign(k, i int) float64 { return sign(s.p, k, i) }

// hypothesis returns a random one: half of the time any, else the easiest of three, around
// which a low level leaves the most room.
func (s *shapes) hypothesis(r *rand.Rand) int {
	k := r.IntN(s.p.Hypotheses())
	if r.Float64() < .5 {
		return k
	}
	for range 2 {
		if other := r.IntN(s.p.Hypotheses()); s.rho[other] < s.rho[k] {
			k = other
		}
	}
	return k
}

// uniform writes a random instance to dst, [|X|].
func (s *shapes) uniform(dst []float64, r *rand.Rand) { s.random(dst, r) }

// lies writes c(2z − 1) to dst, mostly with a few queries that say the opposite or almost
// nothing: traps for a policy that believes answers.
func (s *shapes) lies(dst []float64, r *rand.Rand) {
	k, c := s.hypothesis(r), 1.0
	if r.Float64() < .3 {
		c = .05 + .95*r.Float64()
	}
	says := s.voice(r)
	for i := range dst {
		dst[i] = c * says(k, i)
	}
	for range r.IntN(7) {
		i := r.IntN(s.d)
		if r.Float64() < .7 {
			s.turn(dst, i)
		} else {
			dst[i] = (2*r.Float64() - 1) * .3
		}
	}
}

// pieces writes to dst values that are constant where some random hypotheses agree with one
// another: for thresholds, constant between a few cut points.
func (s *shapes) pieces(dst []float64, r *rand.Rand) {
	var cuts []int
	for range 1 + r.IntN(5) {
		cuts = append(cuts, s.hypothesis(r))
	}
	value := make(map[int]float64)
	full := r.Float64() < .3
	for i := range dst {
		group := 0
		for j, k := range cuts {
			group |= int(s.p.Says(k)[i]) << j
		}
		if _, ok := value[group]; !ok {
			v := 2*r.Float64() - 1
			if full && math.Abs(v) > .4 {
				v = math.Copysign(1, v)
			}
			value[group] = v
		}
		dst[i] = value[group]
	}
}

// runs writes a few constant runs over the queries as they stand to dst.
func (s *shapes) runs(dst []float64, r *rand.Rand) {
	v := 2*r.Float64() - 1
	next := 1 + r.IntN(6)
	for i := range dst {
		if r.IntN(s.d) < next {
			v = 2*r.Float64() - 1
		}
		dst[i] = v
	}
}

// signs writes a vertex with some signs turned to dst, at one strength or at many.
func (s *shapes) signs(dst []float64, r *rand.Rand) {
	k, turn, c := s.hypothesis(r), .5*r.Float64(), .2+.8*r.Float64()
	many := r.Float64() < .5
	says := s.voice(r)
	for i := range dst {
		dst[i] = c * says(k, i)
		if r.Float64() < turn {
			s.turn(dst, i)
		}
		if many {
			dst[i] *= r.Float64()
		}
	}
}

// between lies near the middle of two vertices, or of three.
func (s *shapes) between(dst []float64, r *rand.Rand) {
	a, b := s.hypothesis(r), s.hypothesis(r)
	w, c := .3+.4*r.Float64(), .3+.7*r.Float64()
	third, w3 := s.hypothesis(r), 0.0
	if r.Float64() < .4 {
		w3 = r.Float64() * .5
	}
	says := s.voice(r)
	for i := range dst {
		dst[i] = c * ((1-w3)*(w*says(a, i)+(1-w)*says(b, i)) + w3*says(third, i))
	}
}

// split writes a near-tie of two hypotheses to dst, the more distant of a few pairs. Where
// they differ, some queries speak loudly for one and the rest for the other, in two blocks or
// at random. Elsewhere both are backed strongly or faintly.
func (s *shapes) split(dst []float64, r *rand.Rand) {
	a, b := s.far(r)
	share, blocks := .35+.3*r.Float64(), r.Float64() < .6
	loud, rest := .3+.7*r.Float64(), r.Float64()
	// By distance from a, blocks are neighbours of a against neighbours of b.
	order := s.nearest(a, r)
	differ := s.p.Differ(a, b)
	says := s.voice(r)
	n := 0
	for _, i := range order {
		if s.sign(a, i) == s.sign(b, i) {
			dst[i] = rest * says(a, i)
			continue
		}
		forB := r.Float64() < share
		if blocks {
			forB = float64(n) < share*float64(differ)
		}
		dst[i] = loud * says(a, i)
		if forB {
			dst[i] = loud * says(b, i)
		}
		n++
	}
}

// far returns the more distant of three random pairs of hypotheses.
func (s *shapes) far(r *rand.Rand) (a, b int) {
	a, b = s.hypothesis(r), s.hypothesis(r)
	for range 2 {
		if x, y := s.hypothesis(r), s.hypothesis(r); s.p.Differ(x, y) > s.p.Differ(a, b) {
			a, b = x, y
		}
	}
	return a, b
}

// parity writes 1 to dst where an even number of n random hypotheses have a one, else −1, or
// the opposite of all. The opposite of one hypothesis leaves others, far apart, nearly tied.
func (s *shapes) parity(dst []float64, n int, r *rand.Rand) {
	sign := float64(2*r.IntN(2) - 1)
	for i := range dst {
		dst[i] = sign
	}
	for range n {
		k := s.hypothesis(r)
		for i := range dst {
			dst[i] *= s.sign(k, i)
		}
	}
}

// thin writes a parity to dst, with doubt where that decides.
func (s *shapes) thin(dst []float64, r *rand.Rand) {
	s.parity(dst, 1+r.IntN(3), r)
	s.doubt(dst, r)
}

// doubt makes a few answers faint by which the best hypothesis and its nearest differ, so that
// what is certain leads a policy elsewhere and what decides does not. Projection makes them as
// faint as the level allows.
func (s *shapes) doubt(theta []float64, r *rand.Rand) {
	best := s.p.Instance(theta).Best
	for _, i := range s.nearest(best, r)[:min(s.d, 1+r.IntN(4))] {
		u := r.Float64()
		theta[i] = u * u * s.sign(best, i)
	}
}

// decay writes gaps around one hypothesis to dst that fade with the distance from it:
// |θ_i| = c·dist_i^(−p), dist_i the distance of the nearest hypothesis that differs at i; far
// queries may be silent or random.
func (s *shapes) decay(dst []float64, r *rand.Rand) {
	k := s.hypothesis(r)
	dist := s.distances(k)
	p, c := 2.5*r.Float64()-.25, .3+.7*r.Float64()
	reach, noise := math.Inf(1), 0.0
	if r.Float64() < .5 {
		reach = 1 + r.Float64()*float64(s.d)/2
	}
	if r.Float64() < .4 {
		noise = r.Float64()
	}
	says := s.voice(r)
	for i, far := range dist {
		dst[i] = c * says(k, i) * math.Pow(far, -p)
		if far > reach {
			dst[i] = noise * (2*r.Float64() - 1)
		}
	}
}

// nearest lists the queries by distance from hypothesis k, ties in the order of
// the queries or, half of the time, shuffled.
func (s *shapes) nearest(k int, r *rand.Rand) []int {
	order := r.Perm(s.d)
	if r.Float64() < .5 {
		slices.Sort(order)
	}
	dist := s.distances(k)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(dist[a], dist[b]) })
	return order
}
