package exact

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"mapo/game"
)

// cells is the most final states × instances a [Set] keeps: 256 MB.
const cells = 32 << 20

// Set is a finite Θ on a game: the θ-free costs by which any policy's losses on
// all instances, and any weighted instances' values of all states, are matrix
// products. It is read-only.
type Set struct {
	G    *Game
	N    int       // instances
	cost []float64 // L_θ(s)·L_T(s, θ), [final, N]
}

// NewSet costs O(final states·|thetas|·d); an error where that is more than can
// be kept. The instances of an average follow thetas.
func (g *Game) NewSet(loss game.Loss, thetas [][]float64, average ...game.Drawn) (*Set, error) {
	if err := g.room(len(thetas) + len(average)); err != nil {
		return nil, err
	}
	return g.newSet(loss, append(drawn(thetas), average...)), nil
}

// room reports whether so many instances are more than can be kept.
func (g *Game) room(n int) error {
	if final := len(g.final); final*n > cells {
		return fmt.Errorf("%d final states × %d instances are more than the %d cells kept in memory: take a coarser grid", final, n, cells)
	}
	return nil
}

// drawn returns thetas as instances that were not drawn with a hypothesis.
func drawn(thetas [][]float64) []game.Drawn {
	out := make([]game.Drawn, len(thetas))
	for k, theta := range thetas {
		out[k] = game.Drawn{Theta: theta, Hypothesis: -1}
	}
	return out
}

// fill works out an instance.
func fill(in *game.Instance, p *game.Problem, d *game.Drawn) {
	p.Fill(in, d.Theta)
	in.Drawn = d.Hypothesis
}

func (g *Game) newSet(loss game.Loss, all []game.Drawn) *Set {
	n := len(all)
	u := &Set{G: g, N: n, cost: make([]float64, len(g.final)*n)}
	in := new(game.Instance)
	for k := range all {
		fill(in, g.P, &all[k])
		like := g.likelihood(all[k].Theta)
		for f, s := range g.final {
			u.cost[f*n+k] = like.of(g.row(s)) * loss.Of(in, g.Decision(s))
		}
	}
	return u
}

// Losses writes ℓ(π, θ) of every instance to dst, [N], for π's flow q, [states].
func (u *Set) Losses(dst, q []float64) {
	clear(dst)
	for f, s := range u.G.final {
		if q[s] != 0 {
			floats.AddScaled(dst, q[s], u.cost[f*u.N:(f+1)*u.N])
		}
	}
}

// Costs writes c_w(s) = Σ_θ w_θ L_θ(s) L_T(s, θ) of the final states to v,
// [states].
func (u *Set) Costs(v, w []float64) {
	for f, s := range u.G.final {
		v[s] = floats.Dot(u.cost[f*u.N:(f+1)*u.N], w)
	}
}

// AddLogits adds scale·Σ_θ w_θ ∂ℓ(π, θ)/∂logit_i(s) to dst, [inner, |X|], for the
// policy of f with rows that are softmaxes of logits:
//
//	q_π(s)·π_i(s)·(V(s, i) − V(s)), V(s, i) = V(s′ after yes) + V(s″ after no),
//
// V(s) = Σ_i π_i(s) V(s, i) and V = c_w at the end: Eq. 11's mean over rollouts
// and over I_m ~ w. v is scratch, [states].
func (u *Set) AddLogits(dst []float64, f *Flow, w []float64, scale float64, v []float64) {
	d := u.G.P.Queries()
	u.Costs(v, w)
	for s := u.G.Inner() - 1; s >= 0; s-- {
		if u.G.Ends(s) {
			continue
		}
		probs, to := f.Probs[s*d:(s+1)*d], dst[s*d:(s+1)*d]
		v[s] = 0
		for i, p := range probs {
			if yes, no := u.G.Next(s, i); yes >= 0 {
				v[s] += p * (v[yes] + v[no])
			}
		}
		for i, p := range probs {
			if yes, no := u.G.Next(s, i); yes >= 0 {
				to[i] += scale * f.Q[s] * p * (v[yes] + v[no] - v[s])
			}
		}
	}
}
