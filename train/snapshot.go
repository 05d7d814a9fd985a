package train

import (
	"errors"

	"mapo/adversary"
	"mapo/train/optim"
)

// state is all that a training needs to go on with the same bytes. Each part keeps its own.
type state struct {
	Phase, Iter int   // the phase, and the iterations done in it
	Work        int64 // environment steps played

	Psi       []float32
	Optimizer []byte
	Adversary []byte
	Estimator []byte
}

// errTask is the fault of a checkpoint whose parts are not of the task's sizes and each other's.
var errTask = errors.New("train: the checkpoint is of another task")

// Snapshot returns everything needed to go on with the same bytes. It may be called between two steps.
func (r *Run) Snapshot() ([]byte, error) {
	r.s.Psi = r.net.Params()
	for _, part := range []struct {
		to   *[]byte
		save func() ([]byte, error)
	}{
		{&r.s.Optimizer, func() ([]byte, error) { return adversary.Encode(r.optimizer) }},
		{&r.s.Adversary, r.adversary.Snapshot},
		{&r.s.Estimator, r.estimator.Snapshot},
	} {
		var err error
		if *part.to, err = part.save(); err != nil {
			return nil, err
		}
	}
	return adversary.Encode(&r.s)
}

// Resume goes on from a snapshot of the same task.
func Resume(t Task, snapshot []byte) (*Run, error) {
	r, err := prepare(t)
	if err != nil {
		return nil, err
	}
	if err := adversary.Decode(snapshot, &r.s); err != nil {
		return nil, err
	}
	s := &r.s
	if len(s.Psi) != len(r.net.Params()) || s.Phase < 0 || s.Phase > len(r.phases) || s.Iter < 0 || s.Phase < len(r.phases) && s.Iter >= r.phases[s.Phase].Iters {
		return nil, errTask
	}
	copy(r.net.Params(), s.Psi)
	if r.optimizer, err = optim.Load(t.Config.Optimizer, r.net, s.Optimizer); err != nil {
		return nil, err
	}
	ph := r.phases[min(s.Phase, len(r.phases)-1)].Phase
	if err := r.adversary.Enter(ph, append([]byte{}, s.Adversary...)); err != nil { // gob leaves out what is empty
		return nil, err
	}
	if err := r.estimator.Restore(s.Estimator); err != nil {
		return nil, err
	}
	return r, nil
}
