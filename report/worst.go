package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// worstFigure draws the worst instance found for every policy, at the lowest, the middle and the
// highest level: what the policy cannot do, as a picture.
func worstFigure(run *Run) (drawing, bool) {
	d := drawing{
		name: "worst", title: "The worst instance found for each policy",
		caption: run.words().Bars + " Numbers: the policy’s loss on this instance, from fresh games, and its difficulty " + run.measure().Symbol + ".",
	}
	all := slices.Clone(run.Worst)
	slices.SortStableFunc(all, func(a, b Worst) int {
		return cmp.Or(comparePolicies(a.Policy, b.Policy), cmp.Compare(a.Level, b.Level))
	})
	var levels []float64 // at most three: nine columns would be too small to see a shape in, and neighbours hardly differ
	for _, w := range all {
		levels = append(levels, w.Level)
	}
	slices.Sort(levels)
	levels = few(slices.Compact(levels))
	shown := slices.DeleteFunc(slices.Clone(all), func(w Worst) bool { return !slices.Contains(levels, w.Level) })
	if len(levels) > 1 {
		d.caption += " Columns: the lowest, middle and highest level; on a narrow screen the highest only."
	}
	d.draw = func(l layout) *canvas { return worstCanvas(l, shown, levels, run.measure().Symbol) }
	d.table = run.worstTable(all)
	return d, len(all) > 0
}

// few returns at most three of increasing levels: the ends and the middle.
func few(levels []float64) []float64 {
	if n := len(levels); n > 3 {
		return []float64{levels[0], levels[n/2], levels[n-1]}
	}
	return levels
}

// worstCanvas draws a table of panels: a row a policy, a column a level.
func worstCanvas(l layout, shown []Worst, levels []float64, symbol string) *canvas {
	const pitch = 84 // the height of a row
	if l.narrow {
		levels = levels[len(levels)-1:]
	}
	var names []string
	for _, w := range shown {
		names = append(names, w.Policy)
	}
	names = slices.Compact(names) // already in order
	left, top := 96.0, 30.0
	cell := (l.w - left) / float64(len(levels))
	cv := &canvas{w: l.w, h: top + pitch*float64(len(names))}
	for j, r := range levels {
		cv.text("m-m m-s", left+(float64(j)+.5)*cell-6, 16, "middle", "up to r\u00a0=\u00a0"+level(r))
	}
	for i, name := range names {
		s, y := styleOf(name), top+pitch*float64(i)
		cv.text(s.text(), 8, y+30, "start", shorten(name, 13))
		for j, r := range levels {
			for _, w := range shown {
				if w.Policy == name && w.Level == r {
					w.panel(cv, box{left + float64(j)*cell, y + 2, cell - 12, pitch - 14}, symbol)
				}
			}
		}
	}
	return cv
}

// panel draws one instance: bars, the best hypothesis' strip, two numbers. All bars of a sign are one
// path, which keeps a hundred queries by thirty panels a small file.
func (w Worst) panel(cv *canvas, area box, symbol string) {
	bars := box{area.x, area.y, area.w, area.h - 24}
	mid, pitch := bars.y+bars.h/2, bars.w/float64(len(w.Theta))
	width := pitch * .78
	cv.rect("m-off", bars)
	var up, down, yes, no pen
	for i, v := range w.Theta {
		// Heights are of θ ∈ [−1, 1]; what the search clips to is inside, what a file brings may not be.
		x, h := bars.x+(float64(i)+.11)*pitch, math.Max(-1, math.Min(1, v))*bars.h/2
		p := &up
		if v < 0 {
			p = &down
		}
		p.block(x, mid, width, -h)
		if w.Best == nil {
			continue
		}
		q := &no
		if w.Best[i] {
			q = &yes
		}
		// The strip below: is the query in the best hypothesis?
		q.block(x, bars.y+bars.h+4, width, 5)
	}
	cv.path("m-f"+px(float64(blue)), up.d.String(), "")
	cv.path("m-f"+px(float64(orange)), down.d.String(), "")
	cv.line("m-axis", bars.x, mid, bars.x+bars.w, mid)
	cv.path("m-t", yes.d.String(), "")
	cv.path("m-off", no.d.String(), "")
	numbers := "loss " + loss(w.Mean)
	if finite(w.Rho) && w.Rho > 0 {
		numbers += " · " + symbol + " " + level(w.Rho)
	}
	cv.text("m-m m-s", area.x, area.y+area.h, "start", numbers)
}

// block adds a rectangle from (x, y), w wide and h down.
func (p *pen) block(x, y, w, h float64) {
	fmt.Fprintf(&p.d, "M%s %sh%sv%sh%sz", px(x), px(y), px(w), px(h), px(-w))
}

// worstTable gives every instance, not only those drawn, and in full, so that it can be played again
// (mapo eval --theta). Three decimals are finer than anything a thousand games can tell apart.
func (run *Run) worstTable(all []Worst) (t table) {
	t.Head = []string{"policy", "level r", "loss on fresh games", "interval", run.words().Questions, run.measure().Symbol + "(θ)", "right " + run.words().Hypothesis,
		run.words().Queries + " nearest to noise", effort, "θ"}
	rows := run.pick(WorstCase, run.Loss)
	for _, w := range all {
		theta := make([]string, len(w.Theta))
		for i, v := range w.Theta {
			theta[i] = strconv.FormatFloat(math.Round(v*1e3)/1e3+0, 'g', -1, 64)
		}
		row, _ := at(rows, w.Policy, w.Level)
		t.Cells = append(t.Cells, []string{w.Policy, level(w.Level), loss(w.Mean), interval(w.Lo, w.Hi), questions(w.Questions), brief(w.Rho),
			w.BestText, strings.Join(run.noisiest(w.Theta, 3), "; "), row.Effort, strings.Join(theta, ", ")})
	}
	return t.prune()
}

// noisiest names the n queries whose answers are nearest to a coin's, if queries have names.
func (run *Run) noisiest(theta []float64, n int) []string {
	if len(run.QueryTexts) != len(theta) {
		return nil
	}
	order := ascending(len(theta), func(i int) float64 { return math.Abs(theta[i]) })
	var out []string
	for _, i := range order[:min(n, len(order))] {
		out = append(out, run.QueryTexts[i])
	}
	return out
}

// timeFigure shows where the seconds went, in the order of the pipeline.
func timeFigure(run *Run) (drawing, bool) {
	total, top := run.work(), 0.0
	for _, t := range run.Timings {
		top = math.Max(top, t.Seconds)
	}
	waited := ""
	if run.Wall > 0 {
		waited = " Steps run side by side: the run took " + seconds(run.Wall) + "."
	}
	d := drawing{
		name: "time", title: "Where the time went",
		caption: "Seconds of each step of the pipeline, " + seconds(total) + " in all." + waited,
	}
	d.Head = []string{"step", "seconds", "share"}
	for _, t := range run.Timings {
		d.Cells = append(d.Cells, []string{t.Step, strconv.FormatFloat(t.Seconds, 'f', 1, 64), percent(math.Round(1000*t.Seconds/math.Max(total, 1e-9)) / 1000)})
	}
	bars := longest(run.Timings, 16)
	d.draw = func(l layout) *canvas { return timeCanvas(l, bars, top) }
	return d, len(run.Timings) > 0 && total > 0
}

// longest keeps the n longest steps in their order and adds up the others.
func longest(all []Timing, n int) []Timing {
	if len(all) <= n {
		return all
	}
	bySeconds := slices.Clone(all)
	slices.SortStableFunc(bySeconds, func(a, b Timing) int { return cmp.Compare(b.Seconds, a.Seconds) })
	least := bySeconds[n-2].Seconds // n−1 bars and one for the rest
	var out []Timing
	rest := Timing{}
	count := 0
	for _, t := range all {
		if t.Seconds >= least && len(out) < n-1 {
			out = append(out, t)
			continue
		}
		rest.Seconds += t.Seconds
		count++
	}
	rest.Step = strconv.Itoa(count) + " shorter steps"
	return append(out, rest)
}

// timeCanvas draws a bar a step. Only here a bar's length is the number, so bars start at 0.
func timeCanvas(l layout, bars []Timing, top float64) *canvas {
	const pitch = 22
	left, letters := 210.0, 29
	if l.narrow {
		left, letters = 132, 18
	}
	for _, t := range bars {
		top = math.Max(top, t.Seconds)
	}
	cv := &canvas{w: l.w, h: pitch*float64(len(bars)) + 12}
	for i, t := range bars {
		y := 6 + pitch*float64(i)
		cv.text("m-t", left-8, y+15, "end", shorten(t.Step, letters))
		width := (l.w - left - 92) * t.Seconds / top
		cv.rect("m-f"+px(float64(sky)), box{left, y + 4, math.Max(width, 1), pitch - 8})
		cv.text("m-m m-s", left+width+7, y+15, "start", seconds(t.Seconds))
	}
	return cv
}
