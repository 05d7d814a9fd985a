package exact

import (
	"fmt"

	"mapo/game"
)

// batch is how many states a policy is asked about at once.
const batch = 1024

// slack is how far from 1 a row of a policy's float32 probabilities may sum.
const slack = 1e-3

// Probs returns what a policy does in every inner state, [inner, |X|], its rows
// divided by their sums in float64. It panics where a row is not a distribution
// over the queries that may be asked.
func (g *Game) Probs(policy game.Policy) []float64 {
	d := g.P.Queries()
	out := make([]float64, g.Inner()*d)
	dst := make([]float32, batch*d)
	for t := range g.P.T {
		for lo := g.start[t]; lo < g.start[t+1]; lo += batch {
			hi := min(lo+batch, g.start[t+1])
			policy.Probs(dst[:(hi-lo)*d], g.Batch(lo, hi))
			for s := lo; s < hi; s++ {
				g.normal(out[s*d:(s+1)*d], dst[(s-lo)*d:], s)
			}
		}
	}
	return out
}

// normal writes the first |X| of probs, what a policy does in s, to dst.
func (g *Game) normal(dst []float64, probs []float32, s int) {
	var sum float64
	for i := range dst {
		v := float64(probs[i])
		if yes, _ := g.Next(s, i); v != 0 && (yes < 0 || v < 0) {
			panic(fmt.Sprintf("exact: the policy gives query %d the probability %v in state %d", i, v, s))
		}
		dst[i] = v
		sum += v
	}
	if !(sum > 1-slack && sum < 1+slack) {
		panic(fmt.Sprintf("exact: the policy's probabilities sum to %v in state %d, want 1", sum, s))
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// Flow is q_π: how a policy spreads over the states, whatever θ.
type Flow struct {
	G     *Game
	Probs []float64 // π_i(s), [inner, |X|]
	Q     []float64 // q_π(s), [states]
}

// Flow plays a policy.
func (g *Game) Flow(policy game.Policy) *Flow { return g.FlowOf(g.Probs(policy)) }

// FlowOf returns the flow of the policy with the given probabilities,
// [inner, |X|], which it keeps: q(start) = 1 and q(s′) = Σ over (s, i) before s′ of
// q(s)·π_i(s). Costs O(states·d).
func (g *Game) FlowOf(probs []float64) *Flow {
	if want := g.Inner() * g.P.Queries(); len(probs) != want {
		panic(fmt.Sprintf("exact: %d probabilities, want %d", len(probs), want))
	}
	f := &Flow{G: g, Probs: probs, Q: make([]float64, g.States())}
	g.spread(f.Q, probs)
	return f
}

// spread writes q_π to q, [states].
func (g *Game) spread(q, probs []float64) {
	d := g.P.Queries()
	clear(q)
	q[0] = 1
	for s := range g.Inner() {
		if q[s] == 0 || g.Ends(s) {
			continue
		}
		for i, p := range probs[s*d : (s+1)*d] {
			if p == 0 {
				continue
			}
			yes, no := g.Next(s, i)
			q[yes] += q[s] * p
			q[no] += q[s] * p
		}
	}
}

// Policy returns the policy of this flow, looked up by state.
func (f *Flow) Policy() game.Policy { return f.G.Policy(f.Probs) }

// Policy returns the policy with the given probabilities, [inner, |X|], as one
// that can be played: it looks states up, and panics at one that has no next
// query.
func (g *Game) Policy(probs []float64) game.Policy { return table{g, probs} }

type table struct {
	g     *Game
	probs []float64
}

func (p table) Probs(dst []float32, s game.States) {
	d := p.g.P.Queries()
	row := make([]uint8, 2*d)
	for b := range s.Len(d) {
		step := p.g.tally(row, s, b)
		at := -1
		if step < p.g.P.T {
			at = p.g.find(step, row)
		}
		if at < 0 {
			panic("exact: the policy is asked about a state that is not in its game")
		}
		for i, v := range p.probs[at*d : (at+1)*d] {
			dst[b*d+i] = float32(v)
		}
	}
}

// tally writes the counts of state b of s to row, [d, 2], and returns how many answers they are.
func (g *Game) tally(row []uint8, s game.States, b int) (answers int) {
	d := g.P.Queries()
	for i := range d {
		n, sum := s.N[b*d+i], s.S[b*d+i]
		row[2*i], row[2*i+1] = uint8((n+sum)/2), uint8((n-sum)/2)
		answers += int(n)
	}
	return answers
}

// likelihood holds, for one θ, the powers of every answer's probability and
// those of the derivative.
type likelihood struct {
	d, n  int
	power []float64 // ((1±θ_i)/2)^k at ((2i+j)·n + k), k ≤ T, [d, 2, T+1]
}

func (g *Game) likelihood(theta []float64) likelihood {
	d, n := g.P.Queries(), g.P.T+1
	if len(theta) != d {
		panic(fmt.Sprintf("exact: theta has %d entries, want %d", len(theta), d))
	}
	l := likelihood{d, n, make([]float64, 2*d*n)}
	for i, v := range theta {
		for j, p := range [2]float64{(1 + v) / 2, (1 - v) / 2} {
			x := 1.0
			for k := range n {
				l.power[(2*i+j)*n+k] = x
				x *= p
			}
		}
	}
	return l
}

// of returns L_θ(s) for the counts of s.
func (l likelihood) of(row []uint8) float64 {
	x := 1.0
	for j, k := range row {
		x *= l.power[j*l.n+int(k)]
	}
	return x
}

// addGrad adds scale·∇_θ L_θ(s) to dst, [|X|]: a product rule without
// divisions, so that it holds at |θ_i| = 1 too.
func (l likelihood) addGrad(dst []float64, row []uint8, scale float64) {
	for i := range dst {
		yes, no := int(row[2*i]), int(row[2*i+1])
		py, pn := l.power[2*i*l.n:], l.power[(2*i+1)*l.n:]
		var x float64
		if yes > 0 {
			x += float64(yes) / 2 * py[yes-1] * pn[no]
		}
		if no > 0 {
			x -= float64(no) / 2 * py[yes] * pn[no-1]
		}
		if x == 0 {
			continue
		}
		for j, k := range row {
			if j>>1 != i {
				x *= l.power[j*l.n+int(k)]
			}
		}
		dst[i] += scale * x
	}
}

// Loss returns ℓ(π, θ) = Σ_s q_π(s)·L_θ(s)·L_T(s, θ), unscaled. Costs O(final states·d + |Z|d).
func (f *Flow) Loss(loss game.Loss, theta []float64) float64 {
	g := f.G
	in, like := g.P.Instance(theta), g.likelihood(theta)
	var sum float64
	for _, s := range g.final {
		if f.Q[s] != 0 {
			sum += f.Q[s] * like.of(g.row(s)) * loss.Of(in, g.Decision(s))
		}
	}
	return sum
}

// Questions returns the expected number of questions of a game on θ: T unless
// games stop. Costs O(final states·d).
func (f *Flow) Questions(theta []float64) float64 {
	g := f.G
	like := g.likelihood(theta)
	var sum float64
	for _, s := range g.final {
		answers := 0
		for _, n := range g.row(s) {
			answers += int(n)
		}
		sum += f.Q[s] * like.of(g.row(s)) * float64(answers)
	}
	return sum
}

// Worst returns the largest ℓ(π, θ) over thetas and the first index that has it.
func (f *Flow) Worst(loss game.Loss, thetas [][]float64) (worst float64, at int) {
	return WorstOf(f, loss, thetas)
}

// Grad writes ∇_θ ℓ(π, θ) to dst, [|X|], and returns ℓ(π, θ): the score's part
// that Eq. 10 estimates, plus the expectation of ∇_θ L_T (reading 10: 0 for best
// identification, z_* − ẑ for simple regret). True at |θ_i| = 1 as well. Costs
// O(final states·d²).
func (f *Flow) Grad(dst []float64, loss game.Loss, theta []float64) float64 {
	g := f.G
	in, like := g.P.Instance(theta), g.likelihood(theta)
	clear(dst)
	var sum float64
	for _, s := range g.final {
		if f.Q[s] == 0 {
			continue
		}
		row, tie := g.row(s), g.Decision(s)
		p, l := f.Q[s]*like.of(row), loss.Of(in, tie)
		sum += p * l
		if l != 0 {
			like.addGrad(dst, row, f.Q[s]*l)
		}
		loss.AddGrad(dst, g.P, in, tie, p)
	}
	return sum
}
