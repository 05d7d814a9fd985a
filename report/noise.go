package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Flipped returns the share of wrong answers that an average over a table's rows is for, and whether prior is one.
func Flipped(prior string) (float64, bool) {
	if prior == "table" {
		return 0, true
	}
	text, ok := strings.CutPrefix(prior, "table+flip:")
	v, err := strconv.ParseFloat(text, 64)
	return v, ok && err == nil
}

// NoiseCurve returns a figure, a whole SVG file, of the averages over a table's rows against the share of wrong
// answers: how often each policy is right, one line a policy with its interval, the first policy in bold. Rows of other kinds are left out;
// nil where none is left.
func NoiseCurve(rows []Row, title string) []byte {
	ch := noiseChart(rows)
	if ch == nil {
		return nil
	}
	return ch.canvas(wide, 320).svg(title, true)
}

// noiseChart returns the chart that [NoiseCurve] draws; nil where there is nothing to show.
func noiseChart(rows []Row) *chart {
	rows = where(rows, func(r Row) bool {
		_, ok := Flipped(r.Prior)
		return ok && r.Metric == Average && r.Loss == BestIdentification
	})
	if len(rows) == 0 {
		return nil
	}
	ch, most := &chart{y: linear("share of games that end right", 0, 1, 5)}, 0.
	for k, policy := range policies(rows) {
		s := noiseLine(rows, policy)
		s.style = styleOf("pi-" + strconv.Itoa(k+1))
		s.style.bold = policy == rows[0].Policy
		ch.series = append(ch.series, s)
		most = math.Max(most, s.x[len(s.x)-1])
	}
	ch.x = linear("share of wrong answers", 0, math.Max(most, 0.05), 5)
	return ch
}

// noiseLine returns one policy's: right instead of wrong, by increasing noise.
func noiseLine(rows []Row, policy string) series {
	rows = slices.Clone(rows)
	for i, r := range rows {
		rows[i].Mean, rows[i].Lo, rows[i].Hi = 1-r.Mean, 1-r.Hi, 1-r.Lo
	}
	s := new(Run).line(rows, policy, func(r Row) float64 { share, _ := Flipped(r.Prior); return share })
	s.ring = -1 // no x is marked
	return s
}
