package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo/game"
)

// Cover says how much of a table a level speaks of: the share of its rows whose answers are of difficulty at most Level, as the
// table has them and with one answer in ten flipped.
type Cover struct{ Level, Own, Flipped float64 }

// tenFlipped is the prior of a table's rows with one answer in ten flipped.
const tenFlipped = "table+flip:0.1"

// condition is what a line of the first table is about.
type condition struct {
	text, metric, prior string
	level               float64
}

// conditions are those that the run has numbers of: the table's own answers, one in ten wrong, other sources' people, the worst
// case.
func (run *Run) conditions() []condition {
	var out []condition
	rows := run.pick(Average, run.Loss)
	has := func(prior string) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return r.Prior == prior && r.Policy == Mapo })
	}
	if has("table") {
		out = append(out, condition{text: "the table’s own answers", metric: Average, prior: "table"})
	}
	if has(tenFlipped) {
		out = append(out, condition{text: "one answer in ten wrong", metric: Average, prior: tenFlipped})
	}
	for _, row := range rows {
		source, ok := strings.CutPrefix(row.Prior, game.PeopleOf)
		if ok && row.Policy == Mapo && !strings.HasSuffix(source, game.WorstTenth) {
			out = append(out, condition{text: "the answers of " + source, metric: Average, prior: row.Prior})
		}
	}
	if c, ok := run.headLevel(); ok {
		out = append(out, condition{text: "the worst case found, up to r\u00a0=\u00a0" + level(c.Level), metric: WorstCase, level: c.Level})
	}
	return out
}

// of is the rows that are about c.
func (c condition) of(run *Run) []Row {
	return where(run.pick(c.metric, run.Loss), func(r Row) bool {
		return r.Prior == c.prior && (c.metric != WorstCase || r.Level == c.level)
	})
}

// headLevel is the lowest level that covers half of the rows, else the highest.
func (run *Run) headLevel() (at Cover, ok bool) {
	for _, c := range run.Coverage {
		if at = c; c.Own >= 0.5 {
			break
		}
	}
	return at, len(run.Coverage) > 0
}

// Headline returns the answer in a few sentences, of a run on the rows of a table: how often mapo is right under each condition,
// and the best alternative. It is nil of other runs.
func (run *Run) Headline() []string {
	if run.Loss != BestIdentification {
		return nil
	}
	var out []string
	for _, c := range run.conditions() {
		rows := c.of(run)
		own, ok := rowOf(rows, Mapo)
		if !ok {
			continue
		}
		text := "With " + c.text
		switch {
		case c.prior == "table":
			text = "If answers are as the table says"
		case c.prior == tenFlipped:
			text = "If one answer in ten is wrong"
		case c.metric == WorstCase:
			at, _ := run.headLevel()
			text = fmt.Sprintf("At worst, at difficulty up to %s, which covers %s of the table’s rows", level(c.level), whole(at.Own))
		}
		text += ": mapo is right in " + whole(1-own.Mean)
		if c.metric == Average && c.prior == "table" {
			text += " of games after " + run.length(own)
		}
		if best, ok := least(rows, func(r Row) bool { return !learned(r.Policy) }); ok {
			text += fmt.Sprintf(" (best alternative %s, %s)", whole(1-best.Mean), best.Policy)
		}
		out = append(out, text+".")
	}
	return out
}

// length says how many questions games have.
func (run *Run) length(r Row) string {
	if r.Questions.Hi > 0 {
		return fmt.Sprintf("%.1f questions on average", r.Questions.Mean)
	}
	return fmt.Sprintf("%d questions", run.Budget)
}

// given is the first table: how often the policies of its columns are right, a condition a line.
type given struct {
	Head  []string
	Cells [][]string
}

// gives compares mapo with the most robust rival and the most accurate one.
func (run *Run) gives() *given {
	conditions := run.conditions()
	if run.Loss != BestIdentification || len(conditions) == 0 {
		return nil
	}
	columns := []string{Mapo}
	head := []string{"answers", Mapo}
	add := func(c condition, what string) {
		if best, ok := least(c.of(run), func(r Row) bool { return !learned(r.Policy) }); ok && !slices.Contains(columns, best.Policy) {
			columns, head = append(columns, best.Policy), append(head, what+", "+best.Policy)
		}
	}
	if last := conditions[len(conditions)-1]; last.metric == WorstCase {
		add(last, "most robust rival")
	}
	if conditions[0].metric == Average {
		add(conditions[0], "most accurate rival")
	}
	g := &given{Head: head}
	for _, c := range conditions {
		rows := c.of(run)
		line := []string{c.text}
		for _, policy := range columns {
			row, ok := rowOf(rows, policy)
			if !ok {
				line = append(line, "")
				continue
			}
			line = append(line, rightly(row))
		}
		own, _ := rowOf(rows, Mapo)
		g.Cells = append(g.Cells, append(line, Questions(own)))
	}
	g.Head = append(g.Head, "questions, "+Mapo)
	g.Head, g.Cells = prune(g.Head, g.Cells)
	return g
}

// rightly is a loss as the share of games that end right, with its interval.
func rightly(r Row) string {
	if math.IsNaN(r.Lo) || math.IsNaN(r.Hi) {
		return whole(1 - r.Mean)
	}
	return fmt.Sprintf("%.1f %% [%.0f, %.0f]", 100*(1-r.Mean), 100*(1-r.Hi), 100*(1-r.Lo))
}

// whole is a share as a percentage without decimals, for sentences.
func whole(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// rowOf is a policy's row.
func rowOf(rows []Row, policy string) (Row, bool) {
	return least(rows, func(r Row) bool { return r.Policy == policy })
}

// least is the row of the least mean of those to be looked at.
func least(rows []Row, look func(Row) bool) (best Row, ok bool) {
	for _, r := range rows {
		if look(r) && (!ok || r.Mean < best.Mean) {
			best, ok = r, true
		}
	}
	return best, ok
}

// noiseFigure shows how often policies are right against the share of wrong answers.
func noiseFigure(run *Run) (drawing, bool) {
	rows := run.pick(Average, BestIdentification)
	ch := noiseChart(rows)
	if ch != nil {
		for k := range ch.series {
			ch.series[k].style = styleOf(ch.series[k].name)
		}
	}
	d := drawing{
		name: "noise", title: "Right against the share of wrong answers", chart: ch,
		caption: "The share of games that end with the row that was drawn, where a share of the answers is the opposite of the row’s. " +
			"Higher is better; shading is " + confidence(rows) + ".",
	}
	if ch == nil || len(ch.series[0].x) < 2 {
		return d, false
	}
	d.draw = func(l layout) *canvas { return ch.canvas(l, 340) }
	d.head, d.cells = rowTable(where(rows, func(r Row) bool { _, ok := Flipped(r.Prior); return ok }))
	return d, true
}

// coverageFigure places the table's rows on the axis of difficulty.
func coverageFigure(run *Run) (drawing, bool) {
	d := drawing{
		name: "coverage", title: "Where the table’s rows are",
		caption: "The share of the table’s rows whose answers are of difficulty at most r: as the table has them, and with one answer in ten flipped. " +
			"What is said of a level holds for these rows, and for all instances that are as hard.",
	}
	if len(run.Coverage) < 2 {
		return d, false
	}
	own := series{name: "as the table has them", short: "own answers", style: style{color: vermillion, bold: true}, ring: -1}
	flipped := series{name: "one answer in ten flipped", short: "one in ten flipped", style: style{color: blue, mark: 1}, ring: -1}
	d.head = []string{"difficulty up to", own.name, flipped.name}
	var levels []float64
	for _, c := range run.Coverage {
		levels = append(levels, c.Level)
		own.x, own.mean = append(own.x, c.Level), append(own.mean, c.Own)
		flipped.x, flipped.mean = append(flipped.x, c.Level), append(flipped.mean, c.Flipped)
		d.cells = append(d.cells, []string{level(c.Level), whole(c.Own), whole(c.Flipped)})
	}
	ch := &chart{x: difficulty(levels), y: linear("share of the table’s rows", 0, 1, 5), series: []series{own, flipped}}
	d.chart, d.draw = ch, func(l layout) *canvas { return ch.canvas(l, 260) }
	return d, true
}
