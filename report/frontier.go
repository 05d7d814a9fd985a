package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mapo/record"
)

// frontierPrior returns the prior whose average the frontier sets against the worst
// case: the objective's, else the data's own, else the first averaged over.
func (run *Run) frontierPrior() string {
	rows := run.pick(Average, run.Loss)
	if run.Average != "" || len(rows) == 0 {
		return run.Average
	}
	for _, row := range rows {
		if row.Prior == "table" || row.Prior == "users" {
			return row.Prior
		}
	}
	return rows[0].Prior
}

// spot is a policy's place: its worst case or largest gap, and its average.
type spot struct {
	policy      string
	worst, mean Row
	gaps        []float64 // those the worst is the largest of, by level
	screened    bool      // whether a short search found one of them
}

// frontierView is one measure of the worst against the average.
type frontierView struct {
	label string
	spots []spot
}

// frontier returns what the figure shows, the measure that the trade-off weight weighs first: the
// largest gap, then the worst case at some levels; with one level that alone.
func (run *Run) frontier() []frontierView {
	prior := run.frontierPrior()
	means := where(run.pick(Average, run.Loss), func(r Row) bool { return r.Prior == prior })
	worst, gaps := leveled(run.pick(WorstCase, run.Loss)), leveled(run.pick(Gap, run.Loss))
	levels := levelsOf(worst)
	var out []frontierView
	add := func(label string, of func(policy string) []Row) {
		v := frontierView{label: label}
		for _, mean := range means {
			if rows := of(mean.Policy); len(rows) > 0 {
				v.spots = append(v.spots, newSpot(mean, rows))
			}
		}
		slices.SortStableFunc(v.spots, func(a, b spot) int { return comparePolicies(a.policy, b.policy) })
		if len(v.spots) > 1 {
			out = append(out, v)
		}
	}
	if len(levels) > 1 {
		add("largest gap", func(policy string) []Row { return where(gaps, func(r Row) bool { return r.Policy == policy }) })
	}
	for _, r := range few(levels) {
		add("worst case up to r\u00a0=\u00a0"+level(r), func(policy string) []Row {
			return where(worst, func(row Row) bool { return row.Policy == policy && row.Level == r })
		})
	}
	return out
}

// newSpot takes the largest of a policy's rows.
func newSpot(mean Row, rows []Row) spot {
	s := spot{policy: mean.Policy, mean: mean, worst: rows[0]}
	for _, row := range rows {
		s.gaps, s.screened = append(s.gaps, row.Mean), s.screened || row.Screened()
		if row.Mean > s.worst.Mean {
			s.worst = row
		}
	}
	return s
}

// frontierFigure sets every policy's worst case against its average over a prior.
func frontierFigure(run *Run) (drawing, bool) {
	views := run.frontier()
	prior := run.frontierPrior()
	d := drawing{
		name: "frontier", title: "Worst case against average",
		caption: "Every policy of the run: across, its largest gap or its worst case found; up, its mean loss over the prior " + prior +
			"; bars are the intervals. Further left and further down is better. A policy for any point of the grey line can be had by " +
			"choosing between the two at its ends with a coin at the start of each game: its average is on the line, its worst case at most.",
	}
	if run.Weight > 0 {
		d.caption += " mapo was trained for " + record.Objective(prior, run.Weight, len(run.Levels)) + "."
	}
	if slices.ContainsFunc(views, func(v frontierView) bool { return v.cut(run.Loss) < v.most() }) {
		d.caption += " The axis across is cut; arrows tell how far a policy lies outside."
	}
	if slices.ContainsFunc(views, func(v frontierView) bool { return len(v.compared()) < len(v.spots) }) {
		d.caption += " The line leaves out policies that only a short search looked at, " + ScreenEffort + " in the table: they may lie further right."
	}
	d.draw = func(l layout) *canvas {
		names := views[0].spots
		keys, top := spotLegend(l, run, names)
		columns := 2
		if l.narrow {
			columns = 1
		}
		cv, boxes := grid(l, len(views), columns, 250, top+6)
		cv.b.WriteString(keys)
		for i, v := range views {
			v.panel(cv, boxes[i], run, prior)
		}
		return cv
	}
	if len(views) > 0 {
		d.table = frontierTable(views, prior)
	}
	return d, len(views) > 0
}

// most returns the largest worst case, cut the end of its axis: regrets that tower over
// the learned policies' would flatten what matters.
func (v frontierView) most() (most float64) {
	for _, s := range v.spots {
		most = math.Max(most, s.worst.Mean)
	}
	return most
}

func (v frontierView) cut(kind string) float64 {
	near := 0.0
	for _, s := range v.spots {
		if learned(s.policy) || s.policy == "uniform" {
			near = math.Max(near, s.worst.Mean)
		}
	}
	return axisEnd(kind, near, v.most())
}

// panel draws one view.
func (v frontierView) panel(cv *canvas, area box, run *Run, prior string) {
	across, up := nothing, span{math.Inf(1), 0}
	for _, s := range v.spots {
		across.add(s.worst.Mean, s.worst.Lo)
		up.add(s.mean.Mean, s.mean.Lo, s.mean.Hi)
	}
	across.hi = v.cut(run.Loss)
	across.show()
	up.show()
	ch := &chart{x: linear(v.label, across.lo, across.hi, 4), y: linear("mean over "+shorten(prior, 20), up.lo, up.hi, 4)}
	area = ch.room(area)
	ch.frame(cv, area)
	if line := v.hull(); len(line) > 1 {
		var p pen
		for _, s := range line {
			p.to(ch.px(area, math.Min(s.worst.Mean, ch.x.hi), 0), ch.py(area, s.mean.Mean))
		}
		cv.path("m-l m-h m-l0", p.d.String(), "4 3")
	}
	for _, bold := range []bool{false, true} { // mapo on top
		for _, s := range v.spots {
			if styleOf(s.policy).bold == bold {
				ch.spot(cv, area, s)
			}
		}
	}
}

// spot draws one policy, at the border where its worst case is beyond the axis.
func (ch *chart) spot(cv *canvas, area box, s spot) {
	style, radius := styleOf(s.policy), 3.5
	if style.bold {
		radius = 5
	}
	color := px(float64(style.color))
	held := func(v float64) float64 { return ch.px(area, math.Max(math.Min(v, ch.x.hi), ch.x.lo), 0) }
	x, y := held(s.worst.Mean), ch.py(area, s.mean.Mean)
	if finite(s.worst.Lo) && finite(s.worst.Hi) {
		cv.line("m-i m-l"+color, held(s.worst.Lo), y, held(s.worst.Hi), y)
	}
	if finite(s.mean.Lo) && finite(s.mean.Hi) {
		cv.line("m-i m-l"+color, x, ch.py(area, s.mean.Lo), x, ch.py(area, s.mean.Hi))
	}
	cv.marker("m-f"+color, style.mark, x, y, radius)
	if s.worst.Mean > ch.x.hi {
		cv.text("m-s m-t"+color, x-7, y+4, "end", "→"+loss(s.worst.Mean))
	}
}

// compared returns the spots but for those of short searches, whose worst cases are looser bounds.
func (v frontierView) compared() []spot {
	return slices.DeleteFunc(slices.Clone(v.spots), func(s spot) bool { return s.screened })
}

// hull returns the lower left of the spots' convex hull, from the least worst case to
// the least average: what no mixture of two policies of the run betters.
func (v frontierView) hull() []spot {
	spots := v.compared()
	slices.SortStableFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.worst.Mean, b.worst.Mean), cmp.Compare(a.mean.Mean, b.mean.Mean))
	})
	var out []spot
	for _, s := range spots {
		for len(out) > 1 && !left(out[len(out)-2], out[len(out)-1], s) {
			out = out[:len(out)-1]
		}
		if len(out) == 0 || s.mean.Mean < out[len(out)-1].mean.Mean {
			out = append(out, s)
		}
	}
	return out
}

// left reports whether b lies below the line from a to c.
func left(a, b, c spot) bool {
	return (b.worst.Mean-a.worst.Mean)*(c.mean.Mean-a.mean.Mean) > (b.mean.Mean-a.mean.Mean)*(c.worst.Mean-a.worst.Mean)
}

// spotLegend returns a key of the markers, wrapped to the width, and its height.
func spotLegend(l layout, run *Run, spots []spot) (string, float64) {
	cv, x, y := &canvas{}, 10.0, 14.0
	for _, p := range spots {
		s, name := styleOf(p.policy), run.name(p.policy)
		if room := textWidth(name) + 30; x > 10 && x+room > l.w {
			x, y = 10, y+18
		}
		cv.marker("m-f"+px(float64(s.color)), s.mark, x+5, y, 4)
		cv.text(s.text(), x+15, y+4, "start", name)
		if s.bold {
			x += .15 * textWidth(name) // bold letters are wider
		}
		x += textWidth(name) + 30
	}
	return cv.b.String(), y + 10
}

// frontierTable returns the numbers of all views, a policy a line.
func frontierTable(views []frontierView, prior string) (t table) {
	t.Head = []string{"policy", "mean over " + prior, "interval", "questions"}
	for _, s := range views[0].spots {
		t.Cells = append(t.Cells, []string{s.policy, loss(s.mean.Mean), interval(s.mean.Lo, s.mean.Hi), questions(s.mean.Questions)})
	}
	for _, v := range views {
		t.Head = append(t.Head, v.label, "interval")
		for i, line := range t.Cells {
			at := slices.IndexFunc(v.spots, func(s spot) bool { return s.policy == line[0] })
			if at < 0 {
				t.Cells[i] = append(line, "", "")
				continue
			}
			w := v.spots[at].worst
			t.Cells[i] = append(line, loss(w.Mean), interval(w.Lo, w.Hi))
		}
	}
	t.Head = append(t.Head, effort)
	for i, s := range views[0].spots {
		mark := ""
		if s.screened {
			mark = ScreenEffort
		}
		t.Cells[i] = append(t.Cells[i], mark)
	}
	return t.prune()
}

// coin is how often a game is given to the other policy in the report's example
// of a little.
const coin = .1

// Dial say what a little of each objective would buy, from the policies of
// the run: a coin at the start of a game chooses another one in place of mapo.
func (run page) Dial() []string {
	views := run.frontier()
	if len(views) == 0 {
		return nil
	}
	v, prior := views[0], run.frontierPrior()
	at := slices.IndexFunc(v.spots, func(s spot) bool { return s.policy == Mapo })
	if at < 0 {
		return nil
	}
	own := v.spots[at]
	out := []string{fmt.Sprintf("mapo’s %s is %s %s, its mean loss over the prior %s %s %s.",
		v.label, loss(own.worst.Mean), interval(own.worst.Lo, own.worst.Hi), prior, loss(own.mean.Mean), interval(own.mean.Lo, own.mean.Hi))}
	if run.Weight > 0 {
		out[0] += " It was trained for " + record.Objective(prior, run.Weight, len(run.Levels)) + "."
	}
	average := func(s spot) Row { return s.mean }
	worst := func(s spot) Row { return s.worst }
	if to, ok := v.bargain(own, average, worst); ok {
		out = append(out, v.offer(own, to, prior))
	} else {
		out = append(out, fmt.Sprintf("No policy of this run is better on average over the prior %s by more than these games leave open, so a coin between two of them would buy nothing.", prior))
	}
	if to, ok := v.bargain(own, worst, average); ok {
		out = append(out, v.offer(own, to, prior))
	}
	if run.Weight > 0 {
		return append(out, "To train for less or more of the average, change the weight under objective: in the spec; 0 is the worst gap alone.")
	}
	return append(out, fmt.Sprintf("To train for a little of the average, set objective: {average: %s, weight: 0.1} in the spec.", prior))
}

// bargain returns the policy that gives the most of one measure for a loss in the
// other, beyond what the intervals leave open.
func (v frontierView) bargain(own spot, gain, cost func(spot) Row) (best spot, ok bool) {
	top := 0.0
	for _, s := range v.compared() {
		won, paid := gain(own).Mean-gain(s).Mean, cost(s).Mean-cost(own).Mean
		if !(gain(s).Hi < gain(own).Lo) || !(paid > 0) {
			continue
		}
		if rate := won / paid; rate > top {
			best, top, ok = s, rate, true
		}
	}
	return best, ok
}

// offer says what the coin does.
func (v frontierView) offer(own, to spot, prior string) string {
	mix := func(a, b float64) float64 { return (1-coin)*a + coin*b }
	worst := math.Inf(-1)
	for k, g := range own.gaps {
		worst = math.Max(worst, mix(g, to.gaps[k]))
	}
	return fmt.Sprintf("A coin that gives one game in ten to %s brings the mean loss over the prior %s from %s to %s and the %s from %s to at most %s.",
		to.policy, prior, loss(own.mean.Mean), loss(mix(own.mean.Mean, to.mean.Mean)), v.label, loss(own.worst.Mean), loss(worst))
}
