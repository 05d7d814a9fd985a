package run

import (
	"context"
	"fmt"

	"mapo/run/job"
	"mapo/run/store"
)

// Planner is a [job.Planner] of a run.
type Planner struct {
	*job.Planner
	flow   *Flow
	result *Result // of the finished run
}

// NewPlanner starts planning: the game and the priors are put into s, where jobs look for them. The caller calls Close.
func NewPlanner(ctx context.Context, plan Plan, s store.Store) (*Planner, error) {
	if err := keepPriors(ctx, s, plan); err != nil {
		return nil, err
	}
	p := &Planner{Planner: job.NewPlanner(s, Steps())}
	var err error
	if p.flow, err = New(ctx, plan, s, p); err != nil {
		return nil, err
	}
	p.flow.crew = p.Crew()
	p.Start(ctx, func(ctx context.Context) (err error) {
		p.result, err = p.flow.Run(ctx)
		return err
	})
	return p, nil
}

// Next returns what can be done now of a plan whose results are in s: the jobs with all
// they need finished and no result yet, their inputs kept in s, the priors too. None
// where the run is finished. It carries nothing out; it reads all results there are, each once.
func Next(ctx context.Context, plan Plan, s store.Store) ([]job.Task, error) {
	p, err := NewPlanner(ctx, plan, s)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Next(ctx, nil)
}

// Assemble returns a finished run, every job of which was carried out elsewhere.
func Assemble(ctx context.Context, plan Plan, s store.Store) (*Flow, *Result, error) {
	p, err := NewPlanner(ctx, plan, s)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	tasks, err := p.Next(ctx, nil)
	switch {
	case err != nil:
		return nil, nil, err
	case len(tasks) > 0:
		return nil, nil, fmt.Errorf("%d results of the run are missing in the store or corrupt: start the run again, and only they are made again", len(tasks))
	}
	return p.flow, p.result, nil
}
