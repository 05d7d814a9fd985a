package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo/record"
)

// averagesFigure returns the paper's Figure 5: the mean over P_h against h, one panel a loss. A single h
// makes no curve and goes with the other priors.
func averagesFigure(run *Run) (drawing, bool) {
	d := drawing{
		name: "averages", paper: 5, title: "Averages over the priors flip:h",
		caption: "Mean loss when instances are drawn from flip:h (the paper’s P_h): each answer’s sign agrees with a random hypothesis with probability h, " +
			"so h = 1 is noiseless and h = 0.5 is pure noise. %s Lower is better; shading is %s.",
	}
	var shown []Row
	var panels []panel
	for _, kind := range run.losses() { // average rows carry both losses, whichever was trained
		rows := where(run.pick(Average, kind), func(r Row) bool { _, ok := flip(r.Prior); return ok && isCurve(run, kind) })
		if len(rows) == 0 {
			continue
		}
		sortAverages(rows)
		shown = append(shown, rows...)
		panels = append(panels, func(l layout) *canvas { return run.overH(rows, kind).canvas(l, 280) })
	}
	d.caption = fmt.Sprintf(d.caption, run.trainedFor(shown, "mapo was not trained for this."), confidence(shown))
	d.draw = stack(panels)
	d.table = rowTable(shown)
	return d, len(panels) > 0
}

// trainedFor says which of the averages shown mapo was trained for, or else otherwise.
func (run *Run) trainedFor(shown []Row, otherwise string) string {
	if run.Weight > 0 && slices.ContainsFunc(shown, func(r Row) bool { return r.Prior == run.Average }) {
		return "mapo was trained for " + record.Objective(run.Average, run.Weight, len(run.Levels)) + "."
	}
	return otherwise
}

// isCurve says whether the run has at least two h under a loss.
func isCurve(run *Run, kind string) bool {
	seen := map[float64]bool{}
	for _, row := range run.pick(Average, kind) {
		if h, ok := flip(row.Prior); ok {
			seen[h] = true
		}
	}
	return len(seen) > 1
}

// overH returns the chart of one loss over h. The π_k stay in the table: nine more lines would hide the rest.
func (run *Run) overH(rows []Row, kind string) *chart {
	h := func(r Row) float64 { v, _ := flip(r.Prior); return v }
	shown := slices.DeleteFunc(policies(rows), isPi)
	if len(shown) == 0 { // only π_k were averaged: then they are what there is to see
		shown = policies(rows)
	}
	var all []series
	room := nothing
	for _, policy := range shown {
		s := run.line(rows, policy, h)
		s.ring = 0
		all = append(all, s)
		room.add(s.x...)
	}
	lo, hi := room.lo, room.hi
	ch := &chart{x: linear("h, probability that a sign is kept", lo, hi, 5)}
	// h has a meaning of its own, so the axis ends just outside the data and not at the next round tick.
	ch.x.lo, ch.x.hi = lo-(hi-lo)*.03, hi+(hi-lo)*.03
	ch.x.ticks = slices.DeleteFunc(ch.x.ticks, func(t tick) bool { return t.at < ch.x.lo || t.at > ch.x.hi })
	ch.series, ch.bands = family(all)
	ch.fit("mean "+lossLabel(kind), kind)
	return ch
}

// sortAverages orders rows by prior and policy.
func sortAverages(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, y := order(a.Prior), order(b.Prior)
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a.Prior, b.Prior), comparePolicies(a.Policy, b.Policy))
	})
}

// order returns a prior's sort key: h for flip:h, +Inf for all others.
func order(prior string) float64 {
	if h, ok := flip(prior); ok {
		return h
	}
	return math.Inf(1)
}

// panel is what draws a part of a figure.
type panel func(l layout) *canvas

// stack puts panels under each other, as one figure with one caption.
func stack(panels []panel) panel {
	return func(l layout) *canvas {
		out := &canvas{}
		for _, draw := range panels {
			p := draw(l)
			fmt.Fprintf(&out.b, `<g transform="translate(0 %s)">`+"\n%s</g>\n", px(out.h), p.b.String())
			out.w, out.h = math.Max(out.w, p.w), out.h+p.h
		}
		return out
	}
}

// priorsFigure shows averages over every prior that is not a curve over h: one panel a prior and
// loss, policies from the best to the worst.
func priorsFigure(run *Run) (drawing, bool) {
	d := drawing{
		name: "priors", title: "Averages over the other priors",
		caption: "Mean loss over a prior, best policy on top, with %s. Lower is better. %s The axes need not start at 0.",
	}
	var shown []Row
	var panels []panel
	for _, kind := range run.losses() {
		rows := where(run.pick(Average, kind), func(r Row) bool { _, ok := flip(r.Prior); return !ok || !isCurve(run, kind) })
		sortAverages(rows)
		shown = append(shown, rows...)
		for len(rows) > 0 { // sorted, so a prior's rows stand together
			prior := rows[0].Prior
			next := dots{title: "prior " + prior + ", " + lossName(kind), label: "mean " + lossLabel(kind)}
			for len(rows) > 0 && rows[0].Prior == prior {
				next.rows = append(next.rows, rows[0])
				rows = rows[1:]
			}
			panels = append(panels, next.canvas)
		}
	}
	d.caption = fmt.Sprintf(d.caption, confidence(shown), run.trainedFor(shown, "None of these policies, mapo included, was trained on "+
		"these priors, but for bayes-lal on noiseless instances."))
	d.draw = stack(panels)
	d.table = rowTable(shown)
	return d, len(panels) > 0
}

// dots is a panel with one line a policy: a marker, its interval, its number.
type dots struct {
	title, label string
	rows         []Row
	all          bool // show the π_k beside mapo
}

// canvas draws the panel: policies down the side in their colours, their means in figures on the right.
func (p dots) canvas(l layout) *canvas {
	rows := p.shown()
	const pitch, left, right = 20, 112, 62
	cv := &canvas{w: l.w, h: float64(len(rows))*pitch + 86}
	means := nothing
	for _, row := range rows {
		means.add(row.Mean, row.Lo, row.Hi)
	}
	means.show()
	area := box{left, 34, l.w - left - right, float64(len(rows)) * pitch}
	ch := &chart{x: linear(p.label, means.lo, means.hi, 5)}
	ch.frame(cv, area)
	cv.text("m-t m-b", 8, 18, "start", shorten(p.title, 48))
	for i, row := range rows {
		s, y := styleOf(row.Policy), area.y+(float64(i)+.5)*pitch
		color, weight, radius := px(float64(s.color)), "", 3.5
		if s.bold {
			weight, radius = " m-b", 5
		}
		x := ch.px(area, row.Mean, 0)
		cv.line("m-grid", area.x, y, area.x+area.w, y)
		if finite(row.Lo) && finite(row.Hi) {
			cv.line("m-i m-l"+color, ch.px(area, row.Lo, 0), y, ch.px(area, row.Hi, 0), y)
		}
		cv.marker("m-f"+color, s.mark, x, y, radius)
		cv.text("m-t"+color+weight, area.x-8, y+4, "end", shorten(row.Policy, 14))
		cv.text("m-t m-s"+weight, area.x+area.w+8, y+4, "start", loss(row.Mean))
	}
	return cv
}

// shown returns the panel's rows, best first. With mapo there, the π_k stay in the table.
func (p dots) shown() []Row {
	rows := slices.Clone(p.rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Mean, b.Mean) })
	if !p.all && slices.ContainsFunc(rows, func(r Row) bool { return r.Policy == Mapo }) {
		rows = slices.DeleteFunc(rows, func(r Row) bool { return isPi(r.Policy) })
	}
	return rows
}

// span is a range of numbers.
type span struct{ lo, hi float64 }

// nothing is the span of no numbers.
var nothing = span{math.Inf(1), math.Inf(-1)}

// add makes room for the finite ones of some numbers.
func (s *span) add(numbers ...float64) {
	for _, v := range numbers {
		if finite(v) {
			s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
		}
	}
}

// show makes room for 0 where it is near. A dot, unlike a bar, does not say its number by its distance from 0, so elsewhere an
// axis may start where the differences are.
func (s *span) show() {
	if s.lo < s.hi/2 {
		s.lo = math.Min(s.lo, 0)
	}
}
