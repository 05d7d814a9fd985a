package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// canvas collects the elements of one SVG. Its coordinates are CSS pixels at natural size.
// It knows nothing of data, and nothing but it knows SVG.
type canvas struct {
	w, h float64
	b    strings.Builder
}

// box is a rectangle on a canvas; y grows downwards.
type box struct{ x, y, w, h float64 }

// px prints a coordinate to a tenth of a pixel: finer is invisible and would make goldens depend on
// how a processor rounds.
func px(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) // +0 makes −0 into 0
}

// line draws a straight line; class gives it its colour and weight, as everywhere here: a colour written
// into an element could not follow the reader from day to night.
func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&c.b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, px(x1), px(y1), px(x2), px(y2))
}

// rect draws a filled rectangle. A negative size, which SVG forbids, is drawn as none.
func (c *canvas) rect(class string, r box) {
	fmt.Fprintf(&c.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`+"\n",
		class, px(r.x), px(r.y), px(math.Max(r.w, 0)), px(math.Max(r.h, 0)))
}

// path draws d, dashed when dash says so.
func (c *canvas) path(class, d, dash string) {
	if d == "" {
		return
	}
	if dash != "" {
		dash = ` stroke-dasharray="` + dash + `"`
	}
	fmt.Fprintf(&c.b, `<path class="%s" d="%s"%s/>`+"\n", class, d, dash)
}

// text writes s with its baseline at (x, y); anchor is start, middle or end. The only way any text of
// a run gets into a figure, and the place where it is escaped.
func (c *canvas) text(class string, x, y float64, anchor, s string) {
	fmt.Fprintf(&c.b, `<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`+"\n",
		class, px(x), px(y), anchor, html.EscapeString(printable(s)))
}

// inside draws with everything outside r cut off. A nested svg element clips without needing an id,
// so figures can share a page; draw's coordinates stay those of the canvas.
func (c *canvas) inside(r box, draw func()) {
	fmt.Fprintf(&c.b, `<svg x="%s" y="%s" width="%s" height="%s" viewBox="%s %s %s %s">`+"\n",
		px(r.x), px(r.y), px(r.w), px(r.h), px(r.x), px(r.y), px(r.w), px(r.h))
	draw()
	c.b.WriteString("</svg>\n")
}

// marks is the number of marker shapes.
const marks = 6

// corners are the shapes but the circle and the square in units of the radius, y downwards, scaled so
// that all look equally heavy.
var corners = [marks][][2]float64{
	2: {{0, -1.2}, {1.1, .8}, {-1.1, .8}},
	3: {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
	4: {{0, 1.2}, {1.1, -.8}, {-1.1, -.8}},
	5: {{-.4, -1.2}, {.4, -1.2}, {.4, -.4}, {1.2, -.4}, {1.2, .4}, {.4, .4}, {.4, 1.2}, {-.4, 1.2}, {-.4, .4}, {-1.2, .4}, {-1.2, -.4}, {-.4, -.4}},
}

// marker draws a shape of radius r around (x, y).
func (c *canvas) marker(class string, shape int, x, y, r float64) {
	switch shape % marks {
	case 0:
		fmt.Fprintf(&c.b, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", class, px(x), px(y), px(r))
		return
	case 1:
		c.rect(class, box{x - r*.9, y - r*.9, 1.8 * r, 1.8 * r})
		return
	}
	var p pen
	for _, q := range corners[shape%marks] {
		p.to(x+r*q[0], y+r*q[1])
	}
	c.path(class, p.closed(), "")
}

// svgHead begins every figure.
const svgHead = `<svg class="m-svg" `

// IsFigure reports whether content is empty or begins as the file of a figure does.
func IsFigure(content []byte) bool {
	return len(content) == 0 || strings.HasPrefix(string(content), svgHead)
}

// svg returns the finished drawing. Standing alone it brings its own colours and background; inside
// report.html the page has them already, and HTML needs no namespace.
func (c *canvas) svg(title string, alone bool) []byte {
	var b strings.Builder
	b.WriteString(svgHead)
	if alone {
		b.WriteString(`xmlns="http://www.w3.org/2000/svg" `)
	}
	fmt.Fprintf(&b, `viewBox="0 0 %s %s" width="%s" height="%s" role="img">`+"\n<title>%s</title>\n",
		px(c.w), px(c.h), px(c.w), px(c.h), html.EscapeString(printable(title)))
	if alone {
		fmt.Fprintf(&b, "<style>\n%s</style>\n<rect class=\"m-bg\" width=\"%s\" height=\"%s\"/>\n", css(), px(c.w), px(c.h))
	}
	b.WriteString(c.b.String())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// pen builds path data point by point.
type pen struct{ d strings.Builder }

// move lifts the pen and sets it down at (x, y): a gap in the line.
func (p *pen) move(x, y float64) { p.d.WriteString("M" + px(x) + " " + px(y)) }

// to draws a line to (x, y), or starts there.
func (p *pen) to(x, y float64) {
	if p.d.Len() == 0 {
		p.move(x, y)
		return
	}
	p.d.WriteString("L" + px(x) + " " + px(y))
}

// closed ends the outline, or is empty if there is none.
func (p *pen) closed() string {
	if p.d.Len() == 0 {
		return ""
	}
	return p.d.String() + "Z"
}

// printable drops what no XML document may contain; escaping cannot help there.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if (r < ' ' && r != '\t' && r != '\n') || r == 0xFFFE || r == 0xFFFF || r == 0x7F {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// textWidth guesses how wide s prints at 12 px. No font is embedded and readers' fonts differ, so it
// errs on the wide side: a label that ends early is better than one cut off.
func textWidth(s string) float64 { return 6.9 * float64(len([]rune(s))) }

// shorten cuts s to at most n runes, the last an ellipsis; tables always have the whole text.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
