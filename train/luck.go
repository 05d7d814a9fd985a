package train

import (
	"mapo"
	"mapo/adversary"
	"mapo/sim"
)

// The critic sees θ. What it foretells, sim.Luck's lines, is learnt from the games as they
// are played, and takes from each loss what chance gave or took: in Eq. 11 step t's
// ∇ log π is multiplied by what the loss is without the luck of later steps, and what the
// critic knows of all queries at t needs none to be drawn. An instance's mean loss is
// taken without luck, too. None of this moves an expectation.

// criticMemory is the share an iteration takes in the running moments.
const criticMemory = .05

// foretell makes the iteration's lines of what the critic has learnt of scaled losses.
func (r *Run) foretell(scale float64) {
	if len(r.s.Critic) == 0 {
		r.s.Critic = make([]sim.Moments, r.t.P.T)
	}
	r.moments = grown(r.moments, r.t.P.T)
	r.lines = sim.NoLines(r.t.P)
	for t := range r.s.Critic {
		ab := r.s.Critic[t].Line()
		r.lines[t] = [2]float64{ab[0] / scale, ab[1] / scale}
	}
}

// learnCritic takes an iteration's moments into the running ones.
func (r *Run) learnCritic() {
	games, share := float64(r.t.Config.M*r.t.Config.L), criticMemory
	if r.s.Iter == 0 {
		share = 1
	}
	for t, now := range r.moments {
		for i, v := range now {
			r.s.Critic[t][i] += share * (v/games - r.s.Critic[t][i])
		}
	}
}

// await readies the block's luck for instances lo … hi, factor being what a loss is multiplied by in Eq. 11.
func (w *worker) await(loss mapo.Loss, lo, hi int, factor float64) {
	r, luck := w.r, w.b.Luck
	luck.Loss, luck.Lines = loss, r.lines
	each := factor / float64(r.t.Config.M*r.t.Config.L)
	luck.Steps.Weight = luck.Steps.Weight[:0]
	for _, by := range r.importance[lo:hi] {
		luck.Steps.Weight = append(luck.Steps.Weight, each*by)
	}
}

// luck is game g's, 0 where none is worked out.
func (w *worker) luck(g int) float64 {
	if w.b.Luck == nil {
		return 0
	}
	return w.b.Luck.Of[g]
}

// weighLuck fills in what each step's ∇ log π is multiplied by where the block's luck is known: the loss without
// that of later steps, less what sim.Steps.Pull has taken in and a baseline. It learns from the games besides;
// what states foretell of the loss is what they foretell of it without the luck behind them.
func (w *worker) weighLuck(scale float64) {
	l, games, s := w.r.t.Config.L, w.b.Games(), w.b.Luck.Steps
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
