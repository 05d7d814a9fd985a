package judge

import (
	"context"

	"mapo/game"
)

// kind is what of measures depends on the kind of a problem.
type kind interface {
	// levels chooses levels for all of Θ.
	levels(ctx context.Context, c Choice) (levels []float64, note string, err error)
	// losses returns those that averages are judged by, where worst cases are by loss.
	losses(loss game.Loss) []game.Loss
}

// kindOf returns that of p.
func kindOf(p *game.Problem) kind {
	switch p.Goal().(type) {
	case *game.Shares:
		return rows{}
	case *game.Labels:
		return pool{}
	default:
		return plain{}
	}
}

// plain is any problem of which nothing more is known.
type plain struct{}

func (plain) levels(ctx context.Context, c Choice) ([]float64, string, error) {
	return c.gridLevels(ctx)
}
func (plain) losses(game.Loss) []game.Loss { return game.Losses() }

// rows are those of a table.
type rows struct{}

func (rows) levels(ctx context.Context, c Choice) ([]float64, string, error) { return c.rowLevels(ctx) }

// losses leaves out regret where policies identify: how often do they name the row that was drawn?
func (rows) losses(loss game.Loss) []game.Loss {
	if loss == game.BestIdentification {
		return []game.Loss{loss}
	}
	return game.Losses()
}

// pool is of items.
type pool struct{ plain }

func (pool) levels(_ context.Context, c Choice) ([]float64, string, error) { return c.poolLevels() }
