package record

import (
	"fmt"
	"math"
)

// Objective returns in words what a min-gap policy was trained for: the weighted sum
// of its worst gap, with one level its worst case, and of its mean loss over a prior.
func Objective(prior string, weight float64, levels int) string {
	worst := "largest gap"
	if levels == 1 {
		worst = "worst case"
	}
	return fmt.Sprintf("%g × its %s + %g × its mean loss over the prior %s", math.Round((1-weight)*1e9)/1e9, worst, weight, prior)
}
