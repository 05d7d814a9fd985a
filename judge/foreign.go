package judge

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/sim"
	"mapo/record"
	"mapo/rng"
)

// Foreign is how a policy fares where another source's people answer.
type Foreign struct {
	Wrong  record.Estimate // the share of games in which it does not name the row that was drawn
	Tenth  record.Estimate // the same over the tenth of the rows that it names least often, at least one
	Lowest []int           // which those are, the worst first
}

// Foreigners plays games of every row that is listed, as its people answer. Half of a row's games say which rows are the
// worst tenth, and the other half how often these are named, so that the choice does not flatter or blame. It costs games
// in all (0: [Games]), at least 2 a row.
func Foreigners(ctx context.Context, play sim.Play, rows []game.Drawn, games int, key rng.Key) (f Foreign, err error) {
	if games == 0 {
		games = Games
	}
	each := (games + 2*len(rows) - 1) / (2 * len(rows))
	var half [2][][]sim.Sum
	for i := range half {
		if half[i], err = play.Drawn(ctx, rows, each, key.Name("half").At(i), game.BestIdentification); err != nil {
			return f, err
		}
	}
	order := make([]int, len(rows))
	for k := range rows {
		order[k] = k
	}
	f.Wrong = pooled(play, order, half[:]...)
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(half[0][0][a].Mean(), half[0][0][b].Mean()) })
	f.Lowest = order[:(len(rows)+9)/10]
	f.Tenth = pooled(play, f.Lowest, half[1])
	return f, nil
}

// pooled estimates identification from all games of some rows, whose sums are as [sim.Play.Drawn] returns them.
func pooled(play sim.Play, rows []int, parts ...[][]sim.Sum) record.Estimate {
	all := make([]sim.Sum, len(parts[0]))
	for _, k := range rows {
		for _, part := range parts {
			for i := range all {
				all[i].Merge(part[i][k])
			}
		}
	}
	e := all[0].Estimate(1)
	e.Questions = play.Questions([][]sim.Sum{all[:1], all[len(all)-1:]}, 0)
	return e
}

// foreign returns the two averages over another source's people.
func foreign(ctx context.Context, play sim.Play, people *game.People, games int, key rng.Key) ([]Average, error) {
	f, err := Foreigners(ctx, play, people.Rows, games, key)
	if err != nil {
		return nil, err
	}
	return []Average{
		{people.Name(), game.BestIdentification, f.Wrong},
		{people.Name() + game.WorstTenth, game.BestIdentification, f.Tenth},
	}, nil
}

// Difficulties returns ρ̃ of instances, each for the hypothesis that it was drawn with: +Inf where another one is best.
func Difficulties(p *game.Problem, rows []game.Drawn) []float64 {
	rho, out := difficulty.Of(p), make([]float64, len(rows))
	var in game.Instance
	for k, row := range rows {
		if p.Fill(&in, row.Theta); row.Hypothesis >= 0 && in.Best != row.Hypothesis {
			out[k] = math.Inf(1)
			continue
		}
		out[k] = rho.Of(row.Theta)
	}
	return out
}
