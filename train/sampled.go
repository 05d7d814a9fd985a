package train

import (
	"context"
	"math"

	"mapo/adversary"
	"mapo/game/sim"
	"mapo/policy/nn"
)

// Sampled estimates Eq. 11 from L games on each of the batch's M instances. A worker owns blocks of whole instances: it plays
// all their steps, then makes their backward pass at once from the kept activations. Sums are made in the order of the
// blocks, so the number of workers changes no byte.
type Sampled struct {
	t         *Task
	net       nn.Net
	penalties []Penalty
	critic    *critic  // subtracts a control variate from the losses; nil: none
	per       int      // instances in a block
	crew      sim.Crew // of [worker]

	b     *adversary.Batch // of the gradient under way
	now   Moment
	ctx   context.Context
	grad  []float32
	games Games
}

// newSampled returns an estimator for a task's network.
func newSampled(t *Task, net nn.Net, penalties []Penalty) *Sampled {
	e := &Sampled{t: t, net: net, penalties: penalties, per: max(1, t.Config.network().rollouts()/t.Config.L)}
	if t.Config.critic() {
		e.critic = &critic{t: t}
	}
	return e
}

// Enter begins a phase: what the critic has learned was of another loss.
func (e *Sampled) Enter() {
	if e.critic != nil {
		*e.critic = critic{t: e.t}
	}
	for _, p := range e.penalties {
		p.Enter(e.net)
	}
}

// Gradient plays M × L rollouts. It leaves the estimate of Eq. 11 in grad and returns the losses, and Eq. 10 where the
// adversary's instances ascend.
func (e *Sampled) Gradient(ctx context.Context, grad []float32, b *adversary.Batch, now Moment) (*Games, error) {
	c, d := &e.t.Config, e.t.P.Queries()
	g := &e.games
	g.Mean, g.Variance, g.ThetaGrad = sim.Zeros(g.Mean, c.M), sim.Zeros(g.Variance, c.M), sim.Zeros(g.ThetaGrad, c.M*d)
	g.L, g.Entropy, g.Steps = c.L, 0, 0
	if e.critic != nil {
		e.critic.foretell(now.Phase.Scale)
	}
	e.b, e.now, e.grad, e.ctx = b, now, grad, ctx
	blocks := (c.M + e.per - 1) / e.per
	for len(e.crew.Workers) < sim.AtOnce(e.t.Workers, blocks) {
		e.crew.Workers = append(e.crew.Workers, newWorker(e))
	}
	if err := e.crew.Each(ctx, blocks); err != nil {
		return nil, err
	}
	g.Entropy = g.Entropy / float64(max(1, g.Steps)) / math.Log(float64(max(2, d)))
	return g, nil
}

// Learn lets the critic learn from the last gradient's games, and the penalties follow ψ.
func (e *Sampled) Learn() {
	if e.critic != nil {
		e.critic.learn()
	}
	for _, p := range e.penalties {
		p.Follow(e.net)
	}
}

// sampledState is what Sampled needs to go on.
type sampledState struct {
	Critic    []sim.Moments
	Penalties [][]float32
}

// Snapshot returns what the critic has learned and what the penalties hold.
func (e *Sampled) Snapshot() ([]byte, error) {
	var s sampledState
	if e.critic != nil {
		s.Critic = e.critic.running
	}
	for _, p := range e.penalties {
		s.Penalties = append(s.Penalties, p.Params())
	}
	return adversary.Encode(&s)
}

// Restore takes a snapshot.
func (e *Sampled) Restore(snapshot []byte) error {
	var s sampledState
	if err := adversary.Decode(snapshot, &s); err != nil {
		return err
	}
	if len(s.Critic) != 0 && (e.critic == nil || len(s.Critic) != e.t.lines()) || len(s.Penalties) != len(e.penalties) {
		return errTask
	}
	if e.critic != nil {
		e.critic.running = s.Critic
	}
	for i, p := range e.penalties {
		if len(s.Penalties[i]) != len(p.Params()) {
			return errTask
		}
		copy(p.Params(), s.Penalties[i])
	}
	return nil
}
