package report

import (
	"math"

	"mapo/game"
	"mapo/record"
)

// RowOf returns an estimate of a loss on p as a line of results.csv, without level, prior, instance and seconds. A regret is
// in the units of answers ([game.Loss.Unit]).
func RowOf(metric, policy string, p *game.Problem, loss game.Loss, e record.Estimate) Row {
	e = e.Times(loss.Unit(p))
	return Row{
		Metric: metric, Policy: policy, Loss: loss.String(), Instance: -1, Seconds: math.NaN(),
		Mean: e.Mean, Lo: e.Lo, Hi: e.Hi, Confidence: e.Confidence, Games: e.Games, Questions: e.Questions,
	}
}

// BracketRow returns a certified bracket as a line of results.csv.
func BracketRow(loss string, level, lo, hi, seconds float64) Row {
	return Row{
		Metric: Minimax, Loss: loss, Level: level, Instance: -1,
		Mean: math.NaN(), Lo: lo, Hi: hi, Confidence: 1, Seconds: seconds,
	}
}
