package mapo

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mapo/adversary"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/plan"
	"mapo/run/store"
	"mapo/spec"
)

// Options say how long learning and searches take, on how many cores, and against what a policy is trained.
type Options struct {
	Scale   string // smoke: seconds; desk: minutes; paper: days. "": the spec's, else desk
	Workers int    // 0: as many as the machine runs at once

	// Adversary makes an adversary of your own, which proposes the instances that [Learn] trains on. nil: the algorithm's own.
	// Algorithm 1 has several trainings, some side by side, and each calls this function for an adversary to itself: for π_k
	// with the level r_k alone, then for π̂ with all levels. A training that resumes from a checkpoint calls it again and
	// restores the snapshot. Worst cases, and with them the benchmarks, are still measured by the judge's own search.
	Adversary func(adversary.Setting) adversary.Adversary
}

// Learn learns the min-gap policy for a table by Algorithm 1. The same table and options give the same policy, whatever the
// number of workers. It keeps its work in a temporary folder, so that what is cancelled is lost; package run continues instead.
//
// An adversary of your own is an error where the spec has instances:, as these say on what to train. So is an instance that answers
// cannot have; Problem.Admit of mapo/game moves one to where it may be.
func Learn(ctx context.Context, t *Table, o Options) (_ *Policy, err error) {
	if t.spec == nil {
		return nil, errTable
	}
	s, err := t.load(spec.Override{Scale: o.Scale})
	if err != nil {
		return nil, err
	}
	if o.Adversary != nil && s.Instances != nil {
		return nil, fmt.Errorf("%s: instances: says on what to train, and so does Options.Adversary: remove one of them", t.source)
	}
	p, err := plan.PlanOf(ctx, s, plan.Options{Scale: o.Scale, Alone: true, Workers: o.Workers, Source: t.source})
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mapo-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	work, err := store.Folder(dir)
	if err != nil {
		return nil, err
	}
	steps := run.StepsAgainst(o.Adversary, p.Known()...)
	f, err := run.New(ctx, p, work, &job.Local{Store: work, Steps: steps, Cores: o.Workers})
	if err != nil {
		return nil, err
	}
	ladder, err := run.MAPO(ctx, f)
	if err != nil {
		return nil, err
	}
	file, err := run.PolicyFile(f, ladder.PiHat, ladder)
	if err != nil {
		return nil, err
	}
	return decode(file)
}
