package judge

import (
	"errors"
	"fmt"

	"mapo/difficulty"
	"mapo/rng"
)

// poolLevels chooses levels of a pool of items.
func (c Choice) poolLevels() (levels []float64, note string, err error) {
	levels = difficulty.PoolLevels(c.P, rng.New(c.Seed).Name("levels"))
	if len(levels) == 0 {
		return nil, "", errors.New("on hardly any instance of the pool is one classifier better than the others: give levels in the spec")
	}
	return levels, fmt.Sprintf("No levels were given, so these were chosen: %s. Half of the instances drawn by the classifiers' votes, and with each classifier in turn as the truth, are within the first, and 90 %% within the last.",
		ListLevels(levels)), nil
}
