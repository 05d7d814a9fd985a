package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mapo"
	"mapo/flow"
	"mapo/flow/folder"
	"mapo/judge"
	"mapo/spec"
	"mapo/train"
	"mapo/train/preset"
)

// averageGames is how many games an average is played for at each scale.
var averageGames = map[string]int{"smoke": 400, "desk": 8000, "paper": 200000}

// yardstick says at which scales trainings are judged at geometric intervals where
// the spec does not say.
var yardstick = map[string]bool{"desk": true, "paper": true}

// options are what a command line says beside a SPEC.
type options struct {
	scale    string
	levels   []float64 // in place of the spec's
	priors   []string  // in place of the spec's
	workers  int
	noLevels bool // do not choose levels where the spec has none
	maxTime  time.Duration
	alone    bool // no rivals and no priors
	silent   bool // the caller tells of warnings and of levels chosen
	trains   bool // scale replaces the spec's own lengths of training, too
}

// plan is the plan of a run, or of a training alone.
func (j *jobFlags) plan(c *cobra.Command, path string, alone bool) (flow.Plan, error) {
	if err := j.check(); err != nil {
		return flow.Plan{}, err
	}
	plan, err := load(c, path, options{scale: j.scale, workers: j.workers, maxTime: j.maxTime, alone: alone, trains: true})
	if err != nil {
		return plan, err
	}
	if err := plan.Check(); err != nil { // before anything is written
		return plan, fmt.Errorf("%s: %w", path, err)
	}
	return plan, nil
}

// load reads a SPEC and makes the plan it stands for.
func load(c *cobra.Command, path string, o options) (flow.Plan, error) {
	s, err := spec.Load(path, spec.Override{Scale: o.scale, Truth: spec.Majority})
	if err != nil {
		return flow.Plan{}, err
	}
	return planned(c, s, path, o)
}

// planned makes the plan of a SPEC read from path.
func planned(c *cobra.Command, s *spec.Spec, path string, o options) (flow.Plan, error) {
	if err := o.override(s); err != nil {
		return flow.Plan{}, err
	}
	if err := o.rescale(c.ErrOrStderr(), s); err != nil {
		return flow.Plan{}, err
	}
	plan, err := planOf(s)
	if err != nil {
		return plan, err
	}
	if err := plan.CheckLevels(); err != nil {
		where := path
		if o.levels != nil {
			where = "--r"
		}
		return plan, fmt.Errorf("%s: %w", where, err)
	}
	if o.alone {
		plan.Rivals, plan.Priors, plan.Marks = nil, nil, false
	}
	if s.Levels == nil && !o.noLevels {
		if err := chooseLevels(c.Context(), &plan, s, o.workers); err != nil {
			return plan, err
		}
	}
	if err := s.FixTrain(plan.Train); err != nil {
		return plan, err
	}
	if !o.silent {
		tell(plain{c.ErrOrStderr()}, &plan)
	}
	return plan, identify(&plan, s, o.maxTime)
}

// override has the command line's priors and levels in place of the spec's.
func (o *options) override(s *spec.Spec) (err error) {
	if o.priors != nil {
		s.Priors = make([]mapo.Prior, len(o.priors))
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

// rescale lets --scale replace how long the spec's trainings are, and says so: a quick look
// must be quick. A preset in the spec replaces nothing.
func (o *options) rescale(w io.Writer, s *spec.Spec) error {
	if o.scale == "" || !o.trains {
		return nil
	}
	if _, err := training(s); err != nil { // also of keys that are dropped
		return err
	}
	if other := map[string]string{"oracle": "paper", "paper": "oracle"}[preset.Algorithm(o.scale)]; len(s.DropTrain([]string{other})) > 0 {
		if _, err := fmt.Fprintf(w, "--scale %s trains by another algorithm: the spec's train.%s is put aside\n", o.scale, other); err != nil {
			return err
		}
	}
	dropped := s.DropTrain(train.Counts())
	if len(dropped) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "--scale %s replaces the spec's train: {%s}\n", o.scale, strings.Join(dropped, ", "))
	return err
}

// chooseLevels completes plan and spec where nobody gave levels.
func chooseLevels(ctx context.Context, plan *flow.Plan, s *spec.Spec, workers int) (err error) {
	if err := plan.ChooseLevels(ctx, workers); err != nil {
		return stopped(ctx, err, "nothing was begun")
	}
	s.Levels = plan.Levels
	plan.Train, err = training(s) // a preset asks how many levels there are
	return err
}

// tell says what a user should know of a plan before it is carried out.
func tell(w io.Writer, plan *flow.Plan) {
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

// planOf is a spec's plan but for its name as a run.
func planOf(s *spec.Spec) (flow.Plan, error) {
	p := flow.Plan{
		Name: s.Name, Title: s.Name, Scale: s.Scale, Version: flow.Version(), Notes: s.Notes, Warnings: s.Warnings, Experiment: s.Experiment(),
		Problem: s.Problem, Loss: s.Loss, DontKnow: s.DontKnow, Levels: s.Levels, Finite: s.Instances, Seed: s.Seed,
		Rivals: s.Rivals, Priors: s.Priors, Games: s.Games,
		Average: s.Objective.Average, Weight: s.Objective.Weight,
	}
	p.Marks = yardstick[s.Scale]
	if s.Yardstick != nil {
		p.Marks = *s.Yardstick
	}
	if p.Games == 0 {
		p.Games = averageGames[s.Scale]
	}
	var err error
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

// identify completes plan with what its run goes by: the resolved spec, with
// --max-time recorded, and a hash of it and of the data.
func identify(plan *flow.Plan, s *spec.Spec, maxTime time.Duration) error {
	plan.Content = s.Hash8()
	text := s.Resolved()
	if maxTime > 0 {
		plan.Stop = plan.Share(maxTime).Seconds()
		note := "# --max-time " + maxTime.String() + "\n"
		sum := sha256.Sum256([]byte(plan.Content + note))
		plan.Content, text = hex.EncodeToString(sum[:4]), append([]byte(note), text...)
	}
	plan.Spec = append([]byte(folder.SpecHead+plan.Name+"-"+plan.Content+"\n"), text...)
	return nil
}
