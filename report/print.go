package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
)

// Print writes rows as an aligned table.
func Print(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	head, stops := "metric\tpolicy\tloss\tat\tmean\tinterval\tgames\t", Stops(rows)
	if stops {
		head += "questions\t"
	}
	fmt.Fprintln(t, head)
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.4f\t", r.Metric, r.Policy, r.Loss, r.about(), r.Mean)
		if r.Confidence == 1 {
			fmt.Fprintf(t, "exact\t\t")
		} else {
			fmt.Fprintf(t, "[%.4f, %.4f]\t%d\t", r.Lo, r.Hi, r.Games)
		}
		if stops {
			fmt.Fprintf(t, "%s\t", questions(r.Questions))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// about returns the level, prior or instance a row is about.
func (r Row) about() string {
	switch {
	case r.Prior != "":
		return r.Prior
	case r.Instance >= 0:
		return "#" + strconv.Itoa(r.Instance)
	case r.Level > 0 && !math.IsNaN(r.Level):
		return fmt.Sprintf("r = %.4g", r.Level)
	}
	return ""
}
