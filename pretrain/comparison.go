package pretrain

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// Comparison returns the step's comparison with fixed policies, where it has one, as lines that follow another.
func (step Step) Comparison() string {
	if step.Compared == nil {
		return ""
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\non held-out problems\tright on average\tmean worst case")
	for _, r := range step.Compared {
		worst := fmt.Sprintf("%.3f ± %.3f", r.Worst, r.WorstWithin)
		if math.IsNaN(r.Worst) {
			worst = "no problem tells the policies apart"
		}
		fmt.Fprintf(t, "%s\t%.1f ± %.1f %%\t%s\n", r.Policy, 100*r.Right, 100*r.RightWithin, worst)
	}
	_ = t.Flush() // into memory
	return strings.TrimSuffix(b.String(), "\n")
}
