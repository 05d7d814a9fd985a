package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mapo/game"
	"mapo/internal/console"
	"mapo/run"
	"mapo/run/plan"
	"mapo/spec"
)

// options are what a command line says beside a SPEC.
type options struct {
	ctx      context.Context // of the planning; nil: the command's
	scale    string
	levels   []float64 // in place of the spec's
	priors   []string  // in place of the spec's
	workers  int
	noLevels bool // no worst cases: for averages and given instances
	maxTime  time.Duration
	alone    bool // no rivals and no priors
	silent   bool // the caller tells of warnings and of levels chosen
	look     bool // the plan is not carried out
	trains   bool // scale replaces the spec's own lengths of training, too
}

// plan returns the plan of a run, or of a training alone.
func (j *jobFlags) plan(c *cobra.Command, path string, alone bool) (run.Plan, error) {
	if err := j.check(); err != nil {
		return run.Plan{}, err
	}
	s, err := read(c, path, spec.Override{Scale: j.scale})
	if err != nil {
		return run.Plan{}, err
	}
	if err := run.Holds(s.Problem); err != nil { // before minutes of planning
		return run.Plan{}, fmt.Errorf("%s: %w", path, err)
	}
	p, err := planned(c, s, path, options{scale: j.scale, workers: j.workers, maxTime: j.maxTime, alone: alone, trains: true})
	if err != nil {
		return p, err
	}
	if err := p.Check(); err != nil { // before anything is written
		return p, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// read reads a SPEC, and says so where that takes long.
func read(c *cobra.Command, path string, o spec.Override) (*spec.Spec, error) {
	defer loosely(c.Context())()
	l := console.Wait(c.ErrOrStderr(), "reading "+path)
	defer l.Stop()
	return spec.Load(path, o)
}

// planned makes the plan of a SPEC read from path.
func planned(c *cobra.Command, s *spec.Spec, path string, o options) (run.Plan, error) {
	defer loosely(c.Context())()
	l := console.Wait(c.ErrOrStderr(), "planning "+path)
	defer l.Stop()
	if err := o.override(s); err != nil {
		return run.Plan{}, err
	}
	with := plan.Options{
		Alone: o.alone, NoLevels: o.noLevels, MaxTime: o.maxTime, Workers: o.workers, Source: path,
		Look: o.look, Tell: l.Tell,
		Note: func(text string) { fmt.Fprintln(c.ErrOrStderr(), text) },
	}
	if o.levels != nil {
		with.Source = "--r"
	}
	if o.trains {
		with.Scale = o.scale
	}
	ctx := o.ctx
	if ctx == nil {
		ctx = c.Context()
	}
	p, err := plan.PlanOf(ctx, s, with)
	if err != nil {
		return p, stopped(c.Context(), err, nothing)
	}
	if !o.silent {
		tell(console.Plain(c.ErrOrStderr()), &p)
	}
	return p, nil
}

// override puts the command line's priors and levels in place of the spec's.
func (o *options) override(s *spec.Spec) (err error) {
	if o.priors != nil {
		s.Priors = make([]game.Prior, len(o.priors))
	}
	for i, name := range o.priors {
		if s.Priors[i], err = s.Prior(name); err != nil {
			return fmt.Errorf("--prior: %w", err)
		}
		for _, p := range s.Priors[:i] {
			if p.Name() == s.Priors[i].Name() {
				return fmt.Errorf("--prior: %s stands twice: remove one", p.Name())
			}
		}
	}
	if o.levels != nil {
		slices.Sort(o.levels)
		s.Levels = slices.Compact(o.levels)
	}
	return nil
}

// tell says what a user should know of a plan before it is carried out.
func tell(w io.Writer, plan *run.Plan) {
	for _, text := range plan.Notes {
		fmt.Fprintln(w, text)
	}
	if plan.LevelsNote != "" {
		fmt.Fprintln(w, plan.LevelsNote)
	}
	for _, text := range plan.Warnings {
		fmt.Fprintln(w, "warning:", text)
	}
}
