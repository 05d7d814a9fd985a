package report

import (
	"fmt"
	"strings"
)

// The palette is Okabe and Ito's, which people with any common colour blindness can tell apart. Each
// entry carries the palette's colour for lines, a darker one for text on white, and lighter ones for
// dark pages, where the originals would not be read.
const (
	ink = iota // the palette's black
	orange
	sky
	green
	blue
	vermillion
	purple
)

var palette = [...]struct{ line, text, darkLine, darkText string }{
	ink:        {"#444444", "#333333", "#b5b9bd", "#d3d6d9"},
	orange:     {"#e69f00", "#8a5f00", "#e69f00", "#f3bd55"},
	sky:        {"#56b4e9", "#1c6a99", "#56b4e9", "#84caf2"},
	green:      {"#009e73", "#00704f", "#1bb98b", "#4fd0aa"},
	blue:       {"#0072b2", "#005c90", "#3f9fdd", "#74bbe8"},
	vermillion: {"#d55e00", "#b44f00", "#f07a24", "#ff9a54"},
	purple:     {"#cc79a7", "#96466f", "#d48ab2", "#e6aeca"},
}

// style is how a policy is drawn, the same wherever it appears.
type style struct {
	color int
	bold  bool   // mapo alone
	dash  string // an SVG dash pattern, for a second turn through the colours
	mark  int    // marker shape, so that colour is never the only difference
}

// styles are those of policies everybody has, by what stands before a colon.
var styles = map[string]style{
	Mapo:                 {color: vermillion, bold: true},
	"uniform":            {color: ink, mark: 1},
	"round-robin":        {color: ink, mark: 1, dash: "4 2"},
	"successive-rejects": {color: green, mark: 3},
	"xy-static":          {color: green, mark: 3},
	"sequential-halving": {color: green, mark: 3, dash: "5 3"},
	"top-two":            {color: blue, mark: 2},
	"linear-top-two":     {color: blue, mark: 2},
	"ucb-e":              {color: sky, mark: 5},
	"eb-tc":              {color: purple, mark: 4},
	"ugapeb":             {color: orange},
	"uncertainty":        {color: blue, mark: 2},
	"information":        {color: sky, mark: 5, dash: "2 3"},
	"instant":            {color: purple, dash: "6 2"},
	"sgbs":               {color: green, mark: 3},
	"bayes-lal":          {color: purple, mark: 4},
	"bayes-lal-argmax":   {color: purple, mark: 4, dash: "5 3"},
}

// styleOf gives the policies everybody has fixed colours and takes π_k in turn.
func styleOf(policy string) style {
	turn := [...]int{sky, blue, green, purple, orange, ink}
	if k, ok := piIndex(policy); ok {
		s := style{color: turn[(k-1)%len(turn)], mark: (k - 1) % marks}
		if k > len(turn) {
			s.dash = "5 3"
		}
		return s
	}
	if asks, decides, ok := strings.Cut(policy, "+"); ok { // the same policy with another decision
		s := styleOf(asks)
		s.dash = map[bool]string{true: "1 3", false: "4 2"}[decides == "posterior"]
		s.mark = (s.mark + 3) % marks
		return s
	}
	kind, _, set := strings.Cut(policy, ":")
	s, known := styles[kind]
	switch {
	case !known:
		return style{color: orange, mark: 5, dash: "2 3"}
	case kind == "linear-top-two" && set:
		s.dash = "5 3"
	}
	return s
}

// text returns the class of words in the style.
func (s style) text() string {
	class := "m-t" + px(float64(s.color))
	if s.bold {
		class += " m-b"
	}
	return class
}

// css returns the style sheet of every figure. Classes, not variables: SVG converters know no var().
// The m- prefix keeps them apart from the page's own.
func css() string {
	var b strings.Builder
	b.WriteString(`.m-svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.m-svg text{font-size:12px;font-variant-numeric:tabular-nums}
.m-svg .m-s{font-size:11px}.m-svg .m-b{font-weight:700}
.m-l{fill:none;stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}.m-w{stroke-width:3.4}.m-h{stroke-width:1}
.m-a{stroke:none;fill-opacity:.17}.m-i{stroke-width:1.5;fill:none}
.m-lead{fill:none;stroke-width:.8;stroke-opacity:.55}
`)
	b.WriteString(`.m-bg{fill:#fff}.m-grid{stroke:#e6e8ea;stroke-width:1}.m-axis{stroke:#80868b;stroke-width:1}
.m-t{fill:#202427}.m-m{fill:#5f666c}.m-off{fill:#80868b;fill-opacity:.1}.m-k{stroke:#202427;fill:none}.m-o{fill:#fff}
`)
	for i, c := range palette {
		fmt.Fprintf(&b, ".m-l%d{stroke:%s}.m-f%d{fill:%s}.m-t%d{fill:%s}\n", i, c.line, i, c.line, i, c.text)
	}
	b.WriteString(`@media screen and (prefers-color-scheme:dark){
.m-bg{fill:#16191c}.m-grid{stroke:#2b3035}.m-axis{stroke:#7b838a}
.m-t{fill:#e6e8ea}.m-m{fill:#a4abb2}.m-k{stroke:#e6e8ea}.m-o{fill:#16191c}.m-a{fill-opacity:.24}
`)
	for i, c := range palette {
		fmt.Fprintf(&b, ".m-l%d{stroke:%s}.m-f%d{fill:%s}.m-t%d{fill:%s}\n", i, c.darkLine, i, c.darkLine, i, c.darkText)
	}
	b.WriteString("}\n.m-pale{fill-opacity:.08}\n")
	return b.String()
}
