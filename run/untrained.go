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

// An average of [AveragesOfRows] has manyGames, with a half-width of at most three points, and fewer on tables of more than
// smallTable cells, in proportion to them.
const (
	manyGames  = 1000
	leastGames = 100
	smallTable = 20_000
)

// Untrained plays the policies that serve a table of rows without training ([rival.Offered]). Other problems, and tables too large
// to look at whole, have none. Results depend on the plan's seed and not on workers.
func (p *Plan) Untrained(ctx context.Context, workers int) (all []Untrained, err error) {
	if cells, _ := shareCells(p.Problem); cells == 0 || p.Loss != game.BestIdentification || difficulty.Large(p.Problem) {
		return nil, nil
	}
	for _, name := range rival.Offered() {
		policy, err := rival.Parse(p.Problem, p.Loss, name)
		if err != nil {
			return nil, err
		}
		averages, err := AveragesOfRows(ctx, p.Problem, policy, p.Seed, workers)
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

// AveragesOfRows measures how often a policy is wrong about p's rows, with their own answers and with one in ten wrong, by
// some games that end as the policy's do. Problems without rows, and tables too large to look at whole, have none. Results
// depend on seed and not on workers.
func AveragesOfRows(ctx context.Context, p *game.Problem, policy game.Policy, seed uint64, workers int) ([]judge.Average, error) {
	if cells, _ := shareCells(p); cells == 0 || difficulty.Large(p) {
		return nil, nil
	}
	games := max(leastGames, min(manyGames, manyGames*smallTable/(p.Hypotheses()*p.Queries())))
	priors := []game.Prior{game.DrawShares(p, 0), game.DrawShares(p, 0.1)}
	play := sim.Play{P: p, Policy: policy, Workers: workers}
	return judge.Averages(ctx, play, priors, games, rng.New(seed).Name("untrained"), game.BestIdentification)
}
