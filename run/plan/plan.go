package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"mapo/difficulty"
	"mapo/judge"
	"mapo/run"
	"mapo/spec"
	"mapo/train"
	"mapo/train/preset"
)

// averageGames is how many games an average is played for at each scale.
var averageGames = map[string]int{"smoke": 400, "desk": 8000, "paper": 200000}

// Options are what is said beside a spec. The zero value leaves a run as the spec has it.
type Options struct {
	Scale    string        // where not empty, it replaces the lengths of training in the spec; the spec was read with it
	Alone    bool          // no rivals and no priors: for a training alone
	NoLevels bool          // no worst cases: the plan is for averages and given instances
	Look     bool          // the plan is not carried out: a large table has no anchors in it
	MaxTime  time.Duration // how long all trainings may take together; 0: as long as they need
	Workers  int           // for the choice of levels, which does not depend on it; 0: as many as the machine runs at once
	Source   string        // where the levels are from, for errors, such as a file's name; empty: the spec's name

	Note func(text string) // told what Scale replaces, a line each; nil: not told
	// Tell is told of a large table what is being done and what share of it is done, by several callers at a time; nil: not told.
	Tell func(what string, share float64)
}

// told returns a function that calls o.Tell, if there is one, with the share of what that is done.
func (o *Options) told(what string) func(share float64) {
	return func(share float64) {
		if o.Tell != nil {
			o.Tell(what, share)
		}
	}
}

// PlanOf returns the plan that s stands for. Where s has no levels they are chosen, which takes seconds, and s has them, too,
// afterwards. Errors about what stands in the spec's file name file and line.
func PlanOf(ctx context.Context, s *spec.Spec, o Options) (run.Plan, error) {
	if err := o.rescale(s); err != nil {
		return run.Plan{}, err
	}
	if !o.NoLevels {
		if err := s.Trains(); err != nil {
			return run.Plan{}, err
		}
		switch large := difficulty.Large(s.Problem); {
		case !large:
			if err := o.anchor(ctx, s); err != nil {
				return run.Plan{}, err
			}
		case s.Instances == nil && (o.Look || s.Levels == nil):
			if err := difficulty.Look(ctx, s.Problem, o.told("looking at a sample of the rows")); err != nil {
				return run.Plan{}, err
			}
		}
	}
	p, err := draft(s)
	if err != nil {
		return p, err
	}
	if !o.NoLevels {
		if err := p.CheckLevels(); err != nil {
			source := o.Source
			if source == "" {
				source = s.Name
			}
			return p, fmt.Errorf("%s: %w", source, err)
		}
	}
	if o.Alone {
		p.Rivals, p.Priors, p.Marks = nil, nil, false
	}
	if s.Levels == nil && !o.NoLevels {
		o.told("choosing levels by a short search for Uniform's worst cases")(0)
		if err := chooseLevels(ctx, &p, s, o.Workers); err != nil {
			return p, err
		}
	}
	if err := s.FixTrain(p.Train); err != nil {
		return p, err
	}
	if !o.NoLevels && !o.Look {
		if err := o.anchor(ctx, s); err != nil {
			return p, err
		}
		p.Problem = s.Problem
		// Networks and rivals of vectors ask for it where there is no context. One that is not found is their fault to tell.
		if _, err := difficulty.Static(ctx, p.Problem); ctx.Err() != nil {
			return p, err
		}
	}
	identify(&p, s, o.MaxTime)
	return p, nil
}

// anchor gives the problem of s its anchors, which takes up to minutes. It is an error where ctx ends first.
func (o *Options) anchor(ctx context.Context, s *spec.Spec) error {
	tell := o.told(fmt.Sprintf("looking for an easy instance of each of %d %s", s.Problem.Hypotheses(), s.Problem.Goal().Words().Candidates))
	anchored, err := difficulty.AnchoredTold(ctx, s.Problem, tell)
	if err != nil {
		return err
	}
	s.Problem = anchored
	return nil
}

// rescale lets Scale replace how long the spec's trainings are: a quick look
// must be quick. A preset in the spec replaces nothing.
func (o *Options) rescale(s *spec.Spec) error {
	if o.Scale == "" {
		return nil
	}
	note := o.Note
	if note == nil {
		note = func(string) {}
	}
	if _, err := training(s); err != nil { // also of keys that are dropped
		return err
	}
	if other := map[string]string{"oracle": "paper", "paper": "oracle"}[preset.Algorithm(o.Scale)]; len(s.DropTrain([]string{other})) > 0 {
		note(fmt.Sprintf("--scale %s trains by another algorithm: the spec's train.%s is put aside", o.Scale, other))
	}
	if dropped := s.DropTrain(train.Counts()); len(dropped) > 0 {
		note(fmt.Sprintf("--scale %s replaces the spec's train: {%s}", o.Scale, strings.Join(dropped, ", ")))
	}
	return nil
}

// chooseLevels completes p and s, which have no levels.
func chooseLevels(ctx context.Context, p *run.Plan, s *spec.Spec, workers int) (err error) {
	if err := p.ChooseLevels(ctx, workers); err != nil {
		return err
	}
	s.Levels = p.Levels
	p.Train, err = training(s) // a preset asks how many levels there are
	return err
}

// draft returns a spec's plan, except for its name as a run.
func draft(s *spec.Spec) (run.Plan, error) {
	p := run.Plan{
		Name: s.Name, Title: s.Name, Scale: s.Scale, Version: run.Version(), Notes: s.Notes, Warnings: s.Warnings, Experiment: s.Experiment(),
		Problem: s.Problem, Loss: s.Loss, Decision: s.Decision, DontKnow: s.DontKnow, Levels: s.Levels, Finite: s.Instances, Seed: s.Seed,
		Rivals: s.Rivals, Priors: s.Priors, Games: s.Games,
		Average: s.Objective.Average, Weight: s.Objective.Weight,
	}
	var err error
	if p.Stopping, err = s.Stops(); err != nil {
		return p, err
	}
	p.Marks = s.Scale != "smoke" && !s.Unmarked
	if p.Games == 0 {
		p.Games = averageGames[s.Scale]
	}
	if p.Effort, err = judge.Effort(s.Scale, s.Problem); err != nil {
		return p, err
	}
	p.Train, err = training(s)
	return p, err
}

// training returns the final configuration of a spec's trainings.
func training(s *spec.Spec) (train.Config, error) {
	c, err := preset.For(s.Scale, s.Problem, s.Loss, len(s.Levels), said{s})
	var fault *train.Fault
	if errors.As(err, &fault) {
		err = s.TrainFault(err)
	}
	return c, err
}

// said is what a spec says of its trainings.
type said struct{ *spec.Spec }

func (s said) Has(block string) bool          { return s.HasTrain(block) }
func (s said) Decode(dst *train.Config) error { return s.DecodeTrain(dst) }

// identify completes p with what its run goes by: the resolved spec, with
// MaxTime recorded, and a hash of it and of the data.
func identify(p *run.Plan, s *spec.Spec, maxTime time.Duration) {
	p.Content = s.Hash8()
	text := s.Resolved()
	if maxTime > 0 {
		p.Seconds = p.Share(maxTime).Seconds()
		note := "# --max-time " + maxTime.String() + "\n"
		sum := sha256.Sum256([]byte(p.Content + note))
		p.Content, text = hex.EncodeToString(sum[:4]), append([]byte(note), text...)
	}
	p.Spec = append([]byte(run.SpecHead+p.Name+"-"+p.Content+"\n"), text...)
}
