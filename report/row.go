package report

import (
	"math"

	"mapo/record"
)

// RowOf returns an estimate as a line of results.csv, without level, prior, instance
// and seconds.
func RowOf(metric, policy, loss string, e record.Estimate) Row {
	return Row{
		Metric: metric, Policy: policy, Loss: loss, Instance: -1, Seconds: math.NaN(),
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
