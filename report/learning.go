package report

import "strconv"

// Learning is how often games end right with a table that has learned from others.
type Learning struct {
	Name          string
	Right, Lo, Hi []float64 // after so many games each, with intervals
	Own           float64   // how often they do where the table's own people answer, before it learns anything
}

// LearningCurve returns a figure, a whole SVG file, of the games that each table has learned from against the share of
// fresh games that end right, one line a table, and a dashed one for its own people. The numbers of games stand at equal
// steps: they are 0 and then doubled.
func LearningCurve(games []int, lines []Learning, title string) []byte {
	ch := &chart{x: axis{label: "games played", hi: float64(len(games) - 1)}, y: linear("share of games that end right", 0.5, 1, 5)}
	var steps []float64
	for k, n := range games {
		steps = append(steps, float64(k))
		ch.x.ticks = append(ch.x.ticks, tick{float64(k), strconv.Itoa(n)})
	}
	for k, l := range lines {
		s := series{name: l.Name, short: l.Name, x: steps, mean: l.Right, lo: l.Lo, hi: l.Hi, ring: -1} // no x is marked
		s.style = styleOf("pi-" + strconv.Itoa(2*k+2))
		own := series{name: l.Name + ", own people", short: l.Name + ", own", style: s.style, thin: true, x: []float64{0, ch.x.hi}, mean: []float64{l.Own, l.Own}}
		own.style.dash = "5 3"
		ch.series = append(ch.series, s, own)
	}
	return ch.canvas(wide, 320).svg(title, true)
}
