package report

import "fmt"

// minimaxFigure sets every policy's exact worst case over the certified instances
// beside the bracket: how far each is from the best that any policy can do.
func minimaxFigure(run *Run) (drawing, bool) {
	rows, brackets := leveled(run.Exact), run.brackets()
	d := drawing{name: "minimax", title: "How far from the best possible"}
	if len(rows) == 0 || len(brackets) == 0 {
		return d, false
	}
	d, ok := run.overLevels(d, rows, brackets, nil)
	d.caption = "Each policy’s worst case over " + run.ExactOver + " up to each difficulty, every game played, nothing sampled. " +
		"The I-beams are certified: no policy at all gets below their feet, and some policy reaches their heads. Lower is better. " +
		"Over all instances a worst case may be higher than over these."
	if len(levelsOf(rows)) == 1 {
		d.caption += " The line “certified” is the bracket."
	}
	d.table = minimaxTable(rows, brackets)
	return d, ok
}

// minimaxTable returns the exact numbers to four decimals, as they have no error
// bars to hide the fourth.
func minimaxTable(rows, brackets []Row) (t table) {
	t.Head = []string{"difficulty r", "policy", "worst case, exact", "least possible, certified", "above it by at most"}
	for _, row := range rows {
		for _, b := range brackets {
			if b.Level == row.Level {
				t.Cells = append(t.Cells, []string{level(row.Level), row.Policy, exactly(row.Mean),
					exactly(b.Lo) + " to " + exactly(b.Hi), exactly(row.Mean - b.Lo)})
			}
		}
	}
	return t
}

// exactly prints a number that is not an estimate.
func exactly(v float64) string { return fmt.Sprintf("%.4f", v+0) }

// certified says what a bracket means, beside mapo's exact worst case where it is
// known, else beside the one found.
func (run *Run) certified(b Row) string {
	over := "these instances"
	if run.ExactOver != "" {
		over = run.ExactOver
	}
	text := fmt.Sprintf("Certified at r\u00a0=\u00a0%s: no policy at all has a worst case below %s over %s, and some policy has one of at most %s",
		level(b.Level), exactly(b.Lo), over, exactly(b.Hi))
	if own, ok := at(run.Exact, Mapo, b.Level); ok {
		return text + fmt.Sprintf("; mapo’s there is exactly %s, at most %s above the least possible.", exactly(own.Mean), exactly(own.Mean-b.Lo))
	}
	if own, ok := at(run.pick(WorstCase, run.Loss), Mapo, b.Level); ok {
		text += fmt.Sprintf("; the worst found for mapo is %s %s", loss(own.Mean), interval(own.Lo, own.Hi))
	}
	return text + "."
}
