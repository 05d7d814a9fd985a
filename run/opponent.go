package run

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"mapo/adversary"
	"mapo/game"
	"mapo/rng"
)

// Opponent makes the adversary that one training plays against: that of π_k with its level alone, that of π̂ with all levels.
// It is called once for each training, and again where one resumes from a checkpoint; trainings run side by side.
type Opponent func(adversary.Setting) adversary.Adversary

// oppose gives the training a fresh adversary where the process has its own. Bayes-LAL has a prior in its place.
func (t *training) oppose() error {
	if t.opponent == nil || t.in.Bayes {
		return nil
	}
	if t.task.Finite != nil {
		return errors.New("run: an adversary of the caller's proposes instances itself, and the spec restricts them: remove the key instances")
	}
	a := t.opponent(t.task.Setting())
	if a == nil {
		return errors.New("run: the function that makes adversaries returned nil")
	}
	t.guard = &guard{Adversary: a, p: t.task.P}
	t.task.Adversary = t.guard
	return nil
}

// Hardest returns the adversary's.
func (g *guard) Hardest(n int) [][]float64 { return adversary.Hardest(g.Adversary, n) }

// outside is how far from an admitted instance one may lie: the edge of Θ, and rounding.
const outside = game.Edge + 1e-6

// guard checks the instances of a user's adversary.
type guard struct {
	adversary.Adversary
	p     *game.Problem
	fault error // the first
}

// Draw replaces an instance that no answers have. The training ends then.
func (g *guard) Draw(b *adversary.Batch, key rng.Key) {
	g.Adversary.Draw(b, key)
	for theta := range slices.Chunk(b.Theta, g.p.Queries()) {
		nearest := slices.Clone(theta)
		g.p.Admit(nearest)
		i := slices.IndexFunc(theta, func(v float64) bool { return math.IsNaN(v) })
		for j, v := range theta {
			if i < 0 && !(math.Abs(v-nearest[j]) <= outside) {
				i = j
			}
		}
		if i < 0 {
			continue
		}
		if g.fault == nil {
			g.fault = fmt.Errorf("run: the adversary drew an instance that answers cannot have: its mean at query %d (%q) is %g; move instances to where they may be by Problem.Admit", i, g.p.X[i], theta[i])
		}
		clear(theta)
		g.p.Admit(theta)
	}
}
