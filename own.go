package mapo

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"mapo/game"
	"mapo/game/play"
	"mapo/policy/decision"
)

// With returns a policy of your own at work on the table: it plays games, and worst cases are measured of it. It asks about the
// queries of [Table.Problem]. Where it is a [game.Decider], it recommends, too; else the spec's decision: does, or least squares:
// the row that is nearest to the answers. Package mapo/policy/decision has others. Games end as the table's do, by stop:.
//
// What it answers is checked: With asks about the first state of a game, and a distribution that is not one ends a game or a
// search with an error. It must be a pure function of the state and may be called concurrently.
func (t *Table) With(policy game.Policy) (*Policy, error) {
	switch {
	case t.spec == nil:
		return nil, errTable
	case policy == nil:
		return nil, errors.New("mapo: the policy is nil")
	case game.StopperOf(policy) != nil:
		return nil, errors.New("mapo: the policy ends games itself (it has the method Stop): write stop: into the spec instead, such as stop: {confidence: 0.95}")
	}
	p := t.spec.Problem
	by, ok := policy.(game.Decider)
	if !ok {
		var err error
		if by, err = decision.New(p, t.spec.Loss, cmp.Or(t.spec.Decision, decision.LeastSquares)); err != nil {
			return nil, err
		}
	}
	o := &own{Decider: by, p: p, policy: policy}
	d := p.Queries()
	if err := o.Ask(make([]float32, d), game.States{N: make([]float32, d), S: make([]float32, d)}); err != nil {
		return nil, err
	}
	return t.policy(o)
}

// own is a policy of the user's, whose answers are checked.
type own struct {
	game.Decider
	p      *game.Problem
	policy game.Policy
	fail   func(error) // is told why there is no answer; nil: it is not
}

// telling returns the policy with another function that is told of faults.
func (o *own) telling(fail func(error)) *own {
	with := *o
	with.fail = fail
	return &with
}

// Ask does what Probs does, and returns why what the policy says is not a distribution. It makes own a [play.Asker].
func (o *own) Ask(dst []float32, s game.States) error {
	clear(dst)
	if asker, ok := o.policy.(play.Asker); ok {
		if err := asker.Ask(dst, s); err != nil {
			return err
		}
	} else {
		o.policy.Probs(dst, s)
	}
	d := o.p.Queries()
	for b := range s.Len(d) {
		if err := o.check(dst[b*d:(b+1)*d], s.Row(b, d).Mask); err != nil {
			return err
		}
	}
	return nil
}

// Probs asks the policy. Where it has no answer, fail is told, and what is played does not count: it is uniform.
func (o *own) Probs(dst []float32, s game.States) {
	err := o.Ask(dst, s)
	if err == nil {
		return
	}
	if o.fail != nil {
		o.fail(err)
	}
	d := o.p.Queries()
	for b := range s.Len(d) {
		game.UniformOver(dst[b*d:(b+1)*d], nil, s.Row(b, d).Mask)
	}
}

// offSum is how far from 1 probabilities in float32 may sum.
const offSum = 1e-3

// check reports why a row is not a distribution over the queries that may be asked.
func (o *own) check(row []float32, mask []bool) error {
	sum := 0.0
	for i, v := range row {
		switch {
		case !(v >= 0) || math.IsInf(float64(v), 0):
			return fmt.Errorf("mapo: the policy asks query %d (%q) with the probability %v; it must be from 0 to 1", i, o.p.X[i], v)
		case v > 0 && mask != nil && mask[i]:
			return fmt.Errorf("mapo: the policy asks query %d (%q) with the probability %v, and the state's mask says that it may not be asked: give it 0", i, o.p.X[i], v)
		}
		sum += float64(v)
	}
	if math.Abs(sum-1) > offSum {
		return fmt.Errorf("mapo: the policy's probabilities sum to %g in one state; they must sum to 1", sum)
	}
	return nil
}
