package judge

import (
	"context"

	"mapo/game"
	"mapo/game/sim"
	"mapo/record"
	"mapo/rng"
)

// Games is how many an average or an instance is played for at desk scale: a
// half-width of at most .007 for best identification.
const Games = 20000

// Average is E_{θ∼prior} ℓ(π, θ) for one loss.
type Average struct {
	Prior string
	Loss  game.Loss
	record.Estimate
}

// Averages plays games (0: [Games]) on fresh draws of every prior and judges
// them by losses, a row each, in the order given; without any, by all there are. Another source's people ([game.People]) are
// judged by identification, with a second row of the tenth that is named least often. The draws and
// answers depend on key and the prior's name alone, so policies given the same
// key meet the same instances.
func Averages(ctx context.Context, play sim.Play, priors []game.Prior, games int, key rng.Key, losses ...game.Loss) ([]Average, error) {
	if games == 0 {
		games = Games
	}
	if len(losses) == 0 {
		losses = game.Losses()
	}
	var out []Average
	for _, prior := range priors {
		if people, ok := prior.(*game.People); ok {
			as, err := foreign(ctx, play, people, games, key.Name(prior.Name()))
			if err != nil {
				return nil, err
			}
			out = append(out, as...)
			continue
		}
		es, err := play.Average(ctx, prior, games, key.Name(prior.Name()), losses...)
		if err != nil {
			return nil, err
		}
		for i, loss := range losses {
			out = append(out, Average{prior.Name(), loss, es[i]})
		}
	}
	return out, nil
}

// AverageLosses returns the losses that averages are judged by: on the rows of a table how often policies name the row that was
// drawn, and what else the worst cases are judged by, all there are.
func AverageLosses(p *game.Problem, loss game.Loss) []game.Loss {
	return kindOf(p).losses(loss)
}

// Instance is ℓ(π, θ) of the Index-th given θ, counted from 0, for one loss.
type Instance struct {
	Index int
	Loss  game.Loss
	record.Estimate
}

// Instances plays every θ in games (0: [Games]) of its own and judges them by
// both losses: two rows an instance. Given instances are played as they are,
// also at |θ_i| = 1 (reading 2).
func Instances(ctx context.Context, play sim.Play, thetas [][]float64, games int, key rng.Key) ([]Instance, error) {
	if games == 0 {
		games = Games
	}
	flat := make([]float64, 0, len(thetas)*play.P.Queries())
	for _, theta := range thetas {
		flat = append(flat, theta...)
	}
	sums, err := play.Instances(ctx, flat, games, key, game.Losses()...)
	if err != nil {
		return nil, err
	}
	out := make([]Instance, 0, len(thetas)*len(game.Losses()))
	for m, theta := range thetas {
		in := play.P.Instance(theta)
		for i, loss := range game.Losses() {
			most := loss.Most(in)
			if play.Items && !play.P.IsItems(theta) {
				most = loss.Scale(play.P) // of what it is rounded to
			}
			e := sums[i][m].Estimate(most)
			e.Questions = play.Questions(sums, m)
			out = append(out, Instance{m, loss, e})
		}
	}
	return out, nil
}
