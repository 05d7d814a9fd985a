package report

import (
	"bytes"
	"fmt"
	"image/color"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Print is one of the paper's figures to put on paper: the same numbers as the
// report's, drawn by gonum/plot, for a column of text.
type Print struct {
	Name     string // of the files, such as figure-4-rivals
	SVG, PNG []byte
}

// The size of a print, and how fine a PNG is.
const (
	printWidth  = 14 * vg.Centimeter
	printHeight = 8.5 * vg.Centimeter
	printDPI    = 300
	printText   = vg.Length(9) // points
)

// Prints draws the paper's figures 2 to 7 the run has numbers for, in the order of the
// report. A run of one level has no curves over r, so no figures 2 to 4, 6 and 7. The
// same run gives the same bytes, the PNG with one version of Go.
func Prints(run *Run) ([]Print, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	var out []Print
	for _, d := range run.drawings() {
		number := run.paperFigure(d.name)
		if number == 0 || d.chart == nil {
			continue
		}
		p := Print{Name: fmt.Sprintf("figure-%d-%s", number, d.name)}
		var err error
		if p.SVG, p.PNG, err = d.chart.print(); err != nil {
			return nil, fmt.Errorf("report: %s: %w", p.Name, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// paperFigure returns the number that a figure of this form has in the paper, 0 for none.
// Figures 4, 6 and 7 are one form on three datasets.
func (run *Run) paperFigure(name string) int {
	switch name {
	case "learned":
		return 2
	case "gaps":
		return 3
	case "rivals":
		switch run.Experiment {
		case TwentyQ, Birds:
			return 6
		case Jester:
			return 7
		}
		return 4
	case "averages":
		return 5
	}
	return 0
}

// print returns the chart as SVG and PNG.
func (ch *chart) print() (svg, png []byte, err error) {
	s := vgsvg.New(printWidth, printHeight)
	ch.paint(draw.New(s))
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil {
		return nil, nil, err
	}
	// Who has not this font has one of the same widths.
	svg = bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(printWidth, printHeight), vgimg.UseDPI(printDPI))}
	ch.paint(draw.New(c))
	var raster bytes.Buffer
	if _, err := c.WriteTo(&raster); err != nil {
		return nil, nil, err
	}
	return svg, raster.Bytes(), nil
}

// paint draws the chart with its axes; labels stand in a margin as wide as the widest.
func (ch *chart) paint(c draw.Canvas) {
	p := plot.New()
	p.BackgroundColor = color.White
	pr := &printed{ch: ch, labels: ch.ends(layout{narrow: true})}
	ch.x.printTo(&p.X)
	ch.y.printTo(&p.Y)
	p.Add(pr)
	margin := vg.Length(6)
	for _, e := range pr.labels {
		margin = max(margin, letters(e.style).Width(plain(e.text))+26)
	}
	p.Draw(draw.Crop(c, 6, -margin, 4, -8))
}

// printTo sets a plot's axis.
func (a axis) printTo(to *plot.Axis) {
	to.Min, to.Max = a.lo, a.hi
	if a.log {
		to.Scale = plot.LogScale{}
	}
	var ticks []plot.Tick
	for _, t := range a.ticks {
		ticks = append(ticks, plot.Tick{Value: t.at, Label: strings.ReplaceAll(t.text, "-", "−")})
	}
	to.Tick.Marker = plot.ConstantTicks(ticks)
	// The font has no angle brackets.
	to.Label.Text = strings.NewReplacer("log scale", "log₂ scale", "⟨", "‹", "⟩", "›").Replace(a.label)
	gray := color.Gray{0x55}
	to.LineStyle = draw.LineStyle{Color: gray, Width: 0.6}
	to.Tick.LineStyle = draw.LineStyle{Color: gray, Width: 0.5}
	to.Tick.Length = 3
	to.Label.Padding = 3
	for _, sty := range []*text.Style{&to.Label.TextStyle, &to.Tick.Label} {
		sty.Font, sty.Color = typeface(printText, false), color.Gray{0x33}
	}
	to.Padding = 0
}

// typeface returns the print's font.
func typeface(size vg.Length, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// letters returns how a policy's label is written.
func letters(s style) text.Style {
	return text.Style{
		Color: shade(palette[s.color].text, 0xFF), Font: typeface(printText-0.5, s.bold),
		YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
	}
}

// plain takes spaces that do not break for ones every font has.
func plain(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }

// shade returns a color such as #56b4e9, as opaque as alpha.
func shade(hex string, alpha uint8) color.Color {
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		panic("report: the palette has no color " + hex)
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), alpha}
}
