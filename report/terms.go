package report

import (
	"mapo/difficulty"
	"mapo/game"
)

// words returns how the run's kind of problem is spoken of.
func (run *Run) words() *game.Words {
	if run.Words == nil {
		return game.Majorities{}.Words()
	}
	return run.Words
}

// measure returns the difficulty by which levels are given.
func (run *Run) measure() difficulty.Measure {
	if run.Measure.Name == "" {
		return difficulty.MeasureOf(new(game.Problem))
	}
	return run.Measure
}
