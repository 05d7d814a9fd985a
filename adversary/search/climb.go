package search

import (
	"math"
	"slices"

	"mapo/game"
	"mapo/game/sim"
	"mapo/rng"
)

// trial is an instance under way.
type trial struct {
	theta []float64 // [|X|]
	rho   float64   // 𝒞(θ)
	level int       // the level it is held to
	mean  float64   // ℓ(π, θ) as estimated last
	games int       // how many games that rests on
	sum   sim.Sum   // of its re-play
}

func (t *trial) clone() *trial {
	c := *t
	c.theta = slices.Clone(t.theta)
	return &c
}

// pool adds games of that mean to those that t's mean rests on.
func (t *trial) pool(mean float64, games int) {
	t.mean += float64(games) / float64(games+t.games) * (mean - t.mean)
	t.games += games
}

// blockGames is how many games a worker plays in step.
const blockGames = 256

// The memories of the ascent's moments: shorter than in training, as a climb has
// a dozen steps.
const (
	climbBeta1 = 0.7
	climbBeta2 = 0.9
)

// climb lets every trial take the rung's steps. A worker takes a block of
// trials through all steps, so workers do not wait for each other. A trial's mean is
// then that over the later half of its steps, when it moved little.
func (h *hunt) climb(ts []*trial, rung Rung, key rng.Key) error {
	h.count(len(ts) * rung.Steps * rung.Games)
	per := max(1, blockGames/rung.Games)
	return each(h, ts, per, func() *climber { return newClimber(h) }, func(c *climber, lo int, ts []*trial) { c.run(ts, rung, key, lo) })
}

// climber is a worker's scratch.
type climber struct {
	h             *hunt
	b             sim.Block
	direct        []float64 // Σ_l ∇_θ L_T, [M, |X|]
	grad, try     []float64 // [|X|]
	first, second []float64 // moments of grad, [M, |X|]

	answer game.Answer
	scorer *game.Scorer
	scores []float32 // [|Z|]
}

func newClimber(h *hunt) *climber {
	c := &climber{h: h, answer: h.P.Answer(), grad: make([]float64, h.d), try: make([]float64, h.d), scorer: game.NewScorer(h.P), scores: make([]float32, h.P.Hypotheses())}
	c.b.P, c.b.Decider, c.b.Stopper = h.P, game.DeciderOf(h.P, h.Policy), game.StopperOf(h.Policy)
	return c
}

func (c *climber) run(ts []*trial, rung Rung, key rng.Key, m0 int) {
	h, d, l := c.h, c.h.d, rung.Games
	c.b.L = l
	c.first, c.second = sim.Zeros(c.first, len(ts)*d), sim.Zeros(c.second, len(ts)*d)
	late := make([]sim.Sum, len(ts))
	for step := range rung.Steps {
		c.b.Theta = c.b.Theta[:0]
		for _, t := range ts {
			c.b.Theta = append(c.b.Theta, t.theta...)
		}
		if c.b.Play(h.ctx, h.Policy, key.At(step), m0) != nil {
			return
		}
		c.direct = sim.Zeros(c.direct, len(ts)*d)
		c.b.Judge(h.Loss, c.direct)
		rate := rung.rate(step)
		for m, t := range ts {
			if 2*step >= rung.Steps {
				for _, x := range c.b.Loss[m*l : (m+1)*l] {
					late[m].Add(x)
				}
			}
			if rung.Margin > 0 && (m0+m)%marginTrials == 0 {
				c.byMargin(m, rung.Margin)
			} else {
				c.gradient(m)
			}
			c.step(t, m, m0+m, step, rate)
		}
	}
	for m, t := range ts {
		if late[m].N > 0 {
			t.mean, t.games = late[m].Mean(), late[m].N
		}
	}
}

// rate returns the size of step i, falling geometrically from From to To.
func (r Rung) rate(i int) float64 {
	if r.Steps < 2 {
		return r.From
	}
	return r.From * math.Pow(r.To/r.From, float64(i)/float64(r.Steps-1))
}

// gradient puts the estimate of ∇_θ ℓ(π, θ) of the block's instance m into
// c.grad (Eq. 10 with the leave-one-out baseline, reading 18). After N_i answers that
// sum to S_i
//
//	∂ log P/∂θ_i = (S_i − N_i θ_i)/Var(θ_i), with Var(θ_i) = 1−θ_i² of answers ±1.
//
// The factor 1/Var(θ_i) is left out: with it the noise near the box's faces
// drowns the rest. It changes no sign, and a step is normalised anyway.
func (c *climber) gradient(m int) {
	d, l := c.h.d, c.b.L
	loss := c.b.Loss[m*l : (m+1)*l]
	var mean float64
	for _, x := range loss {
		mean += x
	}
	mean /= float64(l)
	theta := c.b.Theta[m*d : (m+1)*d]
	for i, v := range theta {
		c.grad[i] = c.direct[m*d+i] / float64(l) * max(.05, c.answer.Variance(v))
	}
	for g, x := range loss {
		if x == mean {
			continue
		}
		w := float32((x - mean) / float64(max(1, l-1)))
		at := (m*l + g) * d
		n, s := c.b.N[at:at+d], c.b.S[at:at+d]
		for i, v := range theta {
			c.grad[i] += float64(w * (s[i] - n[i]*float32(v)))
		}
	}
}

// marginTrials is one in how many trials climbs by the margin where a rung has one.
const marginTrials = 3

// marginFloor is the least weight of a game in [climber.byMargin]: games that are won or lost by far still say where to go.
const marginFloor = 0.02

// byMargin puts the gradient of a smooth stand-in for the loss of the block's instance m into c.grad. It is the mean over games
// of 1/(1 + exp(lead/scale)). The lead is by how much z_*(θ) is ahead of the best other hypothesis in the scores of
// [game.LeastSquares]. The queries asked are held fixed, and answers count as their means, so that
//
//	∂ lead/∂θ_i = z_*i − z_i for each query i that was asked.
//
// It has hardly any noise, where that of the loss is mostly noise from as few games, above all where nearly all games are won.
// But it does not see that other answers lead a policy to other queries: the loss's own gradient does.
func (c *climber) byMargin(m int, scale float64) {
	h, d, l := c.h, c.h.d, c.b.L
	var in game.Instance
	h.P.Fill(&in, c.b.Theta[m*d:(m+1)*d])
	clear(c.grad)
	best := h.P.Row(in.Best)
	for g := m * l; g < (m+1)*l; g++ {
		n, s := c.b.N[g*d:(g+1)*d], c.b.S[g*d:(g+1)*d]
		c.scorer.Score(c.scores, n, s)
		own := c.scores[in.Best]
		c.scores[in.Best] = float32(math.Inf(-1))
		other := 0
		for k, v := range c.scores {
			if v > c.scores[other] {
				other = k
			}
		}
		lost := 1 / (1 + math.Exp(float64(own-c.scores[other])/scale))
		w := lost*(1-lost) + marginFloor
		z := h.P.Row(other)
		for i, times := range n {
			if times > 0 {
				c.grad[i] += w * float64(z[i]-best[i])
			}
		}
	}
}

// step moves t, the number-th of its rung, by c.grad and projects it; a step that
// cannot be projected is not taken.
func (c *climber) step(t *trial, m, number, step int, rate float64) {
	h, d := c.h, c.h.d
	first, second := c.first[m*d:(m+1)*d], c.second[m*d:(m+1)*d]
	rule := h.effort.schedule().rule(number)
	beta1, beta2 := rule.beta1, rule.beta2
	var norm float64
	for i, g := range c.grad {
		first[i] = beta1*first[i] + (1-beta1)*g
		second[i] = beta2*second[i] + (1-beta2)*g*g
		norm += first[i] * first[i]
	}
	fix := rule.fix(step)
	norm = math.Sqrt(norm/float64(d)) + 1e-12
	for i, v := range t.theta {
		by := first[i] / norm
		if rule.adam {
			by = fix * first[i] / (math.Sqrt(second[i]) + 1e-9)
		}
		c.try[i] = v + rate*max(-3, min(3, by))
	}
	if rho, ok := project(h.shape, h.C, c.try, h.Levels[t.level], c.grad); ok {
		copy(t.theta, c.try)
		t.rho = rho
	}
}
