package exact

import "mapo/game"

// Values is what a policy can expect on one instance, state by state.
type Values struct {
	G     *Game
	Probs []float64 // π_i(s), [inner, |X|]
	Reach []float64 // P(s | π, θ) = q_π(s)·L_θ(s), [states]
	V     []float64 // expected loss from s on, [states]; V[0] = ℓ(π, θ)
	Q     []float64 // the same when s asks i next, 0 where it may not or games end, [inner, |X|]
}

// Value works out Q(s, i) = p_i V(s, yes) + (1−p_i) V(s, no) with
// p_i = (1+θ_i)/2 and V(s) = Σ_i π_i(s) Q(s, i). Costs O(states·d).
func (g *Game) Value(policy game.Policy, loss game.Loss, theta []float64) *Values {
	return g.ValueOf(g.Probs(policy), loss, theta)
}

// ValueOf computes Value for the policy with the given probabilities, [inner, |X|].
func (g *Game) ValueOf(probs []float64, loss game.Loss, theta []float64) *Values {
	d := g.P.Queries()
	f := g.FlowOf(probs)
	v := &Values{G: g, Probs: probs, Reach: f.Q, V: make([]float64, g.States()), Q: make([]float64, g.Inner()*d)}
	in, like := g.P.Instance(theta), g.likelihood(theta)
	for s := range v.Reach {
		v.Reach[s] *= like.of(g.row(s))
	}
	for _, s := range g.final {
		v.V[s] = loss.Of(in, g.Decision(s))
	}
	for s := g.Inner() - 1; s >= 0; s-- {
		if g.Ends(s) {
			continue
		}
		for i := range d {
			yes, no := g.Next(s, i)
			if yes < 0 {
				continue
			}
			q := (1+theta[i])/2*v.V[yes] + (1-theta[i])/2*v.V[no]
			v.Q[s*d+i] = q
			v.V[s] += probs[s*d+i] * q
		}
	}
	return v
}

// AddLogits adds scale·∂ℓ(π, θ)/∂logit_i(s) to dst, [inner, |X|], for a policy
// whose rows are softmaxes of logits: P(s | π, θ)·π_i(s)·(Q(s, i) − V(s)), what
// Eq. 11 estimates.
func (v *Values) AddLogits(dst []float64, scale float64) {
	d := v.G.P.Queries()
	for s := range v.G.Inner() {
		if v.G.Ends(s) {
			continue
		}
		for i := range d {
			at := s*d + i
			dst[at] += scale * v.Reach[s] * v.Probs[at] * (v.Q[at] - v.V[s])
		}
	}
}

// Rollout is one way a game can go. Its slices are valid until the function
// they are given to returns.
type Rollout struct {
	Asked  []int     // the query of each step, [t]; t is T unless the game stops
	Answer []int     // ±1, [t]
	State  []int     // the state before each step and the final one, [t+1]
	N, S   []float32 // final counts and sums, [|X|]
	Policy float64   // Π_t π(asked_t | s_t)
	Theta  float64   // Π_t P(answer_t | θ); 0 for answers impossible at |θ_i| = 1
}

// P returns the rollout's probability.
func (r *Rollout) P() float64 { return r.Policy * r.Theta }

// Each visits every rollout that policy can take, also those whose answers are
// impossible under θ (Theta is then 0): (2d)^T of them, so meant for d = T = 3.
// Over all visited, P sums to 1.
func (g *Game) Each(policy game.Policy, theta []float64, visit func(r *Rollout)) {
	d, budget := g.P.Queries(), g.P.T
	w := walk{g: g, probs: g.Probs(policy), theta: theta, visit: visit, r: Rollout{
		Asked: make([]int, 0, budget), Answer: make([]int, 0, budget), State: make([]int, 1, budget+1),
		N: make([]float32, d), S: make([]float32, d),
	}}
	w.step(0, 1, 1)
}

type walk struct {
	g            *Game
	probs, theta []float64
	visit        func(*Rollout)
	r            Rollout
}

func (w *walk) step(t int, policy, theta float64) {
	r := &w.r
	s := r.State[t]
	if w.g.Ends(s) {
		w.g.counts(r.N, r.S, s)
		r.Policy, r.Theta = policy, theta
		w.visit(r)
		return
	}
	for i, v := range w.theta {
		p := w.probs[s*len(w.theta)+i]
		if p == 0 {
			continue
		}
		yes, no := w.g.Next(s, i)
		w.answer(t, i, 1, yes)
		w.step(t+1, policy*p, theta*(1+v)/2)
		w.answer(t, i, -1, no)
		w.step(t+1, policy*p, theta*(1-v)/2)
	}
}

// answer makes that of step t the last of the rollout.
func (w *walk) answer(t, query, answer, next int) {
	r := &w.r
	r.Asked, r.Answer, r.State = append(r.Asked[:t], query), append(r.Answer[:t], answer), append(r.State[:t+1], next)
}
