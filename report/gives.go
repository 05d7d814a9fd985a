package report

import (
	"fmt"
	"slices"

	"mapo/game"
	"mapo/judge"
	"mapo/record"
)

// Cover says how much of a table a level speaks of: the share of its rows whose answers are of difficulty at most Level, as the
// table has them and with one answer in ten flipped.
type Cover struct{ Level, Own, Flipped float64 }

// given returns what the run says of mapo that its first lines are about: see [judge.Headline].
func (run *Run) given() []judge.Given {
	loss, err := game.ParseLoss(run.Loss)
	if err != nil || loss != game.BestIdentification && run.Pool == 0 {
		return nil
	}
	var all []judge.Given
	add := func(row Row, covers float64) {
		all = append(all, judge.Given{Prior: row.Prior, Level: row.Level, Covers: covers, Loss: loss, Pool: run.Pool, Stopping: run.Stopping, Estimate: estimateOf(row)})
	}
	mapo := func(r Row) bool { return r.Policy == Mapo }
	for _, row := range where(run.pick(Average, run.Loss), mapo) {
		add(row, 0)
	}
	worst := where(run.pick(WorstCase, run.Loss), mapo)
	if run.Pool > 0 {
		for _, row := range worst {
			add(row, 0)
		}
	}
	for _, c := range run.Coverage {
		for _, row := range worst {
			if row.Level == c.Level {
				add(row, c.Own)
			}
		}
	}
	return judge.Headline(all)
}

// estimateOf returns a row's estimate.
func estimateOf(row Row) record.Estimate {
	return record.Estimate{Mean: row.Mean, Lo: row.Lo, Hi: row.Hi, Confidence: row.Confidence, Games: row.Games, Questions: row.Questions}
}

// like returns the rows of all policies that are about what g is.
func (run *Run) like(g judge.Given) []Row {
	metric := Average
	if g.Level > 0 {
		metric = WorstCase
	}
	return where(run.pick(metric, run.Loss), func(r Row) bool { return r.Prior == g.Prior && (g.Level == 0 || r.Level == g.Level) })
}

// Headline returns the answer in a few sentences, of a run on the rows of a table or on a pool: how well mapo does under each
// condition, and the best alternative. It is nil of other runs.
func (run *Run) Headline() []string {
	var out []string
	for i, g := range run.given() {
		text := g.Case() + ": mapo is " + g.Does()
		switch {
		case g.Prior == "table":
			text += " of games after " + run.length(g)
		case run.Pool > 0 && i == 0:
			text += fmt.Sprintf(" after %d labels", run.Budget)
		}
		text += "."
		if best, ok := bestRival(run.like(g)); ok {
			g.Estimate = estimateOf(best)
			text += fmt.Sprintf(" The best alternative, %s, is %s.", best.Policy, g.Does())
		}
		out = append(out, text)
	}
	return out
}

// length says how many questions games have.
func (run *Run) length(g judge.Given) string {
	if g.Questions.Hi > 0 {
		return fmt.Sprintf("%.1f questions on average", g.Questions.Mean)
	}
	if run.Budget == 1 {
		return "1 question"
	}
	return fmt.Sprintf("%d questions", run.Budget)
}

// givesLead is what numbers are, and which are better.
type givesLead struct{ What, Better string }

// GivesLead says what the first table's numbers are, up to "with its interval".
func (run page) GivesLead() givesLead {
	if run.Pool > 0 && run.Loss == SimpleRegret {
		return givesLead{"How many points of accuracy on the pool the model named is short of the best one", "lower is better"}
	}
	return givesLead{"The share of games that end right", "higher is better"}
}

// Gives returns the first table: how often mapo, the most robust rival and the most accurate one are right, a condition a line.
func (run page) Gives() *table {
	all := run.given()
	if len(all) == 0 {
		return nil
	}
	columns := []string{Mapo}
	head := []string{"answers", Mapo}
	add := func(g judge.Given, what string) {
		if best, ok := bestRival(run.like(g)); ok && !slices.Contains(columns, best.Policy) {
			columns, head = append(columns, best.Policy), append(head, what+", "+best.Policy)
		}
	}
	if last := all[len(all)-1]; last.Level > 0 {
		add(last, "most robust rival")
	}
	if first := all[0]; first.Level == 0 {
		add(first, "most accurate rival")
	}
	t := table{Head: append(head, "questions, "+Mapo)}
	for _, g := range all {
		line := []string{g.Answers()}
		for _, policy := range columns {
			line = append(line, rightly(where(run.like(g), func(r Row) bool { return r.Policy == policy }), g))
		}
		t.Cells = append(t.Cells, append(line, questions(g.Questions)))
	}
	t = t.prune()
	return &t
}

// rightly returns a policy's row as the share of games that end right; "" where there is no row.
func rightly(rows []Row, g judge.Given) string {
	if len(rows) == 0 {
		return ""
	}
	g.Estimate = estimateOf(rows[0])
	if rows[0].Screened() {
		return g.Amount() + ", short search"
	}
	return g.Amount()
}

// whole returns a share as a percentage without decimals.
func whole(share float64) string { return fmt.Sprintf("%.0f\u00a0%%", 100*share) }

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
		name: "noise", title: "Right against the share of wrong answers",
		caption: "The share of games that end with the row that was drawn, where a share of the answers is the opposite of the row’s. " +
			"Higher is better; shading is " + confidence(rows) + ".",
	}
	if ch == nil || len(ch.series[0].x) < 2 {
		return d, false
	}
	d.draw = func(l layout) *canvas { return ch.canvas(l, 340) }
	d.table = rowTable(where(rows, func(r Row) bool { _, ok := Flipped(r.Prior); return ok }))
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
	d.Head = []string{"difficulty up to", own.name, flipped.name}
	var levels []float64
	for _, c := range run.Coverage {
		levels = append(levels, c.Level)
		own.x, own.mean = append(own.x, c.Level), append(own.mean, c.Own)
		flipped.x, flipped.mean = append(flipped.x, c.Level), append(flipped.mean, c.Flipped)
		d.Cells = append(d.Cells, []string{level(c.Level), whole(c.Own), whole(c.Flipped)})
	}
	ch := &chart{x: difficultyAxis(levels), y: linear("share of the table’s rows", 0, 1, 5), series: []series{own, flipped}}
	d.draw = func(l layout) *canvas { return ch.canvas(l, 260) }
	return d, true
}
