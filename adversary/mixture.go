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
	inside := n / 3
	for m := range n {
		theta, r := ps.Theta[m*d:(m+1)*d], key.At(m).Rand()
		if m < n-inside {
			uniform(theta, p, r)
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

func uniform(theta []float64, p *game.Problem, r *rand.Rand) {
	p.Anywhere(theta, r)
	if p.IsClasses() || p.Vectors != nil {
		p.Admit(theta)
		return
	}
	for i := range theta {
		theta[i] *= 1 - game.Edge
	}
}

// direction fills step, [|X|], with a random one that instances may move in, all alike.
func direction(step []float64, p *game.Problem, r *rand.Rand) {
	if p.Vectors != nil {
		p.Span().Direction(step, r)
		return
	}
	for i := range step {
		step[i] = r.NormFloat64()
	}
}

// BestAt writes to theta, [|X|], a draw from the uniform distribution on
// {θ in the box : z_*(θ) = hypothesis k}: by rejection, exactly, then by
// hit-and-run (reading 19), nearly. Where queries are classes it is by rejection, and then somewhere between a uniform instance and
// where k is always right. A vector that is best nowhere gets a uniform instance. Costs O(|Z||X|) a try and a step.
func BestAt(theta []float64, p *game.Problem, k int, r *rand.Rand) {
	for range rejections {
		uniform(theta, p, r)
		if in := p.Instance(theta); in.Best == k && !in.Many {
			return
		}
	}
	if p.IsClasses() {
		towards(theta, p, k, r)
		return
	}
	walk(theta, p, k, r)
	if p.Vectors != nil && p.Instance(theta).Best != k {
		uniform(theta, p, r)
	}
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
	within(theta, p, k)
	direct := func(step []float64, r *rand.Rand) { direction(step, p, r) }
	game.HitAndRun(theta, walkSteps*len(theta), 1-game.Edge, direct, func(c *game.Chord, step []float64) { cell(c, theta, step, p, k) }, r)
}

// within writes an instance to theta, [|X|], that is inside of the box and of the cell where hypothesis k is best. It is
// (1−ε)(2z − 1)/2. Where p has shares or vectors it is k's anchor, or its row without anchors, as near to half of it as the cell
// allows.
func within(theta []float64, p *game.Problem, k int) {
	if p.Shares == nil && p.Vectors == nil {
		for i, z := range p.Says(k) {
			theta[i] = (2*float64(z) - 1) * (1 - game.Edge) / 2
		}
		return
	}
	from := p.Row(k)
	if d := len(theta); p.Anchors != nil {
		from = p.Anchors[k*d : (k+1)*d]
	}
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
	star := p.Row(k)
	for j := range p.Hypotheses() {
		if j == k {
			continue
		}
		var at, slope float64
		if p.Offset != nil {
			at = float64(p.Offset[k]) - float64(p.Offset[j])
		}
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
