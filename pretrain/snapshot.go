package pretrain

import (
	"context"
	"errors"

	"mapo/adversary"
	"mapo/train"
	"mapo/train/optim"
)

// state is all that a pretraining needs to go on with the same bytes.
type state struct {
	Step      int
	Due       bool // a comparison follows it
	Psi       []float32
	Optimizer []byte
	Members   [][]byte // each problem's training
}

// errTask is the fault of a snapshot of another configuration.
var errTask = errors.New("pretrain: the checkpoint is of another family or configuration")

// Snapshot returns everything needed to go on with the same bytes. It may be called between two steps, and takes some 100 KB a problem.
func (r *Run) Snapshot() ([]byte, error) {
	optimizer, err := adversary.Encode(r.optimizer)
	if err != nil {
		return nil, err
	}
	s := state{Step: r.step, Due: r.due, Psi: r.psi, Optimizer: optimizer}
	for _, m := range r.members {
		one, err := m.run.Snapshot()
		if err != nil {
			return nil, err
		}
		s.Members = append(s.Members, one)
	}
	return adversary.Encode(&s)
}

// Resume continues a pretraining from a snapshot of the same configuration.
func Resume(ctx context.Context, c Config, workers int, snapshot []byte) (*Run, error) {
	r, err := New(ctx, c, workers)
	if err != nil {
		return nil, err
	}
	var s state
	if err := adversary.Decode(snapshot, &s); err != nil {
		return nil, err
	}
	if len(s.Psi) != len(r.psi) || len(s.Members) != len(r.members) || s.Step < 0 || s.Step > c.Steps {
		return nil, errTask
	}
	r.step, r.due = s.Step, s.Due
	copy(r.psi, s.Psi)
	if r.optimizer, err = optim.Load("adam", r.net, s.Optimizer); err != nil {
		return nil, err
	}
	if err := r.each(ctx, len(r.members), func(i int) (err error) {
		m := &r.members[i]
		m.run, err = train.Resume(m.task, s.Members[i])
		return err
	}); err != nil {
		return nil, err
	}
	return r, nil
}
