package exact

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"mapo/game"
)

// Options of [Certify].
type Options struct {
	Loss       game.Loss
	Width      float64 // stop when Hi − Lo ≤ Width, in units of the loss; 0: 0.001
	Iterations int     // stop after that many; 0: 20,000

	Free    bool         // the decision is the policy's own to choose; else it is [game.LeastSquares], or Decider
	Decider game.Decider // what recommends where it is not free; nil: [game.LeastSquares]
	Stopper game.Stopper // ends games early, whatever is asked; nil: they have all their answers
	Average []game.Drawn // the objective has an average over these ([game.Support]), as a share
	Weight  float64      // w: (1−w)·(largest loss over thetas) + w·(average), in [0, 1)
}

// Bracket encloses the minimax value of a game over a finite set of instances,
// min_π (1−w)·max_θ ℓ(π, θ) + w·E ℓ(π, θ) ∈ [Lo, Hi], both ends certified up to rounding. Lo holds
// for every set that contains the instances, Θ^(r) among them.
type Bracket struct {
	Lo, Hi     float64
	Iterations int
	Weights    []float64   // prior over the instances under which no policy does better than Lo
	Flow       *Flow       // behaviour policy whose objective is Hi
	Policy     game.Policy // the same, as one that can be played, with its decision where that is free

	Worst, Mean float64 // its largest loss over the instances and its average loss, 0 without one
}

// Certify brackets min_π max_θ ℓ(π, θ) over thetas, or the objective with an average. Two no-regret learners play
// each other: at every state, predictive regret matching⁺ (Farina, Kroer and
// Sandholm 2021) over the queries; over thetas, the same. For any weights w
//
//	V_0(w) = min_π Σ_θ w_θ ℓ(π, θ),
//
// found by exact dynamic programming on the θ-free costs
// c_w(s) = Σ_θ w_θ L_θ(s) L_T(s, θ), is a lower bound, and for any policy
// max_θ ℓ(π, θ) an upper one. They are taken at the average weights and at the
// behaviour policy with the average flow, which is the mixture of the policies
// played; the best of each is kept. An average is a set of extra instances whose weights are fixed. A free decision is one
// learner more in every final state, and its minimum there in the lower bound. Where the iterations run out the bracket is
// wider than asked for and still holds.
//
// An iteration costs O(final states·|thetas| + states·d), with a free decision |Z| times the former.
func Certify(ctx context.Context, p *game.Problem, thetas [][]float64, opts Options) (Bracket, error) {
	if opts.Width <= 0 {
		opts.Width = 0.001
	}
	if opts.Iterations <= 0 {
		opts.Iterations = 20_000
	}
	if len(thetas) == 0 {
		return Bracket{}, fmt.Errorf("certify: no instances")
	}
	g, err := New(p)
	if err != nil {
		return Bracket{}, fmt.Errorf("certify: %w", err)
	}
	if opts.Decider != nil {
		g = g.Decided(opts.Decider)
	}
	if opts.Stopper != nil {
		g = g.Stopped(opts.Stopper)
	}
	if err := g.room(len(thetas) + len(opts.Average)); err != nil {
		return Bracket{}, fmt.Errorf("certify: %w", err)
	}
	d := newDuel(g, thetas, &opts)
	b := Bracket{Lo: 0, Hi: math.Inf(1)}
	for next := 16; b.Iterations < opts.Iterations; {
		if err := ctx.Err(); err != nil {
			return b, fmt.Errorf("certify: %w", err)
		}
		b.Iterations++
		d.step(float64(b.Iterations))
		if b.Iterations < next && b.Iterations < opts.Iterations {
			continue
		}
		next += max(16, next/8)
		d.bound(&b)
		if b.Hi-b.Lo <= opts.Width {
			break
		}
	}
	return b, nil
}

// duel is the two learners and their averages, scratch included.
type duel struct {
	g     *Game
	n     int       // instances of the worst case; those of the average follow
	share float64   // the average's, w
	fixed []float64 // the weights of the average, each times w, [instances − n]
	end   end
	asker *learners // the queries of every inner state
	world *learners // the instances of the worst case

	w     []float64 // the weights of all instances
	q     []float64 // flow of the asker's current policy, [states]
	v     []float64 // values under the current weights, [states]
	child []float64 // V of the state's queries, [|X|]
	loss  []float64 // ℓ(π, θ) of the current policy, [instances]

	total   float64   // Σ_t weight_t of the averages below
	edges   []float64 // Σ_t weight_t·q(s)·π_i(s), [inner, |X|]
	losses  []float64 // Σ_t weight_t·ℓ(π_t, θ), [instances]
	weights []float64 // Σ_t weight_t·w_t, [n]
}

func newDuel(g *Game, thetas [][]float64, o *Options) *duel {
	all, n := drawn(thetas), len(thetas)
	var average []float64
	if o.Weight > 0 {
		for _, a := range o.Average {
			all, average = append(all, a), append(average, o.Weight*a.Weight)
		}
	}
	d, inner := g.P.Queries(), g.Inner()
	u := &duel{
		g: g, n: n, share: o.Weight, fixed: average,
		asker: newLearners(inner, d), world: newLearners(1, n),
		w: make([]float64, len(all)), q: make([]float64, g.States()), v: make([]float64, g.States()),
		child: make([]float64, d), loss: make([]float64, len(all)),
		edges: make([]float64, inner*d), losses: make([]float64, len(all)), weights: make([]float64, n),
	}
	if o.Free {
		u.end = g.newFree(o.Loss, all)
	} else {
		u.end = fixed{g.newSet(o.Loss, all)}
	}
	for s := range inner {
		for i := range d {
			if yes, _ := g.Next(s, i); yes < 0 {
				u.asker.forbid(s, i)
			}
		}
	}
	return u
}

// step lets the asker learn from the current weights and then the world from
// the asker's new policy, and adds both to the averages with weight t².
func (u *duel) step(t float64) {
	g, d := u.g, u.g.P.Queries()
	u.end.costs(u.v, u.weigh(u.world.now))
	for s := g.Inner() - 1; s >= 0; s-- {
		if g.Ends(s) {
			continue
		}
		for i := range u.child {
			u.child[i] = 0
			if yes, no := g.Next(s, i); yes >= 0 {
				u.child[i] = u.v[yes] + u.v[no]
			}
		}
		u.v[s] = floats.Dot(u.asker.row(s), u.child)
		u.asker.learn(s, u.child, -1)
	}
	g.spread(u.q, u.asker.now)
	u.end.losses(u.loss, u.q)
	weight := t * t
	u.end.average(weight, u.q)
	u.total += weight
	floats.AddScaled(u.losses, weight, u.loss)
	for s := range g.Inner() {
		if u.q[s] != 0 && !g.Ends(s) {
			floats.AddScaled(u.edges[s*d:(s+1)*d], weight*u.q[s], u.asker.row(s))
		}
	}
	u.world.learn(0, u.loss[:u.n], 1)
	floats.AddScaled(u.weights, weight, u.world.now)
}

// weigh returns the weights of all instances for those of the worst case's.
func (u *duel) weigh(world []float64) []float64 {
	floats.ScaleTo(u.w[:u.n], 1-u.share, world)
	copy(u.w[u.n:], u.fixed)
	return u.w
}

// bound improves b by what the averages certify.
func (u *duel) bound(b *Bracket) {
	worst, mean := floats.Max(u.losses[:u.n])/u.total, floats.Dot(u.losses[u.n:], u.fixed)/u.total
	if hi := (1-u.share)*worst + mean; hi < b.Hi {
		b.Hi, b.Worst, b.Flow = hi, worst, u.g.FlowOf(u.behaviour())
		if u.share > 0 {
			b.Mean = mean / u.share
		}
		b.Policy = b.Flow.Policy()
		if by := u.end.decided(); by != nil {
			b.Policy = game.Deciding(b.Policy, by)
		}
		b.Policy = game.Stopping(b.Policy, u.g.stopper)
	}
	w := append([]float64(nil), u.weights...)
	floats.Scale(1/floats.Sum(w), w)
	if lo := u.bayes(w); lo > b.Lo || b.Weights == nil {
		b.Lo, b.Weights = lo, w
	}
}

// bayes returns V_0(w) = min_π Σ_θ w_θ ℓ(π, θ): the better child at every state.
func (u *duel) bayes(w []float64) float64 {
	g := u.g
	u.end.best(u.v, u.weigh(w))
	for s := g.Inner() - 1; s >= 0; s-- {
		if g.Ends(s) {
			continue
		}
		u.v[s] = math.Inf(1)
		for i := range g.P.Queries() {
			if yes, no := g.Next(s, i); yes >= 0 {
				u.v[s] = min(u.v[s], u.v[yes]+u.v[no])
			}
		}
	}
	return u.v[0]
}

// behaviour returns the policy whose flow is the average flow, [inner, |X|]: its probabilities are the average flow's
// shares, and the learner's own where no flow has come.
func (u *duel) behaviour() []float64 {
	d := u.g.P.Queries()
	probs := make([]float64, len(u.edges))
	for s := range u.g.Inner() {
		row := probs[s*d : (s+1)*d]
		copy(row, u.edges[s*d:(s+1)*d])
		if floats.Sum(row) <= 0 {
			copy(row, u.asker.row(s))
		}
		floats.Scale(1/floats.Sum(row), row)
	}
	return probs
}
