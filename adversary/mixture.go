package adversary

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mapo/game"
	"mapo/rng"
)

// Mixture is a distribution over instances: θ̃_{1:N} with the logits w of the probabilities softmax(w) (Eq. 7 and 8).
type Mixture struct {
	Theta []float64 // [N, |X|]
	W     []float64 // [N]
}

// rejections is how many uniform draws reading 19 tries for an instance whose
// best hypothesis is a given one, before it walks.
const rejections = 200

// walkSteps times |X| is the length of the hit-and-run walk after that. A walk
// forgets where it began in about |X|² steps, so its draws are uniform up to about
// ten queries. With more they lean towards the cone's middle: for thresholds of d = 25,
// ⟨2z − 1, θ⟩/d is 0.20 on average and not 0.18. That is enough for the start of a training.
const walkSteps = 10

// Start makes n particles as appendix D does: two thirds uniform on the box
// |θ_i| ≤ 1 − ε, one third uniform on {θ : z_*(θ) = z}, an equal share for each
// z; w = 0. Costs O(n|Z||X|) and more where hypotheses are rarely best.
func Start(p *game.Problem, n int, key rng.Key) *Mixture {
	d := p.Queries()
	ps := &Mixture{Theta: make([]float64, n*d), W: make([]float64, n)}
	inside, moves := n/3, movesOf(p)
	for m := range n {
		theta, r := ps.Theta[m*d:(m+1)*d], key.At(m).Rand()
		if m < n-inside {
			moves.uniform(theta, p, r)
			continue
		}
		BestAt(theta, p, (m-(n-inside))%p.Hypotheses(), r)
	}
	return ps
}

// Rows returns the rows of a finite Θ, each [|X|], with equal weights.
func Rows(rows [][]float64) *Mixture {
	ps := &Mixture{W: make([]float64, len(rows))}
	for _, row := range rows {
		ps.Theta = append(ps.Theta, row...)
	}
	return ps
}

// N returns the number of instances.
func (ps *Mixture) N() int { return len(ps.W) }

// moves is how instances of a kind of problem are drawn.
type moves struct {
	inside func(theta []float64)                      // moves any instance to one that may be
	direct func(step []float64, r *rand.Rand)         // fills step, [|X|], with a random one that instances may move in, all alike
	reach  func(theta []float64, k int, r *rand.Rand) // moves theta to where hypothesis k is best, if it is anywhere
	easy   func(k int) []float32                      // an easy instance of hypothesis k; nil: half of where it is always right
}

// movesOf returns those of p.
func movesOf(p *game.Problem) moves {
	m := moves{inside: shrink, direct: anyway}
	m.reach = func(theta []float64, k int, r *rand.Rand) { walk(theta, p, k, r) }
	switch p.Goal().(type) {
	case *game.Shares:
		m.easy = easyOf(p)
	case *game.Vectors:
		m.inside, m.direct, m.easy = p.Admit, p.Span().Direction, easyOf(p)
		m.reach = func(theta []float64, k int, r *rand.Rand) {
			if walk(theta, p, k, r); p.Instance(theta).Best != k {
				m.uniform(theta, p, r)
			}
		}
	}
	if p.Questions().Tells() > 1 { // probabilities of several columns
		m.inside = p.Admit
		m.reach = func(theta []float64, k int, r *rand.Rand) { towards(theta, p, k, r) }
	}
	return m
}

// easyOf returns the anchors of p, or what hypotheses are worth where none are known.
func easyOf(p *game.Problem) func(k int) []float32 {
	anchors, d := p.Easy(), p.Queries()
	if anchors == nil {
		return p.Row
	}
	return func(k int) []float32 { return anchors[k*d : (k+1)*d] }
}

// uniform writes a uniform instance that may be.
func (m *moves) uniform(theta []float64, p *game.Problem, r *rand.Rand) {
	p.Anywhere(theta, r)
	m.inside(theta)
}

// shrink scales the box [−1, 1] to |θ_i| ≤ 1 − ε.
func shrink(theta []float64) {
	for i := range theta {
		theta[i] *= 1 - game.Edge
	}
}

// anyway fills step with a direction of the whole space.
func anyway(step []float64, r *rand.Rand) {
	for i := range step {
		step[i] = r.NormFloat64()
	}
}

// BestAt writes to theta, [|X|], a draw from the uniform distribution on
// {θ in the box : z_*(θ) = hypothesis k}: by rejection, exactly, then by
// hit-and-run (reading 19), nearly. Where queries are classes it is by rejection, and then somewhere between a uniform instance and
// where k is always right. A vector that is best nowhere gets a uniform instance. Costs O(|Z||X|) a try and a step.
func BestAt(theta []float64, p *game.Problem, k int, r *rand.Rand) {
	m := movesOf(p)
	for range rejections {
		m.uniform(theta, p, r)
		if in := p.Instance(theta); in.Best == k && !in.Many {
			return
		}
	}
	m.reach(theta, k, r)
}

// towards moves theta on the straight line to where hypothesis k is always right, to a uniform point of its part on which k is
// best: no score falls behind that of k on the way.
func towards(theta []float64, p *game.Problem, k int, r *rand.Rand) {
	from, to, in := slices.Clone(theta), make([]float64, len(theta)), new(game.Instance)
	p.Vertex(to, k)
	p.Admit(to)
	at := func(share float64) bool {
		for i, v := range from {
			theta[i] = v + share*(to[i]-v)
		}
		p.Fill(in, theta)
		return in.Best == k && !in.Many
	}
	least, most := 0.0, 1.0
	for range halvings {
		if mid := (least + most) / 2; at(mid) {
			most = mid
		} else {
			least = mid
		}
	}
	at(most + (1-most)*r.Float64())
}

// halvings are how often a straight line is halved to find where a hypothesis gets the best.
const halvings = 20

// walk moves theta by hit-and-run for BestAt, from [within]: walkSteps·|X| times, while hypothesis k stays best.
func walk(theta []float64, p *game.Problem, k int, r *rand.Rand) {
	m := movesOf(p)
	within(theta, p, k, m.easy)
	game.HitAndRun(theta, walkSteps*len(theta), 1-game.Edge, m.direct, func(c *game.Chord, step []float64) { cell(c, theta, step, p, k) }, r)
}

// within writes an instance to theta, [|X|], that is inside of the box and of the cell where hypothesis k is best. It is
// (1−ε)(2z − 1)/2. Where p has shares or vectors it is k's anchor, or its row without anchors, as near to half of it as the cell
// allows.
func within(theta []float64, p *game.Problem, k int, easy func(k int) []float32) {
	if easy == nil {
		for i, z := range p.Says(k) {
			theta[i] = (2*float64(z) - 1) * (1 - game.Edge) / 2
		}
		return
	}
	from := easy(k)
	for less := 0.5; less > game.Edge; less /= 2 {
		for i, v := range from {
			theta[i] = float64(v) * (1 - game.Edge) * (1 - less)
		}
		if p.Instance(theta).Best == k {
			return
		}
	}
}

// cell leaves of a chord where hypothesis k is best: the score of every other z, at most that of z_k, bounds it.
func cell(c *game.Chord, theta, step []float64, p *game.Problem, k int) {
	star, offset := p.Row(k), p.Offsets()
	for j := range p.Hypotheses() {
		if j == k {
			continue
		}
		at, slope := float64(offset[k])-float64(offset[j]), 0.
		for i, z := range p.Row(j) {
			if diff := float64(star[i] - z); diff != 0 {
				at += diff * theta[i]
				slope += diff * step[i]
			}
		}
		c.Keep(at, slope)
	}
}

// At returns instance i, [|X|], which is not a copy.
func (ps *Mixture) At(i int) []float64 {
	d := len(ps.Theta) / len(ps.W)
	return ps.Theta[i*d : (i+1)*d]
}

// fits reports whether the sizes agree with each other and with |X| = d queries.
func (ps *Mixture) fits(d int) bool { return len(ps.Theta) == d*len(ps.W) }

// Probabilities writes softmax(w) to dst, [N], and returns its entropy over
// log N, 1 when uniform.
func (ps *Mixture) Probabilities(dst []float64) float64 {
	top := floats.Max(ps.W)
	var sum float64
	for i, v := range ps.W {
		dst[i] = math.Exp(v - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
	if len(dst) == 1 {
		return 1
	}
	return Entropy(dst) / math.Log(float64(len(dst)))
}
