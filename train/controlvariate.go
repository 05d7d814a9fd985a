package train

import (
	"mapo/adversary"
	"mapo/sim"
)

// criticMemory is the share an iteration takes in the running moments.
const criticMemory = .05

// critic sees θ. What it foretells, sim.Luck's lines, is learnt from the games as they
// are played, and takes from each loss what chance gave or took: in Eq. 11 step t's
// ∇ log π is multiplied by what the loss is without the luck of later steps, and what the
// critic knows of all queries at t needs none to be drawn. An instance's mean loss is
// taken without luck, too. None of this moves an expectation.
type critic struct {
	t       *Task
	running []sim.Moments // running moments, [T]; none before the first games
	moments []sim.Moments // of the iteration's games, [T]
	lines   sim.Lines     // what the running ones foretell
}

// foretell makes the iteration's lines of what the critic has learnt of losses multiplied by scale.
func (c *critic) foretell(scale float64) {
	c.moments = grown(c.moments, c.t.P.T)
	c.lines = sim.NoLines(c.t.P)
	for t := range c.t.P.T {
		var seen sim.Moments
		if len(c.running) > 0 {
			seen = c.running[t]
		}
		ab := seen.Line()
		c.lines[t] = [2]float64{ab[0] / scale, ab[1] / scale}
	}
}

// learn takes an iteration's moments into the running ones.
func (c *critic) learn() {
	games, share := float64(c.t.Config.M*c.t.Config.L), criticMemory
	if len(c.running) == 0 {
		c.running, share = make([]sim.Moments, c.t.P.T), 1
	}
	for t, now := range c.moments {
		for i, v := range now {
			c.running[t][i] += share * (v/games - c.running[t][i])
		}
	}
}

// await readies the block's luck for instances lo … hi.
func (w *worker) await(lo, hi int) {
	e, luck := w.e, w.b.Luck
	luck.Loss, luck.Lines = e.now.Phase.Loss, e.critic.lines
	each := e.now.Phase.Scale * e.b.Scale / float64(e.t.Config.M*e.t.Config.L)
	luck.Steps.Weight = luck.Steps.Weight[:0]
	for _, by := range e.b.Importance[lo:hi] {
		luck.Steps.Weight = append(luck.Steps.Weight, each*by)
	}
}

// luck returns game g's, 0 where none is worked out.
func (w *worker) luck(g int) float64 {
	if w.b.Luck == nil {
		return 0
	}
	return w.b.Luck.Of[g]
}

// weighLuck fills in what each step's ∇ log π is multiplied by where the block's luck is known: the loss without
// that of later steps, less what sim.Steps.Pull has taken in and a baseline. It learns from the games besides;
// what states foretell of the loss is what they foretell of it without the luck behind them.
func (w *worker) weighLuck() {
	l, games, s, scale := w.e.t.Config.L, w.b.Games(), w.b.Luck.Steps, w.e.now.Phase.Scale
	w.left = append(w.left[:0], w.loss...)
	for t := len(w.states) - 1; t >= 0; t-- {
		for g := range w.left {
			w.weight[g] = w.left[g] - scale*s.After[t*games+g]
			w.left[g] -= scale * s.Luck[t*games+g]
		}
		adversary.Baseline(w.step[t*games:(t+1)*games], w.weight, l, true)
		w.moments[t] = sim.Moments{}
		for first := 0; first < games; first += l {
			w.moments[t].Take(s, t, games, first, w.left[first:first+l])
		}
	}
}
