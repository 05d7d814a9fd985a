package run

import (
	"context"
	"strings"

	"mapo/adversary/search"
	"mapo/difficulty"
	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/stopping"
	"mapo/record"
	"mapo/rng"
	"mapo/run/job"
	"mapo/run/store"
	"mapo/train"
)

// Steps, each with its version: raise it when the step gives other bytes for the
// same input. Their order is that in which waiting jobs are served.
const (
	stepTrain   = "train/11"
	stepJudge   = "judge/8"
	stepReplay  = "replay/7"
	stepAverage = "average/3"
	stepCertify = "certify/1"
	stepExact   = "exact/1"
)

// poolGames is raised when what games over a pool of items ask, recommend or lose changes: then no result of one is taken for another's.
const poolGames = 1

// Steps returns what the jobs of a run can be, for a process that knows priors: those that averages and objectives ask for by
// name. Others are made from their names or read from the store.
func Steps(priors ...game.Prior) job.Steps { return StepsAgainst(nil, priors...) }

// StepsAgainst returns [Steps] of a process in which trainings play against an adversary of the caller's; nil: the algorithm's
// own. No key names that adversary, so that what they leave needs a store of its own.
func StepsAgainst(opponent Opponent, priors ...game.Prior) job.Steps {
	step := func(name string, do func(context.Context, *work) ([]byte, error)) job.Step {
		return job.Step{Name: name, Do: func(ctx context.Context, j *job.Job) ([]byte, error) { return do(ctx, &work{j, priors, opponent}) }}
	}
	return job.Steps{
		step(stepTrain, trainJob), step(stepJudge, judgeJob), step(stepReplay, judgeJob), step(stepAverage, averageJob),
		step(stepCertify, certifyJob), step(stepExact, exactJob),
	}
}

// work is a job under way in a process that knows some priors.
type work struct {
	*job.Job
	priors   []game.Prior
	opponent Opponent // nil: the algorithm's own
}

// Classes of jobs, by what they need of a machine: trainings take the most time and
// all the cores they get, judging is many shorter jobs.
const (
	ClassTrain = "train"
	ClassJudge = "judge"
)

// ClassOf returns the class of a step's jobs, its name with or without its version.
func ClassOf(step string) string {
	if name, _, _ := strings.Cut(step, "/"); name == "train" {
		return ClassTrain
	}
	return ClassJudge
}

// Setting is the game that all jobs of a run play. It is kept in the store once;
// inputs name its key.
type Setting struct {
	Problem *game.Problem
	Loss    string
	Seed    uint64
	Finite  [][]float64 `json:",omitempty"`

	Decision string `json:",omitempty"` // of trained policies, by its name in package decision; "": least squares
	Pool     int    `json:",omitempty"` // the version of games over a pool of items, [poolGames]; 0: of others
	Stopping string `json:",omitempty"` // the rule by which all games end early, by its name in package stopping; "": they do not
}

func (f *Flow) header(name string) job.Header { return job.Header{For: name, Setting: f.setting} }

// Ref names a policy in an input: a rival by its name, or the network that a
// training job left.
type Ref struct {
	Rival   string    `json:",omitempty"`
	Trained store.Key `json:",omitempty"`
	Argmax  bool      `json:",omitempty"` // always ask the most likely query
}

// TrainInput is what a training depends on.
type TrainInput struct {
	job.Header
	R, B   []float64 `json:",omitempty"`
	Bayes  bool      `json:",omitempty"` // train on the average over 𝒫̃, without an adversary (App. H)
	Warm   store.Key `json:",omitempty"` // of the training whose weights to start from
	Config train.Config

	Average PriorRef `json:",omitzero"`  // of the objective's average
	Weight  float64  `json:",omitempty"` // and its weight

	Marks bool `json:",omitempty"` // the plan's

	Seconds float64 `json:"Stop,omitempty"` // that it may take; the result then depends on the clock
}

// JudgeInput is what a worst-case search depends on, and a replay's.
type JudgeInput struct {
	job.Header
	Policy  Ref
	Levels  []float64
	Effort  search.Effort
	Bank    [][]float64    `json:",omitempty"`
	Earlier []record.Worst `json:",omitempty"`
}

// AverageInput is what averages depend on.
type AverageInput struct {
	job.Header
	Policy Ref
	Priors []PriorRef
	Games  int
}

// setting is a Setting, decoded.
type setting struct {
	p      *game.Problem
	c      game.Difficulty
	loss   game.Loss
	finite [][]float64
	decide string  // Setting.Decision
	stop   string  // Setting.Stopping
	key    rng.Key // of the run; a step's streams are key.Name(step).Name(policy)
}

// input decodes the job's input into in and loads the game it names.
func (w *work) input(ctx context.Context, in any, head *job.Header) (*setting, error) {
	if err := w.Decode(in); err != nil {
		return nil, err
	}
	var s Setting
	if err := w.Load(ctx, head.Setting, &s); err != nil {
		return nil, err
	}
	loss, err := game.ParseLoss(s.Loss)
	if err != nil {
		return nil, err
	}
	return &setting{s.Problem, difficulty.Of(s.Problem), loss, s.Finite, s.Decision, s.Stopping, rng.New(s.Seed)}, nil
}

// decider returns the rule by which trained policies recommend; nil: least squares.
func (s *setting) decider() (game.Decider, error) {
	if s.decide == "" {
		return nil, nil
	}
	return decision.New(s.p, s.loss, s.decide)
}

// ending returns policy with the rule by which games end early.
func (s *setting) ending(policy game.Policy) (game.Policy, error) {
	return stopping.With(s.p, policy, s.stop)
}

// do submits a step of f and reads its result.
func do[O any](ctx context.Context, f *Flow, step string, in any) (store.Key, *O, job.Took, error) {
	return job.Do[O](ctx, f.exec, f.store, step, in)
}
