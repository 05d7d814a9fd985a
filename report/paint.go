package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// printed draws a chart's data inside a plot, and its labels right of it.
type printed struct {
	ch     *chart
	labels []end
	c      draw.Canvas
	x, y   func(float64) vg.Length
}

// Plot implements plot.Plotter.
func (pr *printed) Plot(c draw.Canvas, p *plot.Plot) {
	pr.c = c
	pr.x, pr.y = p.Transforms(&c)
	pr.grid()
	for _, b := range pr.ch.bands {
		pr.region(b.x, b.lo, b.hi, b.color, 0x2B)
		for _, edge := range [][]float64{b.lo, b.hi} {
			pr.curve(b.x, edge, draw.LineStyle{Color: shade(palette[b.color].line, 0xFF), Width: 0.6})
		}
	}
	for _, s := range pr.ch.stems {
		pr.stem(s)
	}
	for _, s := range pr.ch.series {
		if s.lo != nil && len(s.x) > 1 {
			alpha := uint8(0x2B)
			if len(pr.ch.series) > 6 && !s.style.bold {
				alpha = 0x16 // many regions on top of each other turn to mud
			}
			pr.region(s.x, s.lo, s.hi, s.style.color, alpha)
		}
	}
	for _, bold := range []bool{false, true} {
		for _, s := range pr.ch.series {
			if s.style.bold == bold {
				pr.series(s)
			}
		}
	}
	pr.label()
}

// grid draws a line at every tick of y and at those of x that have a number.
func (pr *printed) grid() {
	thin := draw.LineStyle{Color: shade("#e2e4e6", 0xFF), Width: 0.5}
	for _, t := range pr.ch.y.ticks {
		pr.c.StrokeLine2(thin, pr.c.Min.X, pr.y(t.at), pr.c.Max.X, pr.y(t.at))
	}
	for _, t := range pr.ch.x.ticks {
		if t.text != "" {
			pr.c.StrokeLine2(thin, pr.x(t.at), pr.c.Min.Y, pr.x(t.at), pr.c.Max.Y)
		}
	}
}

// region fills between lo and hi where both are finite, inside the plot.
func (pr *printed) region(xs, lo, hi []float64, color int, alpha uint8) {
	var pts []vg.Point
	for i, x := range xs {
		if finite(lo[i]) && finite(hi[i]) {
			pts = append(pts, vg.Point{X: pr.x(x), Y: pr.y(hi[i])})
		}
	}
	for i := len(xs) - 1; i >= 0; i-- { // and back along the lower edge
		if finite(lo[i]) && finite(hi[i]) {
			pts = append(pts, vg.Point{X: pr.x(xs[i]), Y: pr.y(lo[i])})
		}
	}
	if pts = pr.c.ClipPolygonXY(pts); len(pts) > 2 {
		pr.c.FillPolygon(shade(palette[color].line, alpha), pts)
	}
}

// curve draws a line through the finite points, inside the plot.
func (pr *printed) curve(xs, ys []float64, sty draw.LineStyle) {
	var pts []vg.Point
	stroke := func() {
		pr.c.StrokeLines(sty, pr.c.ClipLinesXY(pts)...)
		pts = nil
	}
	for i, x := range xs {
		if !finite(ys[i]) {
			stroke()
			continue
		}
		pts = append(pts, vg.Point{X: pr.x(x), Y: pr.y(ys[i])})
	}
	stroke()
}

// dashes of the report's dash patterns, in points.
var dashes = map[string][]vg.Length{"5 3": {3.5, 2}, "4 4": {3, 3}, "2 3": {1.5, 2}}

// series draws a line with its markers; a lone point gets its interval as a bar.
func (pr *printed) series(s series) {
	ink := shade(palette[s.style.color].line, 0xFF)
	sty := draw.LineStyle{Color: ink, Width: 1.1, Dashes: dashes[s.style.dash]}
	radius := vg.Length(2)
	if s.style.bold {
		sty.Width, radius = 2.2, 2.7
	}
	if s.thin && !s.style.bold {
		sty.Width = 0.8
	}
	pr.curve(s.x, s.mean, sty)
	for i, x := range s.x {
		at := vg.Point{X: pr.x(x), Y: pr.y(s.mean[i])}
		if s.thin || !finite(s.mean[i]) || !pr.c.Contains(at) {
			continue
		}
		if len(s.x) == 1 && s.lo != nil && finite(s.lo[i]) && finite(s.hi[i]) {
			pr.c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.9}, at.X, pr.y(s.lo[i]), at.X, pr.y(s.hi[i]))
		}
		pr.c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: radius, Shape: shape(s.style.mark)}, at)
		if x == s.ring {
			pr.c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: radius + 2.2, Shape: draw.RingGlyph{}}, at)
		}
	}
}

// stem draws a certified bracket as an I.
func (pr *printed) stem(s stem) {
	sty := draw.LineStyle{Color: shade("#202427", 0xFF), Width: 0.9}
	x, lo, hi := pr.x(s.x), pr.y(s.lo), pr.y(s.hi)
	pr.c.StrokeLine2(sty, x, lo, x, hi)
	for _, y := range []vg.Length{lo, hi} {
		pr.c.StrokeLine2(sty, x-3, y, x+3, y)
	}
}

// label writes the labels right of the plot, moved apart, each tied to its line's end.
func (pr *printed) label() {
	want := make([]float64, len(pr.labels))
	for i, e := range pr.labels {
		want[i] = math.Min(math.Max(float64(pr.y(e.y)), float64(pr.c.Min.Y)), float64(pr.c.Max.Y))
	}
	x := pr.c.Max.X + 18
	for i, y := range spread(want, float64(printText)*1.15, float64(pr.c.Min.Y), float64(pr.c.Max.Y)) {
		e := pr.labels[i]
		lead := draw.LineStyle{Color: shade(palette[e.style.color].line, 0x8C), Width: 0.6}
		from := min(pr.x(e.x), pr.c.Max.X)
		pr.c.StrokeLine2(lead, from+4, vg.Length(want[i]), x-3, vg.Length(y))
		pr.c.FillText(letters(e.style), vg.Point{X: x, Y: vg.Length(y)}, plain(e.text))
	}
}

// shape is a marker of the report's, 0 … marks−1, as a glyph.
type shape int

// DrawGlyph implements draw.GlyphDrawer.
func (m shape) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	c.SetColor(sty.Color)
	var p vg.Path
	if int(m)%marks == 0 {
		p.Move(vg.Point{X: pt.X + sty.Radius, Y: pt.Y})
		p.Arc(pt, sty.Radius, 0, 2*math.Pi)
		p.Close()
		c.Fill(p)
		return
	}
	for i, q := range corners[int(m)%marks] {
		// Up is down on a screen.
		at := vg.Point{X: pt.X + sty.Radius*vg.Length(q[0]), Y: pt.Y - sty.Radius*vg.Length(q[1])}
		if i == 0 {
			p.Move(at)
		} else {
			p.Line(at)
		}
	}
	p.Close()
	c.Fill(p)
}
