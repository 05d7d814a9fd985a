package train

import (
	"math"

	"mapo"
	"mapo/internal/num"
)

// The critic is a baseline that sees θ. Where game g of an instance stands before
// its query of step t, two numbers foretell its loss: what it would lose if it
// ended there, and by how much z_*(θ) leads in the scores. What a line through them
// foretells beyond the rollouts' mean is taken from the loss that multiplies step t's
// ∇ log π. Both depend on nothing the step decides, so Eq. 11's mean stays.

// criticMemory is the share an iteration takes in the running moments.
const criticMemory = .05

// moments of the two numbers u, v and the scaled loss y around an instance's
// mean: uu, uv, vv, uy, vy.
type moments [5]float64

// line is the least-squares line y ≈ a·u + b·v, a little short of it where u and v
// say nearly the same.
func (m *moments) line() (ab [2]float64) {
	uu, vv := m[0]*1.001+1e-12, m[2]*1.001+1e-12
	det := uu*vv - m[1]*m[1]
	if det <= 0 {
		return ab
	}
	return [2]float64{(m[3]*vv - m[4]*m[1]) / det, (m[4]*uu - m[3]*m[1]) / det}
}

// critic is one worker's part.
type critic struct {
	zt, zero []float32     // 𝒵 transposed, [|X|, |Z|], and no biases
	mean     []float32     // θ̂ of a step's states, [G, |X|]
	score    [][]float32   // ⟨z, θ̂⟩ of each step's different states, [T][U, |Z|]
	leader   [][]int       // the hypothesis with the largest of them, [T][U]
	top      [][]float32   // its score, [T][U]
	second   [][]float32   // and the best of the others, [T][U]
	in       mapo.Instance // the instance whose games are looked at
	tie      []int         //
	u, v     []float64     // of the games of an instance, [T, L]
	moments  []moments     // of the block, those of the adversary's games and of a prior's, [2, T]
	lines    [][2]float64  // in use, [2, T]
}

func newCritic(p *mapo.Problem, games int) *critic {
	d, n := p.Queries(), p.Hypotheses()
	c := &critic{zt: make([]float32, d*n), zero: make([]float32, n), mean: make([]float32, games*d), moments: make([]moments, 2*p.T), lines: make([][2]float64, 2*p.T)}
	for k := range n {
		for i, z := range p.Row(k) {
			c.zt[i*n+k] = z
		}
	}
	for range p.T {
		c.score = append(c.score, make([]float32, games*n))
		c.leader = append(c.leader, make([]int, games))
		c.top, c.second = append(c.top, make([]float32, games)), append(c.second, make([]float32, games))
	}
	return c
}

// see keeps the scores of step t's states.
func (c *critic) see(p *mapo.Problem, t int, s mapo.States) {
	d, n := p.Queries(), p.Hypotheses()
	mean := c.mean[:len(s.N)]
	num.Means(mean, s.S, s.N)
	states := len(s.N) / d
	score := c.score[t][:states*n]
	num.Forward(score, mean, c.zt, c.zero, states, d, n, num.Linear)
	num.Largest(c.leader[t][:states], c.top[t][:states], c.second[t][:states], score, states, n)
}

// foretell is u and v of step t's state in this row: the loss of ending there,
// and how far z_*(θ) leads, squashed into (−1, 1).
func (c *critic) foretell(loss mapo.Loss, t, row int) (u, v float64) {
	n := len(c.zero)
	score := c.score[t][row*n : (row+1)*n]
	rest := c.top[t][row]
	if c.leader[t][row] == c.in.Best {
		rest = c.second[t][row]
	}
	lead := float64(score[c.in.Best] - rest)
	return loss.Of(&c.in, c.ties(t, row)), lead / (1 + math.Abs(lead))
}

// ties are the hypotheses that a game ending in step t's state in this row recommends
// one of. They are valid until the next call.
func (c *critic) ties(t, row int) []int {
	if c.second[t][row] < c.top[t][row]-mapo.Tie {
		c.tie = append(c.tie[:0], c.leader[t][row])
		return c.tie
	}
	n := len(c.zero)
	c.tie = mapo.Recommend(c.tie[:0], c.score[t][row*n:(row+1)*n])
	return c.tie
}

// criticise fills w.step for the block's instance m, counted in it: w.weight what
// the lines foretell, as a leave-one-out mean foretells it.
func (w *worker) criticise(loss mapo.Loss, m int) {
	c, p, l := w.critic, w.r.t.P, w.r.t.Config.L
	d, games := p.Queries(), w.b.Games()
	p.Fill(&c.in, w.b.Theta[m*d:(m+1)*d])
	c.u, c.v = grown(c.u, l), grown(c.v, l)
	others := float64(l) / float64(l-1)
	believed, own := w.r.believes() && m*l >= w.prior.first, 0
	if believed {
		own = p.T
	}
	var y float64
	for _, x := range w.loss[m*l : (m+1)*l] {
		y += x / float64(l)
	}
	for t := range p.T {
		var u, v float64
		for j := range l {
			row := int(w.b.Row[t*games+m*l+j])
			c.u[j], c.v[j] = c.foretell(loss, t, row)
			if believed {
				c.u[j] = float64(w.prior.step[t][row])
			}
			u, v = u+c.u[j]/float64(l), v+c.v[j]/float64(l)
		}
		a, b := c.lines[own+t][0], c.lines[own+t][1]
		to := w.step[t*games+m*l:][:l]
		for j := range to {
			du, dv, dy := c.u[j]-u, c.v[j]-v, w.loss[m*l+j]-y
			to[j] = w.weight[m*l+j] - others*(a*du+b*dv)
			k := &c.moments[own+t]
			k[0], k[1], k[2], k[3], k[4] = k[0]+du*du, k[1]+du*dv, k[2]+dv*dv, k[3]+du*dy, k[4]+dv*dy
		}
	}
}

// learnCritic takes an iteration's moments into the running ones.
func (r *Run) learnCritic() {
	games := float64(r.t.Config.M * r.t.Config.L)
	for t := range r.moments {
		now, run := &r.moments[t], &r.s.Critic[t]
		share := criticMemory
		if r.s.Iter == 0 {
			share = 1
		}
		for i, v := range now {
			run[i] += share * (v/games - run[i])
		}
		*now = moments{}
	}
}
