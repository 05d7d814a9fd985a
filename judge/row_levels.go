package judge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mapo/difficulty"
)

// mostRowLevels is how many default levels a graded problem has.
const mostRowLevels = 6

// rowLevels chooses levels of a graded problem, up to where a short search finds Uniform's loss saturated.
func (c Choice) rowLevels(ctx context.Context) (levels []float64, note string, err error) {
	c.P = difficulty.Anchored(c.P)
	far := farthest * difficulty.Least(c.P)
	if math.IsInf(far, 1) {
		return nil, "", errNoDifficulty
	}
	all := difficulty.RowLevels(c.P, far)
	judged := all
	if top := all[len(all)-1]; top < far {
		judged = append(slices.Clone(all), far)
	}
	last, err := c.saturates(ctx, judged)
	if err != nil {
		return nil, "", err
	}
	reached := "those cover 95 % of the rows even if one answer in ten is wrong"
	if last < len(all)-1 {
		all, reached = all[:last+1], "from there on Uniform's worst case hardly grows"
	}
	levels = thin(all, min(c.most(), mostRowLevels))
	top := levels[len(levels)-1:]
	return levels, fmt.Sprintf("No levels were given, so these were chosen: %s; %s. The highest covers %.0f %% of the rows, and %.0f %% if one answer in ten is wrong.",
		ListLevels(levels), reached, 100*difficulty.Coverage(c.P, top, 0)[0], 100*difficulty.Coverage(c.P, top, 0.1)[0]), nil
}
