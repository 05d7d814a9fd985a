package pretrain

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mapo/adversary"
	"mapo/internal/num"
	"mapo/train"
	"mapo/train/optim"
)

// state is all that a pretraining needs to go on with the same bytes, and what they depend on.
type state struct {
	Config      [sha256.Size]byte // the configuration's fingerprint
	Environment string            // num.Environment

	Step      int
	Due       bool // a comparison follows it
	Psi       []float32
	Optimizer []byte
	Members   [][]byte // each problem's training
}

// fingerprint returns SHA-256 of a configuration's JSON.
func (c *Config) fingerprint() ([sha256.Size]byte, error) {
	data, err := json.Marshal(c)
	return sha256.Sum256(data), err
}

// environment returns num.Environment in one line.
func environment() string { return strings.Join(num.Environment(), ", ") }

// errTask is the fault of a snapshot of another configuration.
var errTask = errors.New("pretrain: the checkpoint is of another family or configuration")

// Snapshot returns everything needed to go on with the same bytes. It may be called between two steps, and takes some 100 KB a problem.
func (r *Run) Snapshot() ([]byte, error) {
	s := state{Environment: environment(), Step: r.step, Due: r.due, Psi: r.psi}
	var err error
	if s.Config, err = r.c.fingerprint(); err != nil {
		return nil, err
	}
	if s.Optimizer, err = adversary.Encode(r.optimizer); err != nil {
		return nil, err
	}
	for _, m := range r.members {
		one, err := m.run.Snapshot()
		if err != nil {
			return nil, err
		}
		s.Members = append(s.Members, one)
	}
	return adversary.Encode(&s)
}

// Resume continues a pretraining from a snapshot of the same configuration, and of the same kernel, precision and architecture.
func Resume(ctx context.Context, c Config, workers int, snapshot []byte) (*Run, error) {
	var s state
	if err := adversary.Decode(snapshot, &s); err != nil {
		return nil, err
	}
	config, err := c.fingerprint()
	switch now := environment(); {
	case err != nil:
		return nil, err
	case s.Config != config:
		return nil, errTask
	case s.Environment != now:
		return nil, fmt.Errorf("pretrain: the checkpoint was made with %s, not with %s: choose the same kernel (%s) and a like machine", s.Environment, now, num.Variable)
	}
	r, err := New(ctx, c, workers)
	if err != nil {
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
