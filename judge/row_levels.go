package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"mapo/difficulty"
)

// mostRowLevels is how many default levels a graded problem has.
const mostRowLevels = 6

var errAlike = errors.New("each row of the table ties with another one, by rounding or in unknown cells, so no instance has a single best hypothesis: correct the table")

// rowLevels chooses levels of a graded problem, up to where a short search finds Uniform's loss saturated. A large one is not
// searched.
func (c Choice) rowLevels(ctx context.Context) (levels []float64, note string, err error) {
	large := difficulty.Large(c.P)
	if !large {
		if c.P, err = difficulty.AnchoredTold(ctx, c.P, func(float64) {}); err != nil {
			return nil, "", err
		}
	}
	_, least := difficulty.Easiest(c.P)
	far := farthest * slices.Min(least)
	if math.IsInf(far, 1) {
		return nil, "", errAlike
	}
	all, reached := difficulty.RowLevels(c.P, far), "those cover 95 % of the rows even if one answer in ten is wrong"
	if large {
		reached += "; where Uniform's worst case hardly grows was not searched for, as the table is large"
	} else {
		judged := all
		if top := all[len(all)-1]; top < far {
			judged = append(slices.Clone(all), far)
		}
		last, err := c.saturates(ctx, judged)
		if err != nil {
			return nil, "", err
		}
		if last < len(all)-1 {
			all, reached = all[:last+1], "from there on Uniform's worst case hardly grows"
		}
	}
	levels = thin(all, min(c.most(), mostRowLevels))
	top := levels[len(levels)-1:]
	return levels, fmt.Sprintf("No levels were given, so these were chosen: %s; %s. The highest covers %.0f %% of %s, and %.0f %% if one answer in ten is wrong.",
		ListLevels(levels), reached, 100*difficulty.Coverage(c.P, top, 0)[0], difficulty.SampleWords(c.P), 100*difficulty.Coverage(c.P, top, 0.1)[0]), nil
}
