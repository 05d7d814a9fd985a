package report

import (
	"math"
	"slices"
)

// yardstickFigure sets the judged worst case of every training against the work it had done and against its
// seconds, two panels a policy.
func yardstickFigure(run *Run) (drawing, bool) {
	curves := slices.DeleteFunc(slices.Clone(run.curves()), func(c Curve) bool { return len(c.Yardstick) < 2 })
	d := drawing{
		name: "yardstick", title: "How good after how much work",
		caption: "The judged worst case of each training’s policy at geometric intervals, against the environment steps played by then " +
			"(the adversary’s included) and against the seconds of training, on log scales; shading is the intervals. For mapo: the largest " +
			"excess over the benchmarks; for bayes-lal: the worst case at the highest level. The search behind these is smaller than that " +
			"behind the report’s other worst cases, and finds a little less.",
	}
	d.draw = func(l layout) *canvas {
		cv, boxes := grid(l, 2*len(curves), 4, 168, 4)
		for i, c := range curves {
			run.yardstickPanel(cv, boxes[2*i], c, "steps played", func(j Judged) float64 { return j.Work })
			run.yardstickPanel(cv, boxes[2*i+1], c, "seconds", func(j Judged) float64 { return j.Seconds })
		}
		return cv
	}
	d.head, d.cells = yardstickTable(curves)
	return d, len(curves) > 0
}

// yardstickPanel draws one policy's worst case over x, of which there may be none.
func (run *Run) yardstickPanel(cv *canvas, area box, c Curve, label string, x func(Judged) float64) {
	s := styleOf(c.Policy)
	ch := &chart{bare: true}
	line := series{style: s}
	line.style.bold, line.style.dash = false, ""
	from, to, lo, hi := math.Inf(1), 0.0, 0.0, 0.0
	for _, j := range c.Yardstick {
		lo, hi = minFinite(lo, j.Mean, j.Lo), -minFinite(-hi, -j.Mean, -j.Hi)
		if at := x(j); finite(at) && at > 0 {
			from, to = math.Min(from, at), math.Max(to, at)
			line.x, line.mean = append(line.x, at), append(line.mean, j.Mean)
			line.lo, line.hi = append(line.lo, j.Lo), append(line.hi, j.Hi)
		}
	}
	ch.x, ch.y = decades(label, from, to), linear("", lo, hi, 4)
	ch.series = []series{line}
	ch.plot(cv, ch.room(area))
	title := run.name(c.Policy)
	if c.Gap {
		title += ", gap"
	}
	cv.text("m-b m-t"+px(float64(s.color)), area.x-28, area.y-13, "start", shorten(title, 22))
}

// yardstickTable lists every mark.
func yardstickTable(curves []Curve) (head []string, cells [][]string) {
	head = []string{"policy", "steps played", "seconds", "worst case", "interval"}
	for _, c := range curves {
		for _, j := range c.Yardstick {
			spent := ""
			if finite(j.Seconds) {
				spent = loss(j.Seconds)
			}
			cells = append(cells, []string{c.Policy, thousands(int(j.Work)), spent, loss(j.Mean), interval(j.Lo, j.Hi)})
		}
	}
	return prune(head, cells)
}
