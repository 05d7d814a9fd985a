package train

import (
	"math"
	"slices"

	"mapo"
	"mapo/internal/num"
	"mapo/rng"
)

// A prior's games are those of instances that an iteration draws and knows, so that a
// game's answers say how likely each of them is (Bayes), and what the game loses on
// average over them. That average stands in for the loss in Eq. 11, whose mean it
// leaves as it is, ∇ log π depending on the answers alone (Rao 1945, Blackwell 1947);
// the chance that is left is that of the answers. What it is at every step's state
// is the critic's u. The adversary's instances differ so much that a game tells
// which of them it is: there nothing would be gained.

// believed is how many instances an iteration draws from a prior; its games are
// shared among them.
const believed = 256

// leastLog is a log-probability that rules out.
const leastLog = -80

// believes reports whether a prior's games are taken so: where the critic is in use.
func (r *Run) believes() bool { return r.t.Config.critic() && (r.t.Prior != nil || r.t.dial()) }

// belief is what an iteration knows of its prior's games; read only while they are
// played.
type belief struct {
	n     int           // instances drawn from the prior
	theta []float64     // [n, |X|]
	log   []float32     // log P(answer | instance), of no and of yes to every query, [|X|, 2, n]
	value []float32     // the scaled loss of ending with a hypothesis, [|Z|, n]
	in    mapo.Instance // scratch
	one   [1]int        // scratch
}

// draw draws n instances.
func (b *belief) draw(p *mapo.Problem, prior mapo.Prior, n int, key rng.Key, scratch *rng.Generator) {
	d := p.Queries()
	b.n, b.theta = n, grown(b.theta, n*d)
	for i := range n {
		prior.Draw(b.theta[i*d:(i+1)*d], scratch.Of(key.At(i)))
	}
}

// work fills in log and value. O(n·|X|·|Z|).
func (b *belief) work(p *mapo.Problem, loss mapo.Loss, scale float64) {
	d, n := p.Queries(), b.n
	b.log, b.value = grown(b.log, 2*n*d), grown(b.value, n*p.Hypotheses())
	for i := range n {
		theta := b.theta[i*d : (i+1)*d]
		for x, v := range theta {
			b.log[2*x*n+i] = float32(max(leastLog, math.Log((1-v)/2)))
			b.log[(2*x+1)*n+i] = float32(max(leastLog, math.Log((1+v)/2)))
		}
		p.Fill(&b.in, theta)
		for k := range p.Hypotheses() {
			b.one[0] = k
			b.value[k*n+i] = float32(scale * loss.Of(&b.in, b.one[:]))
		}
	}
}

// believer is one worker's part. Its games are the block's last, from first on.
type believer struct {
	*belief
	first int         // the block's first game of a prior's instance
	log   []float32   // log P(answers so far | instance), [G − first, n]
	share []float32   // how likely each is, [n]
	step  [][]float32 // the average loss of ending in each step's states, where one of the games is, [T][U]
}

// begin is before a block's first answer.
func (v *believer) begin(t, first, games int) {
	v.first = first
	v.log, v.share = grown(v.log, (games-first)*v.n), grown(v.share, v.n)
	if v.step == nil {
		v.step = make([][]float32, t)
	}
}

// observe takes the answers to a step's queries in, [G] each.
func (v *believer) observe(asked []int32, yes []bool) {
	for g := v.first; g < len(asked); g++ {
		at := 2 * int(asked[g])
		if yes[g] {
			at++
		}
		to := v.log[(g-v.first)*v.n:][:v.n]
		for i, l := range v.belief.log[at*v.n:][:v.n] {
			to[i] += l
		}
	}
}

// loss is game g's average loss where it ends with one of tie.
func (v *believer) loss(g int, tie []int) float64 {
	num.Softmax(v.share, v.log[(g-v.first)*v.n:][:v.n], nil, 1, v.n)
	var sum float64
	for _, k := range tie {
		value := v.value[k*v.n:][:v.n]
		for i, p := range v.share {
			sum += float64(p * value[i])
		}
	}
	return sum / float64(len(tie))
}

// foresee fills in step for the states of step t that the believer's games are in.
func (v *believer) foresee(c *critic, t int, row []int32 /* [G] */) {
	if v.first == len(row) {
		return
	}
	unknown := float32(math.NaN())
	states := int(slices.Max(row)) + 1
	v.step[t] = slices.Grow(v.step[t][:0], states)[:states]
	for u := range v.step[t] {
		v.step[t][u] = unknown
	}
	for g := v.first; g < len(row); g++ {
		if at := &v.step[t][row[g]]; *at != *at {
			*at = float32(v.loss(g, c.ties(t, int(row[g]))))
		}
	}
}
