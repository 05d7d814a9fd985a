package train

import (
	"errors"
	"fmt"

	"mapo/adversary"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/train/optim"
)

// Task is one policy to be learned. With one level and no benchmarks it is π_k
// (Eq. 4); with the ladder's levels and benchmarks it is π̂ (Eq. 5); with a Prior
// it is Bayes-LAL (App. H), which has no adversary. A Weight adds an average to
// the first two.
type Task struct {
	P      *game.Problem
	C      game.Difficulty
	Loss   game.Loss
	R      []float64   // levels r_1 < … < r_K, [K]; π_k has its own alone
	B      []float64   // benchmarks b^(r_k), [K], in the loss's own units; nil: π_k
	Finite [][]float64 // restrict Θ to these rows, each [|X|]: particles stay, only w moves
	Prior  game.Prior  // train on its average instead

	Average game.Prior // train on its average as well, with the
	Weight  float64    // weight w: (1−w)·(worst case or gap) + w·average; in [0, 1), 0: without

	Decider game.Decider // what the policy recommends by; nil: least squares
	Stopper game.Stopper // ends games early, in training as where it is judged; nil: they have all their answers

	Adversary adversary.Adversary // plays in place of the algorithm's own; nil: that one

	Config Config

	Key     rng.Key
	Workers int // 0: as many as the machine runs at once
}

// Iterations returns how many the task's training has.
func (t *Task) Iterations() (n int) {
	for _, ph := range t.Config.algorithm().phases(t) {
		n += ph.Iters
	}
	return n
}

// Run is a training under way.
type Run struct {
	t      Task
	net    nn.Net
	policy game.Policy // net's
	phases []phase
	total  int     // iterations over all phases
	soften float64 // what the logits of the policy handed out are multiplied by
	parts
	optimizer optim.Optimizer
	s         state

	batch adversary.Batch
	grad  []float32 // Eq. 11, as the network's parameters
}

// New begins a training, from warm's weights where given.
func New(t Task, warm nn.Net) (*Run, error) {
	r, err := prepare(t)
	if err != nil {
		return nil, err
	}
	if warm != nil {
		if warm.Arch() != r.net.Arch() {
			return nil, fmt.Errorf("train: cannot start a %s from the weights of a %s", r.net.Arch(), warm.Arch())
		}
		copy(r.net.Params(), warm.Params())
	}
	r.newOptimizer()
	return r, r.enter(0)
}

// prepare checks a task and makes the parts of its training.
func prepare(t Task) (*Run, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	algorithm := t.Config.algorithm()
	r := &Run{t: t, net: t.fresh(), phases: algorithm.phases(&t), total: t.Iterations()}
	r.policy = nn.Policy(t.P, r.net)
	if t.Decider != nil {
		r.policy = game.Deciding(r.policy, t.Decider)
	}
	r.policy = game.Stopping(r.policy, t.Stopper)
	r.batch.Drawn = t.P.Alone(make([]int, t.Config.M))
	if r.total == 0 {
		return nil, errors.New("train: the configuration leaves nothing to train")
	}
	if err := r.t.finite(); err != nil {
		return nil, err
	}
	r.soften = algorithm.soften(&r.t)
	r.parts = algorithm.parts(&r.t, r.net)
	r.grad = make([]float32, len(r.net.Params()))
	return r, nil
}

// check finds what no training can be made of.
func (t *Task) check() error {
	if err := t.Config.Check(); err != nil {
		return err
	}
	if err := t.Config.Suits(t.P); err != nil {
		return err
	}
	if t.Prior == nil && t.Adversary == nil && len(t.R) == 0 {
		return errors.New("train: a task needs a level, a prior or an adversary")
	}
	if t.B != nil && len(t.B) != len(t.R) {
		panic(fmt.Sprintf("train: %d benchmarks, want %d", len(t.B), len(t.R)))
	}
	switch {
	case t.Adversary != nil && (t.Prior != nil || t.Finite != nil):
		panic("train: an adversary of one's own takes the place of a prior and of given instances")
	case !(t.Weight >= 0 && t.Weight < 1):
		panic(fmt.Sprintf("train: the average has the weight %v, want 0 ≤ w < 1", t.Weight))
	case t.Weight == 0:
		return nil
	case t.Average == nil || t.Prior != nil:
		panic("train: a weighted average needs its prior and an adversary")
	case t.Config.M < 2:
		return errors.New("train: M is 1; an objective with an average needs at least 2 instances an iteration: raise M")
	}
	return nil
}

// finite keeps the rows of a finite Θ that are within the last level.
func (t *Task) finite() error {
	if t.Finite == nil || t.Prior != nil {
		return nil
	}
	omega := game.Omega{C: t.C, R: t.R[len(t.R)-1]}
	var rows [][]float64
	for _, row := range t.Finite {
		if omega.Contains(row) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("train: none of the %d instances has a difficulty of at most %g", len(t.Finite), omega.R)
	}
	t.Finite = rows
	return nil
}

// Net returns the policy's network; its weights move while Descend runs.
func (r *Run) Net() nn.Net { return r.net }

// Policy returns the network as it is handed out: Net, or where searches look for instances a copy of it whose logits are
// multiplied by Soften, so that it is less sure of its queries. A policy that has not been trained yet is handed out as it is.
//
// Training makes a policy sure of what the games it met favour, and in instances that no search of it has found that may be
// wrong. Where the adversary's set is in balance a softer policy loses little more.
func (r *Run) Policy() nn.Net {
	if r.soften == 1 || r.done() == 0 {
		return r.net
	}
	net := r.t.fresh()
	copy(net.Params(), r.net.Params())
	nn.Soften(net, r.soften)
	return net
}

// Hardest returns up to n instances that the adversary holds and the policy loses most on, as training sees it, the worst
// first: starts for a judge's search. It returns none where the adversary does not know what its instances lose.
func (r *Run) Hardest(n int) [][]float64 { return adversary.Hardest(r.adversary, n) }
