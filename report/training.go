package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// maxPoints is how many points of a training curve are drawn; longer records are averaged in blocks.
const maxPoints = 160

// curves returns the run's training records in report order, without the empty ones.
func (run *Run) curves() []Curve {
	out := slices.DeleteFunc(slices.Clone(run.Curves), func(c Curve) bool { return len(c.Points) == 0 })
	slices.SortStableFunc(out, func(a, b Curve) int { return comparePolicies(a.Policy, b.Policy) })
	return out
}

// trainingFigure sets training's own worst case beside the judged one, a panel a policy. Where the
// judge lies above the line, training's adversary missed instances.
func trainingFigure(run *Run) (drawing, bool) {
	curves := run.curves()
	d := drawing{
		name: "training", title: "Training: its own worst case and the judge’s",
		caption: "Lines: the worst case as training’s own adversary saw it. Dots: the same policy’s worst case as the judge " +
			"found it, with its interval. Dots above the line are instances the training adversary missed; the report’s numbers " +
			"are the judge’s. Grey stretches train on another loss (a warm start), whose values have other units. " +
			"For mapo both are gaps to the benchmarks. Long records are drawn as means of blocks.",
	}
	d.draw = func(l layout) *canvas {
		height := 168.0
		cv, boxes := grid(l, len(curves), 3, height, 24)
		cv.line("m-l m-l0", 10, 14, 34, 14)
		cv.text("m-t m-s", 40, 18, "start", "training’s own")
		cv.marker("m-f0", 0, 150, 14, 3.5)
		cv.text("m-t m-s", 159, 18, "start", "the judge’s")
		for i, c := range curves {
			run.trainingPanel(cv, boxes[i], c)
		}
		return cv
	}
	d.table = trainingTable(curves)
	return d, len(curves) > 0
}

// grid lays out n small multiples in at most so many columns (two on a phone), a title line above and an axis below each, and returns their plot areas.
func grid(l layout, n, columns int, height, top float64) (*canvas, []box) {
	if l.narrow {
		columns = min(columns, 2)
	}
	columns = min(columns, max(n, 1))
	rows := (n + columns - 1) / columns
	cell := l.w / float64(columns)
	cv := &canvas{w: l.w, h: top + float64(rows)*height}
	var out []box
	for i := range n {
		x, y := float64(i%columns)*cell, top+float64(i/columns)*height
		out = append(out, box{x + 38, y + 36, min(cell, 360) - 50, height - 82})
	}
	return cv, out
}

// trainingPanel draws one policy's own worst case as a line and the judge's as dots.
func (run *Run) trainingPanel(cv *canvas, area box, c Curve) {
	s := styleOf(c.Policy)
	s.bold, s.dash = false, "" // the panel's title says whose line it is
	scale, unit := million(c)
	ch := &chart{bare: true, x: linear(unit, 0, float64(c.Points[len(c.Points)-1].Work)/scale, 3)}
	// A phase on another loss is in other units: NaN breaks the line there.
	own := thin(c.Points, func(p Point) float64 {
		if p.Loss != "" && p.Loss != run.Loss {
			return math.NaN()
		}
		return p.Worst
	})
	for i := range own.x {
		own.x[i] /= scale
	}
	own.style, own.thin = s, true
	// Every panel has its own height: levels differ by more than trainings do.
	var room span
	room.add(own.mean...)
	ch.series = []series{own}
	for _, j := range c.Judged { // a series of one point each, which draws its interval as a bar
		room.add(j.Mean, j.Lo, j.Hi)
		ch.series = append(ch.series, series{
			style: s, x: []float64{j.Work / scale}, mean: []float64{j.Mean}, lo: []float64{j.Lo}, hi: []float64{j.Hi},
		})
	}
	ch.y = linear("", room.lo, room.hi, 4)
	inner := ch.room(area)
	run.otherLoss(cv, ch, inner, c, scale)
	ch.plot(cv, inner)
	title := run.name(c.Policy)
	if c.Gap {
		title += ", gap"
	}
	cv.text("m-b m-t"+px(float64(s.color)), area.x-28, area.y-13, "start", shorten(title, 24))
}

// otherLoss shades the stretches whose phases minimise another loss than the run's.
func (run *Run) otherLoss(cv *canvas, ch *chart, area box, c Curve, scale float64) {
	from := 0.0
	for i, p := range c.Points {
		if p.Loss == "" || p.Loss == run.Loss {
			from = float64(p.Work)
			continue
		}
		// A stretch ends with the record, or where the next point has another loss.
		if last := i+1 == len(c.Points); last || c.Points[i+1].Loss != p.Loss {
			x := ch.px(area, from/scale, 0)
			cv.rect("m-off", box{x, area.y, ch.px(area, float64(p.Work)/scale, 0) - x, area.h})
			from = float64(p.Work)
		}
	}
}

// million chooses the unit of a curve's work axis. Work, not seconds: the same on every machine.
func million(c Curve) (float64, string) {
	switch work := float64(c.Points[len(c.Points)-1].Work); {
	case work >= 2e9:
		return 1e9, "billion steps played"
	case work >= 2e6:
		return 1e6, "million steps played"
	case work >= 2e3:
		return 1e3, "thousand steps played"
	}
	return 1, "steps played"
}

// A record has a point an iteration, tens of thousands in all; drawn in full they would be a black bar
// and a page of megabytes. thin is a diagnostic over work, averaged in equal blocks of points where there are too many to draw.
// Blocks skip values that are not finite; a block of nothing else breaks the line.
func thin(points []Point, value func(Point) float64) series {
	// Rounded up, so that there are never more than maxPoints blocks; the last may be shorter.
	size := (len(points) + maxPoints - 1) / maxPoints
	var s series
	for block := range slices.Chunk(points, max(size, 1)) {
		sum, n := 0.0, 0
		for _, p := range block {
			if v := value(p); finite(v) {
				sum, n = sum+v, n+1
			}
		}
		mean := math.NaN()
		if n > 0 {
			mean = sum / float64(n)
		}
		s.x, s.mean = append(s.x, float64(block[len(block)/2].Work)), append(s.mean, mean)
	}
	return s
}

// trainingTable says how each training ended: the last point of its record.
func trainingTable(curves []Curve) (t table) {
	t.Head = []string{"policy", "iterations", "steps played", "training’s own", "judged", "interval",
		"feasible", "barrier", "policy entropy", "particle entropy", "‖∇ψ‖", "‖∇θ‖", "‖∇w‖"}
	for _, c := range curves {
		p := c.Points[len(c.Points)-1]
		line := []string{c.Policy, thousands(p.Iter), thousands(int(p.Work)),
			loss(p.Worst), "", "", brief(p.Feasible), brief(p.Barrier), brief(p.PolicyEntropy), brief(p.ParticleEntropy),
			brief(p.GradPsi), brief(p.GradTheta), brief(p.GradW)}
		if n := len(c.Judged); n > 0 {
			j := c.Judged[n-1]
			line[4], line[5] = loss(j.Mean), interval(j.Lo, j.Hi)
		}
		t.Cells = append(t.Cells, line)
	}
	return t.prune()
}

// brief prints three significant digits, nothing for what is not a number.
func brief(v float64) string {
	if !finite(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// diagnostic is one of Appendix D's signs of a training's health.
type diagnostic struct {
	title string
	means string // for the caption, may be empty
	share bool   // lives in [0, 1]
	log   bool
	value func(Point) float64
}

var diagnostics = []diagnostic{
	{"feasible share of particles", "Feasible share: particles inside the allowed set; near 1 is healthy.", true, false, func(p Point) float64 { return p.Feasible }},
	{"barrier", "", false, false, func(p Point) float64 { return p.Barrier }},
	{"policy entropy / max", "A policy entropy of 0 early means that it stopped exploring.", true, false, func(p Point) float64 { return p.PolicyEntropy }},
	{"particle entropy / max", "A particle entropy of 0 means that the adversary holds on to a single instance.", true, false, func(p Point) float64 { return p.ParticleEntropy }},
	{"gradient norm, ψ", "Gradient norms are on a log scale.", false, true, func(p Point) float64 { return p.GradPsi }},
	{"gradient norm, θ", "", false, true, func(p Point) float64 { return p.GradTheta }},
	{"gradient norm, w", "", false, true, func(p Point) float64 { return p.GradW }},
}

// diagnosticsFigure returns Appendix D's diagnostics, a panel each, all policies in each. It
// reports whether any was recorded.
func diagnosticsFigure(run *Run) (drawing, bool) {
	curves := run.curves()
	d := drawing{
		name: "diagnostics", title: "Training diagnostics",
		caption: "How healthy training was, over the share of each policy’s own training.",
	}
	// A diagnostic that was not recorded gets no panel (bayes-lal alone has no adversary).
	var shown []diagnostic
	for _, g := range diagnostics {
		if slices.ContainsFunc(curves, func(c Curve) bool {
			return slices.ContainsFunc(c.Points, func(p Point) bool { return finite(g.value(p)) })
		}) {
			shown = append(shown, g)
			if g.means != "" {
				d.caption += " " + g.means
			}
		}
	}
	d.draw = func(l layout) *canvas {
		keys, top := legend(l, run, curves)
		cv, boxes := grid(l, len(shown), 3, 156, top)
		cv.b.WriteString(keys)
		for i, g := range shown {
			g.panel(cv, boxes[i], curves)
		}
		return cv
	}
	d.table = trainingTable(curves)
	return d, len(shown) > 0
}

// legend returns a key of the policies, wrapped to the width, and its height.
func legend(l layout, run *Run, curves []Curve) (string, float64) {
	cv, x, y := &canvas{}, 10.0, 14.0
	for _, c := range curves {
		s, name := styleOf(c.Policy), run.name(c.Policy)
		if room := textWidth(name) + 42; x > 10 && x+room > l.w {
			x, y = 10, y+18
		}
		width := ""
		if s.bold {
			width = " m-w"
		}
		cv.path("m-l m-l"+px(float64(s.color))+width, "M"+px(x)+" "+px(y)+"h18", s.dash)
		cv.text("m-t"+px(float64(s.color)), x+24, y+4, "start", name)
		x += textWidth(name) + 42
	}
	return cv.b.String(), y + 10
}

// panel draws one diagnostic. Trainings differ in length, so the share of each one's own puts their
// phases side by side. All policies are in one panel, to be compared.
func (g diagnostic) panel(cv *canvas, area box, curves []Curve) {
	ch := &chart{bare: true, x: linear("share of training", 0, 1, 2)}
	room := nothing
	for _, c := range curves {
		s := thin(c.Points, g.value)
		for i := range s.x {
			s.x[i] /= float64(cmp.Or(c.Points[len(c.Points)-1].Work, 1))
			if g.log && !(s.mean[i] > 0) {
				s.mean[i] = math.NaN() // 0 has no place on a log axis
			}
			room.add(s.mean[i])
		}
		s.style, s.thin = styleOf(c.Policy), true // no markers: these are records, not estimates
		ch.series = append(ch.series, s)
	}
	switch {
	case g.share:
		ch.y = linear("", 0, 1, 2)
	case g.log:
		ch.y = decades("", room.lo, room.hi)
	default:
		ch.y = linear("", math.Min(room.lo, 0), room.hi, 3)
	}
	ch.plot(cv, ch.room(area))
	cv.text("m-t", area.x-28, area.y-13, "start", g.title)
}

// seconds prints a duration as people say it, never with more than three digits that matter.
func seconds(s float64) string {
	switch {
	case s < 9.95:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	case s < 119.5:
		return strconv.FormatFloat(s, 'f', 0, 64) + " s"
	case s < 2*3600:
		return fmt.Sprintf("%d min %02d s", int(s+.5)/60, int(s+.5)%60)
	case s < 48*3600:
		return fmt.Sprintf("%d h %02d min", int(s/60+.5)/60, int(s/60+.5)%60)
	}
	return strconv.FormatFloat(s/86400, 'f', 1, 64) + " days"
}
