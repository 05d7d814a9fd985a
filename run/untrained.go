package run

import (
	"context"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/sim"
	"mapo/judge"
	"mapo/policy/rival"
	"mapo/rng"
)

// Untrained is what a policy that needs no training gives on a table's rows.
type Untrained struct {
	Policy string
	Gives  []judge.Given // averages: with the rows' own answers, and with one in ten wrong
}

// An average of [Plan.Untrained] has manyGames, with a half-width of at most three points, and fewer on tables of more than
// smallTable cells, in proportion to them.
const (
	manyGames  = 1000
	leastGames = 100
	smallTable = 20_000
)

// Untrained plays the policies that serve a table of rows without training ([rival.Offered]). Other problems, and tables too large
// to look at whole, have none. Results depend on the plan's seed and not on workers.
func (p *Plan) Untrained(ctx context.Context, workers int) (all []Untrained, err error) {
	if p.Problem.Shares == nil || p.Loss != game.BestIdentification || difficulty.Large(p.Problem) {
		return nil, nil
	}
	cells := p.Problem.Hypotheses() * p.Problem.Queries()
	games := max(leastGames, min(manyGames, manyGames*smallTable/cells))
	priors := []game.Prior{game.DrawShares(p.Problem, 0), game.DrawShares(p.Problem, 0.1)}
	for _, name := range rival.Offered() {
		policy, err := rival.Parse(p.Problem, p.Loss, name)
		if err != nil {
			return nil, err
		}
		play := sim.Play{P: p.Problem, Policy: policy, Workers: workers}
		averages, err := judge.Averages(ctx, play, priors, games, rng.New(p.Seed).Name("untrained"), p.Loss)
		if err != nil {
			return nil, err
		}
		u := Untrained{Policy: name}
		for _, a := range averages {
			u.Gives = append(u.Gives, judge.Given{Prior: a.Prior, Loss: a.Loss, Estimate: a.Estimate})
		}
		all = append(all, u)
	}
	return all, nil
}
