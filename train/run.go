// Package train is the min player: it learns a policy network by Eq. 11 against instances that
// an adversary holds and weighs.
//
// By the double oracle, the default, the adversary has a growing set: [search.Search.Finds] adds what the
// policy does worst on (oracle.go), running means of the losses say how often each is played, and a critic takes
// chance's part off what a game lost (luck.go). Soap or Adam moves ψ ([nn.Soap]), where it pays held back by a
// magnet ([MagnetGrad]). A game that is small enough is played whole, without sampling (tiny.go). By Algorithm 2
// the adversary has weighted particles that climb by Eq. 9 and 10 (descend.go, collect.go), in Appendix D's
// phases (phases.go). Bayes-LAL has no adversary: it plays a prior. Which lever is on by default, and what each
// was measured to do, is in docs/decisions/0012.
//
// A [Task] says what is to be learned, a [Run] is a training under way, and
// [Descend] does it, one [Step] an iteration. The algorithm yields; logging,
// progress, checkpoints and early stops are the caller's loop body:
//
//	for step, err := range train.Descend(ctx, run) {
//		if err != nil { return err }
//		…                                          // show step, keep run.Snapshot()
//	}
package train

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"

	"mapo"
	"mapo/adversary"
	"mapo/complexity"
	"mapo/nn"
	"mapo/rng"
	"mapo/sim"
)

// Task is one policy to be learned. With one level and no benchmarks it is π_k
// (Eq. 4); with the ladder's levels and benchmarks it is π̂ (Eq. 5); with a Prior
// it is Bayes-LAL (App. H), which has no adversary. A Weight adds an average to
// the first two.
type Task struct {
	P      *mapo.Problem
	C      mapo.Complexity
	Loss   mapo.Loss
	R      []float64   // levels r_1 < … < r_K, [K]; π_k has its own alone
	B      []float64   // benchmarks b^(r_k), [K], in the loss's own units; nil: π_k
	Finite [][]float64 // restrict Θ to these rows, each [|X|]: particles stay, only w moves
	Prior  mapo.Prior  // train on its average instead

	Average mapo.Prior // train on its average as well, with the
	Weight  float64    // weight w: (1−w)·(worst case or gap) + w·average; in [0, 1), 0: without

	Config Config

	Key     rng.Key
	Workers int // 0: as many as the machine runs at once
}

// Games returns about how many games the task's iterations play and, where the double oracle
// searches for instances, about how many its searches play, in games of a judge.
func (t *Task) Games() (iterations, searches float64) {
	c := &t.Config
	for _, ph := range phases(t) {
		iterations += float64(ph.iters * c.M * c.L)
		if c.Algorithm == "oracle" && t.Prior == nil && t.Finite == nil {
			searches += float64((ph.iters+c.Refresh-1)/c.Refresh) * float64(refreshEffort.Games(t.R))
			searches += float64(c.Thorough) * float64(judging.Games(t.R)-judging.Alike(t.R)*4/5)
		}
	}
	return iterations, searches
}

// Run is a training under way.
type Run struct {
	t      Task
	net    nn.Net
	magnet nn.Net // that of ψ's running mean, near which the policy keeps; nil: there is none
	phases []phase
	total  int       // iterations over all phases
	lower  []float64 // oracle, regret at one level: levels below it that refreshes search too
	s      state
	tiny   *tiny // nil but where the whole game is played each iteration
	scratch
}

// state is all that a training needs to go on with the same bytes.
type state struct {
	Phase, Iter int   // the phase, and the iterations done in it
	Work        int64 // environment steps played
	Psi         []float32
	Magnet      []float32 // its running mean; none without a magnet
	Adam        *nn.Adam  // the optimiser of ψ, this
	Soap        *nn.Soap  // or this
	Particles   adversary.Particles
	Theta, W    adversary.Adam
	Rows        []int         // Adam steps each particle has had, where only drawn rows move
	Mean        []float64     // oracle: running mean loss of each instance of the set, scaled, less its benchmark, [N]
	Critic      []sim.Moments // the critic's running moments, [T]; none before the first iteration
	Lead        []float64     // oracle: what each's mean was above the mixture's, added up, in logits, [N]
	Dropped     []float64     // oracle: instances that left the set, the oldest first, [·×|X|]
	Last        []int         // oracle: the iteration each was last played, [N]
	Variance    float64       // oracle: of a game's scaled loss around its instance's mean
	Refreshed   int           // oracle: 1 + the phase's iteration of the last refresh
	Worst       float64       // training's own estimate of the worst case, a running mean
	Seen        bool          // whether Worst has begun
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
	r.enter(0)
	return r, nil
}

func prepare(t Task) (*Run, error) {
	if err := t.Config.Check(); err != nil {
		return nil, err
	}
	if err := t.Config.Suits(t.P); err != nil {
		return nil, err
	}
	if t.Prior == nil && len(t.R) == 0 {
		return nil, errors.New("train: a task needs a level or a prior")
	}
	if err := t.checkDial(); err != nil {
		return nil, err
	}
	if t.B != nil && len(t.B) != len(t.R) {
		panic(fmt.Sprintf("train: %d benchmarks, want %d", len(t.B), len(t.R)))
	}
	r := &Run{t: t, net: network(&t), phases: phases(&t)}
	r.per = perBlock(&t.Config)
	if r.oracle() && t.Config.Magnet > 0 {
		r.magnet = network(&t)
	}
	if r.oracle() && t.Loss == mapo.SimpleRegret && len(t.R) == 1 {
		r.lower = lower(t.R[0], complexity.LeastRho(t.P))
	}
	for _, ph := range r.phases {
		r.total += ph.iters
	}
	if r.total == 0 {
		return nil, errors.New("train: the configuration leaves nothing to train")
	}
	if err := r.finite(); err != nil {
		return nil, err
	}
	return r, nil
}

// Arch says what network a training of this configuration has, as [nn.Net]'s Arch.
func Arch(p *mapo.Problem, c Config) string { return network(&Task{P: p, Config: c}).Arch() }

// network is a fresh network of the kind the task asks for.
func network(t *Task) nn.Net {
	key := t.Key.Name("psi")
	if t.Config.Policy == "structured" {
		net := nn.NewStructured(t.P, t.Config.Units, key)
		switch t.Config.Start {
		case "rivals":
			net.LeanToRivals()
		case "unasked":
			net.LeanToUnasked()
		}
		return net
	}
	return nn.NewMLP(t.P, t.Config.Hidden, key)
}

// oracle reports whether the adversary is the double oracle's growing set.
func (r *Run) oracle() bool { return r.t.Config.Algorithm == "oracle" && r.t.Prior == nil }

// finite keeps the rows of a finite Θ that are within the last level.
func (r *Run) finite() error {
	if r.t.Finite == nil || r.t.Prior != nil {
		return nil
	}
	omega := mapo.Omega{C: r.t.C, R: r.t.R[len(r.t.R)-1]}
	var rows [][]float64
	for _, row := range r.t.Finite {
		if omega.Contains(row) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("train: none of the %d instances has a difficulty of at most %g", len(r.t.Finite), omega.R)
	}
	r.t.Finite = rows
	return nil
}

// Net is the policy's network; its weights move while Descend runs.
func (r *Run) Net() nn.Net { return r.net }

// Policy is the network as it is handed out: Net, or where searches look for instances a copy of it that is less sure of
// its queries, all logits times Soften. A policy that has not been trained yet is handed out as it is.
//
// Training makes a policy sure of what the games it met favour, and in instances that no search of it has found that may be
// wrong. Where the adversary's set is in balance a softer policy loses little more.
func (r *Run) Policy() nn.Net {
	if !r.oracle() || r.t.Finite != nil || r.t.Config.Soften == 1 || r.done() == 0 {
		return r.net
	}
	net := network(&r.t)
	copy(net.Params(), r.net.Params())
	nn.Soften(net, r.t.Config.Soften)
	return net
}

// Iters is the number of iterations over all phases.
func (r *Run) Iters() int { return r.total }

// Snapshot is everything needed to go on with the same bytes. It may be called
// between two steps.
func (r *Run) Snapshot() ([]byte, error) {
	r.s.Psi = r.net.Params()
	if r.magnet != nil {
		r.s.Magnet = r.magnet.Params()
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(&r.s)
	return b.Bytes(), err
}

// fits reports whether the state's parts are of the task's sizes and each other's.
func (r *Run) fits() bool {
	s, n := &r.s, r.s.Particles.N()
	all := len(s.Particles.Theta) // N·|X|
	switch {
	case len(s.Psi) != len(r.net.Params()), !r.optimizes(len(s.Psi)), r.magnet != nil && len(s.Magnet) != len(s.Psi), all != n*r.t.P.Queries():
		return false
	case s.Phase < 0, s.Phase > len(r.phases), s.Iter < 0, s.Phase < len(r.phases) && s.Iter >= r.phases[s.Phase].iters:
		return false
	case len(s.Critic) != 0 && len(s.Critic) != r.t.P.T:
		return false
	case r.t.Prior != nil:
		return n == 0
	case r.oracle():
		return len(s.Mean) == n && len(s.Lead) == n && len(s.Last) == n && len(s.Dropped)%r.t.P.Queries() == 0
	}
	return len(s.Rows) == n && s.Theta.Fits(all) && s.W.Fits(n)
}

// Resume goes on from a snapshot of the same task.
func Resume(t Task, snapshot []byte) (*Run, error) {
	r, err := prepare(t)
	if err != nil {
		return nil, err
	}
	if err := gob.NewDecoder(bytes.NewReader(snapshot)).Decode(&r.s); err != nil {
		return nil, fmt.Errorf("train: read the checkpoint: %w", err)
	}
	if !r.fits() {
		return nil, errors.New("train: the checkpoint is of another task")
	}
	copy(r.net.Params(), r.s.Psi)
	if r.magnet != nil {
		copy(r.magnet.Params(), r.s.Magnet)
	}
	if r.s.Phase < len(r.phases) {
		r.tiny = r.newTiny(r.phases[r.s.Phase])
	}
	return r, nil
}
