package report

import "math"

// A layout is the width a figure is drawn for. Text keeps its size in both, which is why a phone gets
// a drawing of its own and not a shrunken one.
type layout struct {
	w      float64
	narrow bool
}

var (
	wide   = layout{w: 720}
	narrow = layout{w: 352, narrow: true}
)

// chart is a line chart over one pair of axes.
type chart struct {
	x, y   axis
	series []series // drawn in this order, the bold one last
	bands  []band   // below everything
	stems  []stem   // certified brackets
	// bare leaves out the labels at line ends: a small multiple, named by its title.
	bare bool
}

// series is one policy's line: means with intervals.
type series struct {
	name, short string // the label at the line's end, and on a phone
	style       style
	// x, mean, lo, hi are parallel, x increasing. NaN in mean breaks the line; lo and hi may be nil
	// (no intervals) or hold NaN (none here).
	x, mean, lo, hi []float64
	ring            float64 // the x to mark with a ring, or 0
	thin            bool    // a reference or a record, without markers
}

// band is the region between the least and the greatest of a family of policies, SGBS's β.
type band struct {
	name, short string
	color       int
	x, lo, hi   []float64
}

// stem is a bracket at one x, drawn as an I.
type stem struct{ x, lo, hi float64 }

// canvas draws the chart at its natural size, with room for its labels.
func (ch *chart) canvas(l layout, height float64) *canvas {
	// The labels decide how much of the width is left for the plot, and how high it must be.
	labels := ch.ends(l)
	right := 12.0
	for _, e := range labels {
		room := textWidth(e.text)
		if e.style.bold {
			room *= 1.15 // bold letters are wider
		}
		right = math.Max(right, room+28)
	}
	height = math.Max(height, float64(len(labels))*lineHeight+80)
	cv := &canvas{w: l.w, h: height}
	area := box{x: 44, y: 30, h: height - 74}
	area.w = l.w - area.x - right
	area = ch.room(area)
	ch.plot(cv, area)
	ch.label(cv, area, labels)
	return cv
}

// plot draws axes and data into area; the y axis' label goes above it, the x axis' below.
func (ch *chart) plot(cv *canvas, area box) {
	ch.frame(cv, area)
	// A margin of 6 lets markers on the border show whole.
	cv.inside(box{area.x - 6, area.y - 6, area.w + 12, area.h + 12}, func() {
		for _, b := range ch.bands {
			ch.band(cv, area, b)
		}
		for _, s := range ch.stems {
			x, lo, hi := ch.px(area, s.x, s.lo), ch.py(area, s.lo), ch.py(area, s.hi)
			cv.path("m-k m-i", "M"+px(x-5)+" "+px(lo)+"h10M"+px(x-5)+" "+px(hi)+"h10M"+px(x)+" "+px(lo)+"V"+px(hi), "")
		}
		for _, s := range ch.series {
			ch.shade(cv, area, s) // all regions before any line
		}
		for _, bold := range []bool{false, true} { // the bold one on top
			for _, s := range ch.series {
				if s.style.bold == bold {
					ch.draw(cv, area, s)
				}
			}
		}
	})
}

// The numbers at the y axis end tickGap left of the plot. Every layout leaves tickRoom there.
const (
	tickGap  = 7.0
	tickRoom = 38.0
)

// room returns area without what longer numbers at the y axis need of it.
func (ch *chart) room(area box) box {
	widest := 0.0
	for _, t := range ch.y.ticks {
		widest = math.Max(widest, textWidth(t.text)) // small letters, but digits are wide
	}
	more := math.Max(0, widest+tickGap-tickRoom)
	area.x, area.w = area.x+more, area.w-more
	return area
}

// px returns where x lies on the canvas; y is passed only so that calls read as points.
func (ch *chart) px(area box, x, _ float64) float64 { return area.x + ch.x.at(x)*area.w }

// py returns where y lies on the canvas, held within half an area of the plot: enough to leave it
// visibly, and no more.
func (ch *chart) py(area box, y float64) float64 {
	return area.y + area.h*(1-min(max(ch.y.at(y), -.5), 1.5))
}

// frame draws grid, ticks and axis labels. The y axis' label lies flat above the plot: readers do not like to
// read sideways, and a phone has no width to give away.
func (ch *chart) frame(cv *canvas, area box) {
	for _, t := range ch.y.ticks {
		y := ch.py(area, t.at)
		cv.line("m-grid", area.x, y, area.x+area.w, y)
		cv.text("m-m m-s", area.x-tickGap, y+4, "end", t.text)
	}
	base := area.y + area.h
	for _, t := range ch.x.ticks {
		x := ch.px(area, t.at, 0)
		if t.text == "" {
			cv.line("m-axis", x, base, x, base+3)
			continue
		}
		cv.line("m-grid", x, area.y, x, base)
		cv.line("m-axis", x, base, x, base+5)
		cv.text("m-m m-s", x, base+18, "middle", t.text)
	}
	zero := base
	if ch.y.lo < 0 && ch.y.hi > 0 && !ch.y.log {
		zero = ch.py(area, 0) // the line that matters is 0
	}
	cv.line("m-axis", area.x, zero, area.x+area.w, zero)
	cv.text("m-m m-s", area.x-36, area.y-13, "start", ch.y.label)
	cv.text("m-m m-s", area.x+area.w/2, base+36, "middle", ch.x.label)
}

// band fills a family's region and draws both its edges, so that it is seen on paper, too.
func (ch *chart) band(cv *canvas, area box, b band) {
	cv.path("m-a m-f"+px(float64(b.color)), ch.region(area, b.x, b.lo, b.hi), "")
	for _, edge := range [][]float64{b.lo, b.hi} {
		cv.path("m-l m-h m-l"+px(float64(b.color)), ch.polyline(area, b.x, edge), "")
	}
}

// shade draws a series' intervals as a region around its line.
func (ch *chart) shade(cv *canvas, area box, s series) {
	if s.lo != nil && len(s.x) > 1 {
		class := "m-a m-f" + px(float64(s.style.color))
		if len(ch.series) > 6 && !s.style.bold {
			class += " m-pale" // many regions on top of each other turn to mud
		}
		cv.path(class, ch.region(area, s.x, s.lo, s.hi), "")
	}
}

// draw draws a series' line and markers; a lone point gets its interval as a bar.
func (ch *chart) draw(cv *canvas, area box, s series) {
	color, width, radius := px(float64(s.style.color)), "", 3.0
	if s.style.bold {
		width, radius = " m-w", 4
	}
	if s.thin {
		width = map[bool]string{true: "", false: " m-h"}[s.style.bold]
	}
	cv.path("m-l m-l"+color+width, ch.polyline(area, s.x, s.mean), s.style.dash)
	for i, x := range s.x {
		if s.thin || !finite(s.mean[i]) {
			continue
		}
		at, y := ch.px(area, x, s.mean[i]), ch.py(area, s.mean[i])
		if len(s.x) == 1 && s.lo != nil && finite(s.lo[i]) && finite(s.hi[i]) {
			cv.line("m-i m-l"+color, at, ch.py(area, s.lo[i]), at, ch.py(area, s.hi[i]))
		}
		cv.marker("m-f"+color, s.style.mark, at, y, radius)
		if x == s.ring { // this π_k was trained for exactly this level
			cv.marker("m-l m-l"+color, 0, at, y, radius+4)
		}
	}
}

// polyline returns path data that joins the finite points and breaks where one is missing.
func (ch *chart) polyline(area box, xs, ys []float64) string {
	var p pen
	broken := true
	for i, x := range xs {
		switch {
		case !finite(ys[i]):
			broken = true
		case broken:
			p.move(ch.px(area, x, ys[i]), ch.py(area, ys[i]))
			broken = false
		default:
			p.to(ch.px(area, x, ys[i]), ch.py(area, ys[i]))
		}
	}
	return p.d.String()
}

// region returns path data of the area between lo and hi, where both are finite.
func (ch *chart) region(area box, xs, lo, hi []float64) string {
	var p pen
	for i, x := range xs {
		if finite(lo[i]) && finite(hi[i]) {
			p.to(ch.px(area, x, hi[i]), ch.py(area, hi[i]))
		}
	}
	for i := len(xs) - 1; i >= 0; i-- { // and back along the lower edge
		if finite(lo[i]) && finite(hi[i]) {
			p.to(ch.px(area, xs[i], lo[i]), ch.py(area, lo[i]))
		}
	}
	return p.closed()
}

// end is a label at a line's end and the point it belongs to.
type end struct {
	text  string
	style style
	x, y  float64
}

// ends collects the labels. A line that leaves the axis says how far it goes.
func (ch *chart) ends(l layout) []end {
	var out []end
	add := func(name, short string, s style, xs, ys []float64) {
		last, top := -1, math.Inf(-1)
		for i, y := range ys {
			if finite(y) {
				last, top = i, math.Max(top, y)
			}
		}
		if last < 0 || ch.bare {
			return
		}
		if l.narrow {
			name = short
		}
		if top > ch.y.hi {
			name += " ↑" + loss(top)
		}
		out = append(out, end{name, s, xs[last], ys[last]})
	}
	for _, s := range ch.series {
		add(s.name, s.short, s.style, s.x, s.mean)
	}
	for _, b := range ch.bands {
		middle := make([]float64, len(b.x))
		for i := range middle {
			middle[i] = (b.lo[i] + b.hi[i]) / 2
			if b.hi[i] > ch.y.hi && b.lo[i] <= ch.y.hi {
				middle[i] = b.hi[i] // so that the label tells how far the band goes
			}
		}
		add(b.name, b.short, style{color: b.color}, b.x, middle)
	}
	return out
}

// label writes the labels beside the plot, moved apart, each tied to its line's end by a thin lead.
func (ch *chart) label(cv *canvas, area box, labels []end) {
	// Labels of lines that leave the plot stand at its border, where the line is last seen.
	want := make([]float64, len(labels))
	for i, e := range labels {
		want[i] = min(max(ch.py(area, e.y), area.y), area.y+area.h)
	}
	x := area.x + area.w + 20
	for i, y := range spread(want, lineHeight, area.y-8, area.y+area.h+8) {
		e := labels[i]
		from := min(ch.px(area, e.x, e.y), area.x+area.w) + 6
		color := px(float64(e.style.color))
		cv.path("m-lead m-l"+color, "M"+px(from)+" "+px(want[i])+"L"+px(x-3)+" "+px(y), "")
		cv.text(e.style.text(), x, y+4, "start", e.text)
	}
}
