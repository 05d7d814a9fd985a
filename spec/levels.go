package spec

import (
	"fmt"
	"math"

	"mapo/difficulty"
	"mapo/game"
)

// checkLevels checks levels as given: positive, increasing, and none that no
// instance can meet. Where the hypotheses are rows, the least takes
// a second, and a plan looks for it.
func (l *loader) checkLevels() error {
	least, symbol := 0.0, difficulty.MeasureOf(l.spec.Problem).Symbol
	if l.spec.Instances == nil && len(l.raw.Levels) > 0 && l.spec.Truth == Majority {
		least = difficulty.Least(l.spec.Problem)
	}
	for i, r := range l.raw.Levels {
		at := fmt.Sprintf("levels[%d]", i)
		switch {
		case r <= 0:
			return l.src.at(at, "level %g is not above 0", r)
		case r > game.MostLevel:
			return l.src.at(at, "level %g is above %g, beyond any use: lower it or drop it", r, game.MostLevel)
		case i > 0 && r <= l.raw.Levels[i-1]:
			return l.src.at(at, "level %g follows %g: list the levels from low to high, each once", r, l.raw.Levels[i-1])
		case r < least:
			return l.src.at(at, "level %g is below %s, the least %s an instance of this problem can have: start the levels there or above", r, difficulty.Above(least), symbol)
		}
	}
	if l.raw.Levels != nil && len(l.raw.Levels) == 0 {
		return l.src.at("levels", "levels is an empty list: name at least one, or remove the key and they are chosen from the problem")
	}
	l.spec.Levels = l.raw.Levels
	return l.checkInstances()
}

// checkInstances refuses a level below every given instance's ρ̃.
func (l *loader) checkInstances() error {
	if l.spec.Instances == nil || len(l.spec.Levels) == 0 {
		return nil
	}
	rho := difficulty.Of(l.spec.Problem)
	least := math.Inf(1)
	for _, theta := range l.spec.Instances {
		least = min(least, rho.Of(theta))
	}
	if math.IsInf(least, 1) {
		return l.src.at("instances", "no instance of %s has a single best hypothesis: %s is infinite for all", l.raw.Instances, difficulty.MeasureOf(l.spec.Problem).Symbol)
	}
	if lowest := l.spec.Levels[0]; !game.Within(least, lowest) {
		return l.src.at("levels[0]", "level %g is below %s, the least %s among the instances of %s: start the levels there or above", lowest, difficulty.Above(least), difficulty.MeasureOf(l.spec.Problem).Symbol, l.raw.Instances)
	}
	return nil
}
