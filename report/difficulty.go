package report

import (
	"fmt"
	"math"
	"slices"
)

// Difficulty says in one line how hard the rows of another source are for a game, from ρ̃ of each for its own hypothesis,
// +Inf where another one is nearer. At least one row; rho is left as it is.
func Difficulty(source string, rho []float64) string {
	rho = slices.Sorted(slices.Values(rho))
	at := func(share float64) string {
		v := rho[int(math.Ceil(share*float64(len(rho))))-1]
		if math.IsInf(v, 1) {
			return "∞"
		}
		return fmt.Sprintf("%.3g", v)
	}
	nearer := 0
	for _, v := range rho {
		if math.IsInf(v, 1) {
			nearer++
		}
	}
	return fmt.Sprintf("%s: its %d rows have difficulty %s at 5 %%, %s at 25 %%, %s at 50 %% and %s at 75 %% of them; for %.0f %% another object is nearer",
		source, len(rho), at(0.05), at(0.25), at(0.5), at(0.75), 100*float64(nearer)/float64(len(rho)))
}
