package run

import (
	"context"
	"encoding/json"
	"fmt"

	"mapo/policy/nn"
	"mapo/run/job"
	"mapo/run/store"
	"mapo/train"
)

// seed is the policy that trainings start from in place of fresh weights.
type seed struct {
	key  store.Key // of it in the store, as if a training had left it; "": none
	name string    // and what files made from it call it
}

// CheckInit reports why no training of the plan can start from its Init. The weights of
// structured and gated policies fit any problem, but a structured one's of a table,
// whose rows it reads (game.Problem.Known), only another table; an MLP's one of as many queries.
func (p *Plan) CheckInit() error {
	_, err := p.initial()
	return err
}

// initial returns the contract of the plan's Init, where that is one to start from.
func (p *Plan) initial() (*nn.Contract, error) {
	net, c, err := nn.Decode(p.Init)
	if err != nil {
		return nil, err
	}
	if want := train.Arch(p.Problem, p.Train); net.Arch() != want {
		return nil, fmt.Errorf("the policy is a network %q, and this training's is %q: it starts from any of the same kind and sizes, on a table from one of a table; an mlp only from one of as many queries",
			net.Arch(), want)
	}
	return c, nil
}

// keepInit puts the plan's Init where trainings look for what they start from. Its
// key is a hash of the file, so that another file is another training.
func (f *Flow) keepInit(ctx context.Context) error {
	if f.Init == nil {
		return nil
	}
	c, err := f.initial()
	if err != nil {
		return err
	}
	data, err := json.Marshal(Trained{File: f.Init})
	if err != nil {
		return err
	}
	f.from = seed{store.KeyOf("init", f.Init), c.Name + " " + c.Hash[:8]}
	return f.store.Put(ctx, job.Artifact(f.from.key), data)
}
