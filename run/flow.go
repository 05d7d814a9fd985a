package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mapo/adversary/search"
	"mapo/game"
	"mapo/judge"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/policy/stopping"
	"mapo/record"
	"mapo/run/job"
	"mapo/run/store"
	"mapo/train"
)

// Plan is a run: a game, how it is trained and how it is judged. All of it but
// the texts goes into the jobs' keys.
type Plan struct {
	Name, Title string   // of the run
	Scale       string   // smoke, desk or paper
	Version     string   // of the program
	Spec        []byte   // the resolved spec, for the run folder
	Content     string   // a short hash of the spec and its data, for names of folders and workflows
	Experiment  string   // which of the paper's this is, or empty
	LevelsNote  string   // how the levels were chosen, if none were given
	Notes       []string // what is worth knowing of the problem
	Warnings    []string

	Problem  *game.Problem
	Loss     game.Loss
	Decision string      // how trained policies recommend, by its name in package decision; "": by least squares
	Stopping string      // the rule by which games end early, by its name in package stopping; "": they have all their answers
	DontKnow string      // for the policy files: what an answer "don't know" costs ([nn.Contract])
	Levels   []float64   // r_1 < … < r_K
	Finite   [][]float64 // restrict Θ to these rows; nil: all of Θ
	Seed     uint64

	Average game.Prior // what π̂ is trained for besides its worst gap: (1−Weight)·(worst gap) + Weight·(average)
	Weight  float64    // 0: for the worst gap alone

	// Init is a policy file with the weights that trainings start from, but for Bayes-LAL's
	// and those of π_k that follow another; nil: fresh ones.
	Init    []byte
	Train   train.Config
	Seconds float64 `json:"Stop"` // each training may take, searches of its own included; 0: as long as it needs
	Effort  search.Effort
	Rivals  []string     // names [rival.Parse] takes, and [BayesLAL]
	Priors  []game.Prior // the executor must know them by their names
	Games   int          // of each average; 0: [judge.Games]

	Marks bool // is in the keys of trainings, so that those of earlier programs are found; it changes nothing else
}

// SpecHead begins the first line of a run folder's spec.yaml; the run's name
// follows.
const SpecHead = "# mapo run "

// Names of policies in files, results and events; a π_k's is [PiName]'s.
const (
	PiHat    = record.PiHat
	BayesLAL = record.BayesLAL
	Argmax   = "-argmax" // behind the name of a policy whose most likely query is always asked

	secondSearch = " again"  // behind the name of a policy, of the job that searches its worst cases once more
	finely       = " finely" // of a job that measures what was found for it with more games, and of which time it is
)

// PiName returns the name of π_k, k counted from 1.
func PiName(k int) string { return fmt.Sprintf("pi-%d", k) }

// Holds reports why no policy file holds what is trained on p: its rows have more than [nn.MostShares] cells.
func Holds(p *game.Problem) error {
	if cells, _ := shareCells(p); cells > nn.MostShares {
		return fmt.Errorf("the table has %d cells, and a policy file holds at most %d: keep fewer queries (problem: {select: {queries: …}}), or play it without training", cells, nn.MostShares)
	}
	return nil
}

// shareCells returns how many cells the table has whose rows are p's hypotheses, 0 where they are not rows, and the version of games of
// p's kind, which is in the keys of jobs.
func shareCells(p *game.Problem) (cells, version int) {
	switch goal := p.Goal().(type) {
	case *game.Shares:
		return len(goal.Yes), 0
	case *game.Labels:
		return 0, poolGames
	}
	return 0, 0
}

// Check reports the first reason why the plan cannot be carried out.
func (p *Plan) Check() error {
	if err := p.Problem.Check(); err != nil {
		return err
	}
	if p.Problem.Drawn() < p.Problem.Hypotheses() {
		return errors.New("the hypothesis \"none of these\" is for playing and serving; remove it to train or judge a worst case")
	}
	if err := Holds(p.Problem); err != nil {
		return err
	}
	if len(p.Levels) == 0 {
		return errors.New("there are no levels to train for")
	}
	if err := p.CheckLevels(); err != nil {
		return err
	}
	for _, name := range p.Rivals {
		if name == BayesLAL {
			continue
		}
		if _, err := rival.Name(p.Problem, p.Loss, name); err != nil {
			return err
		}
	}
	if p.Decision != "" {
		if _, err := decision.New(p.Problem, p.Loss, p.Decision); err != nil {
			return err
		}
	}
	if _, err := stopping.New(p.Problem, p.Stopping); err != nil {
		return err
	}
	if err := p.checkObjective(); err != nil {
		return err
	}
	if err := p.Train.Check(); err != nil {
		return err
	}
	if err := p.Train.Idle(p.Loss, len(p.Levels)); err != nil {
		return err
	}
	return p.Train.Suits(p.Problem)
}

// checkObjective reports what no objective can be.
func (p *Plan) checkObjective() error {
	switch {
	case p.Weight == 0:
		return nil
	case !(p.Weight > 0 && p.Weight < 1):
		return fmt.Errorf("the average's weight is %g; it must be from 0 to below 1", p.Weight)
	case p.Average == nil:
		return errors.New("the objective has a weight and no average")
	case p.Train.M < 2:
		return fmt.Errorf("train.M is %d; an objective with an average needs at least 2 instances an iteration: raise M", p.Train.M)
	}
	return nil
}

// Known returns the priors that the plan's jobs ask for by name: those it averages
// over, and the objective's.
func (p *Plan) Known() []game.Prior {
	known := slices.Clone(p.Priors)
	if p.Average != nil && !slices.ContainsFunc(known, func(k game.Prior) bool { return k.Name() == p.Average.Name() }) {
		known = append(known, p.Average)
	}
	return known
}

// final reports whether a policy is what the run is for: π̂, which with one level is
// π_1.
func (p *Plan) final(name string) bool {
	return name == PiHat || name == PiName(1) && len(p.Levels) == 1
}

// TradesOff reports whether a policy is trained for the average as well.
func (p *Plan) TradesOff(name string) bool { return p.Weight > 0 && p.final(name) }

// CheckLevels reports the first level that cannot be one.
func (p *Plan) CheckLevels() error { return judge.CheckLevels(p.Problem, p.Finite, p.Levels) }

// ChooseLevels chooses the plan's levels where none were given. Its LevelsNote then says which were chosen and why.
func (p *Plan) ChooseLevels(ctx context.Context, workers int) (err error) {
	c := judge.Choice{P: p.Problem, Loss: p.Loss, Finite: p.Finite, Scale: p.Scale, Seed: p.Seed, Workers: workers}
	p.Levels, p.LevelsNote, err = c.Levels(ctx)
	return err
}

// Flow carries out a plan: it turns its steps into jobs and their results into
// policies and numbers.
type Flow struct {
	Plan
	store   store.Store
	exec    job.Executor
	setting store.Key // of the game all jobs share, kept in the store
	priors  map[string]PriorRef
	from    seed
	crew    *job.Crew // nil: no one counts who is at work
}

// New prepares plan: the game is put into s, where jobs look for it.
func New(ctx context.Context, plan Plan, s store.Store, exec job.Executor) (*Flow, error) {
	if err := plan.Check(); err != nil {
		return nil, err
	}
	of := Setting{Problem: plan.Problem, Loss: plan.Loss.String(), Seed: plan.Seed, Finite: plan.Finite, Decision: plan.Decision, Stopping: plan.Stopping}
	_, of.Pool = shareCells(plan.Problem)
	data, err := json.Marshal(of)
	if err != nil {
		return nil, fmt.Errorf("run: setting: %w", err)
	}
	key := store.KeyOf("setting", data)
	f := &Flow{Plan: plan, store: s, exec: exec, setting: key, priors: make(map[string]PriorRef)}
	for _, prior := range plan.Known() {
		if f.priors[prior.Name()], err = refOf(prior); err != nil {
			return nil, err
		}
	}
	if err := f.keepInit(ctx); err != nil {
		return nil, err
	}
	return f, s.Put(ctx, job.Artifact(key), data)
}

// Policy is a policy of the run with what is known of it.
type Policy struct {
	Name  string
	Ref   Ref
	Level float64  // π_k's r_k; the highest for π̂; 0 for others
	Net   *Trained // nil: it needed no training

	Worst    []record.Worst // [K], ℓ(π, Θ^(r_k))
	Averages []judge.Average
	Exact    []float64 // the worst cases over the instances of the run's certificate, by its levels

	screened  bool      // searched by smoke's effort alone, as another decision is better for its questions ([Flow.screen])
	confirmed []float64 // the levels it was searched at alone
	measured  int       // how often it was measured finely

	Took Times
}

// Times are how long a policy's jobs took.
type Times struct{ Train, Judge, Average job.Took }

// Curves returns the policies' worst cases as package judge takes them.
func Curves(ps []*Policy) []judge.Curve {
	out := make([]judge.Curve, len(ps))
	for i, p := range ps {
		out[i] = judge.Curve{Policy: p.Name, Worst: p.Worst}
		for _, w := range p.Worst {
			out[i].Short = append(out[i].Short, p.Screened(w.Level))
		}
	}
	return out
}

// BankOf returns the worst instances of ps, each once, in their order.
func BankOf(ps []*Policy) [][]float64 {
	var bank search.Bank
	for _, p := range ps {
		bank.Add(p.Worst...)
	}
	return bank.Instances()
}

// named returns a copy of p under another name, with worst cases of its own.
func (p *Policy) named(name string) *Policy {
	q := *p
	q.Name, q.Worst = name, slices.Clone(p.Worst)
	return &q
}
