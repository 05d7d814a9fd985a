package mapo

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mapo/adversary/search"
	"mapo/difficulty"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/disk"
	"mapo/judge"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/stopping"
	"mapo/record"
	"mapo/rng"
)

// Policy asks queries and recommends a hypothesis. [Table.Policy], [Table.With], [Learn] and [Load] make one. It may be used
// concurrently.
type Policy struct {
	game   *play.Game
	rule   string         // by which games that are measured end, by its name in package stopping; "": they do not
	stop   float64        // the probability of the recommendation at which a game that is played ends; 0: never
	levels []record.Worst // worst cases as measured when it was learned
	file   []byte         // its policy file; nil without training
}

// errPolicy is the fault of a zero Policy.
var errPolicy = errors.New("mapo: the policy is empty: make it by Table.Policy, Table.With, Learn or Load")

// Load reads a policy file, as Learn and the command make them.
func Load(path string) (*Policy, error) {
	data, err := disk.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func decode(file []byte) (*Policy, error) {
	net, contract, err := nn.Decode(file)
	if err != nil {
		return nil, err
	}
	loss, err := game.ParseLoss(contract.Loss)
	if err != nil {
		return nil, err
	}
	asks, err := decision.With(contract.Problem, loss, nn.Policy(contract.Problem, net), contract.Decision)
	if err != nil {
		return nil, err
	}
	p, err := newPolicy(contract.Problem, asks, contract.DontKnow, contract.Stopping, stopping.Probability(contract.Stopping))
	if err != nil {
		return nil, err
	}
	p.file = file
	for _, level := range contract.Levels {
		p.levels = append(p.levels, level.Worst)
	}
	return p, nil
}

func newPolicy(p *game.Problem, asks game.Policy, dontKnow, rule string, stop float64) (*Policy, error) {
	if _, err := stopping.New(p, rule); err != nil {
		return nil, err
	}
	return &Policy{game: play.New(p, asks, dontKnow == nn.DontKnowSpends), rule: rule, stop: stop}, nil
}

// Save writes the policy file, whole or not at all. A policy without training has none.
func (p *Policy) Save(path string) error {
	switch {
	case p.game == nil:
		return errPolicy
	case p.file == nil:
		return errors.New("mapo: a policy without training has no file: keep the table")
	}
	return disk.Write(path, p.file)
}

// Problem returns what the policy is for.
func (p *Policy) Problem() *game.Problem {
	if p.game == nil {
		return &game.Problem{}
	}
	return p.game.Problem
}

// Policy returns it as other packages take a policy, such as mapo/game/sim: with how it recommends and by what rule its games
// end. It is nil for the zero value.
func (p *Policy) Policy() game.Policy {
	if p.game == nil {
		return nil
	}
	asks, _ := p.measured(nil) // newPolicy knows the rule
	return asks
}

// measured returns the policy whose games end by its rule. fail is called with why a policy of the user's did not answer.
func (p *Policy) measured(fail func(error)) (game.Policy, error) {
	asks := p.game.Policy
	if users, ok := asks.(*own); ok {
		asks = users.telling(fail)
	}
	return stopping.With(p.game.Problem, asks, p.rule)
}

// WorstCase searches for the worst instance of difficulty at most r, and returns it with the policy's probability of a wrong
// recommendation there, with an interval of 95 %. It is the worst found: a lower bound on the true worst case. Where the spec
// has stop:, games end by it, and their number of questions is beside it. A spec with other: is an error, as no instance is
// drawn from that hypothesis, and so is Options.Adversary, as the search is the judge's.
func (p *Policy) WorstCase(ctx context.Context, r float64, o Options) (record.Worst, error) {
	switch {
	case p.game == nil:
		return record.Worst{}, errPolicy
	case o.Adversary != nil:
		return record.Worst{}, errors.New("mapo: Options.Adversary is what Learn trains against; a worst case is searched for by the judge: leave it out")
	}
	problem := p.game.Problem
	if problem.Drawn() < problem.Hypotheses() {
		return record.Worst{}, errors.New("mapo: the spec has other:, which is for playing; remove it to measure a worst case")
	}
	effort, err := judge.Effort(cmp.Or(o.Scale, "desk"), problem)
	if err != nil {
		return record.Worst{}, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	asks, err := p.measured(fail)
	if err != nil {
		return record.Worst{}, err
	}
	known := new(search.Bank)
	known.Add(p.levels...)
	hunt := search.Search{P: problem, C: difficulty.Of(problem), Loss: game.BestIdentification, Policy: asks, Levels: []float64{r}, Effort: effort, Bank: known, Key: rng.New(1), Workers: o.Workers}
	found, err := hunt.Run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return record.Worst{}, cause
	}
	if err != nil {
		return record.Worst{}, err
	}
	return found[0], nil
}
