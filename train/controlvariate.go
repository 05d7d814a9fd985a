package train

import (
	"mapo/adversary"
	"mapo/game/sim"
)

// criticMemory is the share an iteration takes in the running moments.
const criticMemory = .05

// critic subtracts a control variate from each game's loss (AIVAT; Burch et al. 2018). It sees θ: it learns lines that
// predict a game's loss from its state, as the games are played (sim.ControlVariate). In Eq. 11 step t's ∇ log π is multiplied by the
// loss less the control variate of later steps. What the critic knows of all queries at t needs none of them to be drawn. An
// instance's mean loss has the control variate subtracted, too. Expectations stay as they are.
type critic struct {
	t       *Task
	running []sim.Moments // running moments, [Task.lines]; none before the first games
	moments []sim.Moments // of the iteration's games, the same
	lines   sim.Lines     // what the running ones foretell
}

// lines returns how many lines are learned: those of the states of 0 … T−1 answers, and the last one too where another decision
// than least squares makes the loss of a finished game.
func (t *Task) lines() int {
	if t.Decider != nil {
		return t.P.T + 1
	}
	return t.P.T
}

// foretell makes the iteration's lines from the running moments of losses multiplied by scale.
func (c *critic) foretell(scale float64) {
	c.moments = sim.Zeros(c.moments, c.t.lines())
	c.lines = sim.NoLines(c.t.P)
	for t := range c.running {
		ab := c.running[t].Line()
		c.lines[t] = [2]float64{ab[0] / scale, ab[1] / scale}
	}
}

// learn takes an iteration's moments into the running ones.
func (c *critic) learn() {
	games, share := float64(c.t.Config.M*c.t.Config.L), criticMemory
	if len(c.running) == 0 {
		c.running, share = make([]sim.Moments, c.t.lines()), 1
	}
	for t, now := range c.moments {
		for i, v := range now {
			c.running[t][i] += share * (v/games - c.running[t][i])
		}
	}
}

// await readies the block's control variate for instances lo … hi.
func (w *worker) await(lo, hi int) {
	e, v := w.e, w.b.Variate
	v.Loss, v.Lines = e.now.Phase.Loss, e.critic.lines
	each := e.now.Phase.Scale * e.b.Scale / float64(e.t.Config.M*e.t.Config.L)
	v.Steps.Weight = v.Steps.Weight[:0]
	for _, by := range e.b.Importance[lo:hi] {
		v.Steps.Weight = append(v.Steps.Weight, each*by)
	}
}

// variate returns the control variate of game g, 0 without a critic.
func (w *worker) variate(g int) float64 {
	if w.b.Variate == nil {
		return 0
	}
	return w.b.Variate.Of[g]
}

// weighVariate fills in what each step's ∇ log π is multiplied by: the loss less the control variate of later steps, less what
// sim.Steps.Pull has taken in, less a baseline. It also adds the games to the block's moments. A state predicts the loss
// less the control variate of the steps before it.
func (w *worker) weighVariate() {
	l, games, s, scale := w.e.t.Config.L, w.b.Games(), w.b.Variate.Steps, w.e.now.Phase.Scale
	w.left = append(w.left[:0], w.loss...)
	if end := len(w.states); end < len(w.moments) {
		w.takeIn(end)
	}
	for t := len(w.states) - 1; t >= 0; t-- {
		for g := range w.left {
			w.weight[g] = w.left[g] - scale*s.After[t*games+g]
			w.left[g] -= scale * s.Variate[t*games+g]
		}
		adversary.Baseline(w.step[t*games:(t+1)*games], w.weight, l, true)
		w.takeIn(t)
	}
}

// takeIn makes the block's moments of the states of t answers, which predict what is left of the losses.
func (w *worker) takeIn(t int) {
	l, games := w.e.t.Config.L, w.b.Games()
	w.moments[t] = sim.Moments{}
	for first := 0; first < games; first += l {
		w.moments[t].Take(w.b.Variate.Steps, t, games, first, w.left[first:first+l])
	}
}
