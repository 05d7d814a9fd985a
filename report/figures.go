package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mapo/record"
)

// Figure is one figure of the report: a file figures/<Name>.svg that stands alone, and in its caption
// what it shows. The paper's figures 2 to 7 are named so: figure-4-rivals.
type Figure struct {
	Name    string
	SVG     []byte
	Caption string
}

// drawing is a figure before its width is chosen, with the table of its numbers.
type drawing struct {
	name, title, caption string
	// draw may be called more than once, with any layout, and must give the same bytes each time.
	draw  func(layout) *canvas
	paper int // the figure's number in the paper, 0 where it has none
	table     // the numbers behind it, for those who prefer them. Formatted: the CSV is exact.
}

// table is numbers with their names.
type table struct {
	Head  []string
	Cells [][]string
}

// Figures draws every figure the run has numbers for, in the order of the report. The same run gives
// the same bytes. An error means the run contradicts itself.
func Figures(run *Run) ([]Figure, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	var out []Figure
	for _, d := range run.drawings() {
		name := d.name
		if d.paper > 0 {
			name = fmt.Sprintf("figure-%d-%s", d.paper, name)
		}
		out = append(out, Figure{Name: name, SVG: d.draw(wide).svg(d.title, true), Caption: d.caption})
	}
	return out, nil
}

// drawings lists the figures that have something to show.
// Their order is the paper's, then training, then what the run cost; a reader who stops early has seen
// the results.
func (run *Run) drawings() []drawing {
	var out []drawing
	for _, figure := range []func(*Run) (drawing, bool){
		coverageFigure, noiseFigure, learnedFigure, gapsFigure, rivalsFigure, minimaxFigure, averagesFigure, priorsFigure, frontierFigure,
		trainingFigure, diagnosticsFigure, worstFigure, timeFigure,
	} {
		if d, ok := figure(run); ok {
			out = append(out, d)
		}
	}
	return out
}

// learnedFigure returns the paper's Figure 2: ℓ(π, Θ^(r)) over r for π̂ and every π_k.
func learnedFigure(run *Run) (drawing, bool) {
	rows := leveled(where(run.pick(WorstCase, run.Loss), func(r Row) bool { return learned(r.Policy) }))
	d := drawing{
		name: "learned", paper: 2, title: "Worst case of the learned policies",
		caption: "Worst case found at each difficulty, for mapo and for the policies trained for one level each " +
			"(rings mark their own level). Lower is better; shading is " + confidence(rows) + ".",
	}
	brackets := run.brackets()
	if len(brackets) > 0 {
		d.caption += " The I-beams are certified: no policy at all gets below their feet, and some policy reaches their heads on the certified instances."
	}
	return run.overLevels(d, rows, brackets, nil)
}

// gapsFigure returns the paper's Figure 3: each learned policy's distance from the best at each level.
func gapsFigure(run *Run) (drawing, bool) {
	rows := leveled(where(run.pick(Gap, run.Loss), func(r Row) bool { return learned(r.Policy) }))
	d := drawing{
		name: "gaps", paper: 3, title: "Sub-optimality gap of the learned policies",
		caption: "How far each policy’s worst case lies above the least worst case of every policy of this run at that " +
			"difficulty. mapo is trained to keep its highest point low; a policy of one level is free to be poor elsewhere. " +
			"Lower is better, 0 is the best of this run; shading is " + confidence(rows) + ".",
	}
	return run.overLevels(d, rows, nil, nil)
}

// rivalsFigure returns the paper's Figure 4: π̂ against the rivals, SGBS as a band over its β, and below
// them what the r-dependent policies reach, each at its own level.
func rivalsFigure(run *Run) (drawing, bool) {
	all := leveled(run.pick(WorstCase, run.Loss))
	rows := where(all, func(r Row) bool { return r.Policy == Mapo || !learned(r.Policy) })
	d := drawing{
		name: "rivals", paper: run.rivalsNumber(), title: "mapo against its rivals",
		caption: "Worst case found at each difficulty, mapo against every rival. Lower is better; shading is " +
			confidence(rows) + "; the band of SGBS spans its β.",
	}
	least := envelope(all)
	if least != nil {
		d.caption += " Dashed: the least worst case of the policies trained for one level, a different one at each r."
	}
	brackets := run.brackets()
	d, ok := run.overLevels(d, compared(rows), brackets, least)
	if full := len(d.Cells); ok {
		if d.table = rowTable(slices.Concat(rows, brackets)); len(d.Cells) > full {
			d.caption += " Worst cases that a short search found are in the table alone."
		}
	}
	return d, ok
}

// rivalsNumber returns the number of the paper's figure with the rivals: one form on three datasets.
func (run *Run) rivalsNumber() int {
	switch run.Experiment {
	case TwentyQ, Birds:
		return 6
	case Jester:
		return 7
	}
	return 4
}

// envelope returns the least worst case of the π_k at each level, as a thin reference line.
func envelope(rows []Row) *series {
	s := series{name: "best pi-k at each r", short: "best pi-k", style: style{color: ink, dash: "4 4"}, thin: true}
	for _, r := range levelsOf(rows) {
		least := math.Inf(1)
		for _, row := range rows {
			if isPi(row.Policy) && row.Level == r {
				least = math.Min(least, row.Mean)
			}
		}
		if finite(least) {
			s.x, s.mean = append(s.x, r), append(s.mean, least)
		}
	}
	if len(s.x) == 0 {
		return nil
	}
	return &s
}

// overLevels completes a drawing of rows over r. Brackets are drawn as I-beams, extra as one more line.
func (run *Run) overLevels(d drawing, rows, brackets []Row, extra *series) (drawing, bool) {
	if len(rows) == 0 {
		return d, false
	}
	d.table = rowTable(append(rows[:len(rows):len(rows)], brackets...))
	if len(levelsOf(rows)) == 1 {
		return run.atLevel(d, rows, brackets), true
	}
	var all []series
	for _, policy := range policies(rows) {
		all = append(all, run.line(rows, policy, func(r Row) float64 { return r.Level }))
	}
	ch := &chart{x: difficultyAxis(levelsOf(append(brackets[:len(brackets):len(brackets)], rows...)))}
	ch.series, ch.bands = family(all)
	if extra != nil {
		ch.series = append(ch.series, *extra)
	}
	for _, b := range brackets {
		ch.stems = append(ch.stems, stem{b.Level, b.Lo, b.Hi})
	}
	label := lossLabel(run.Loss)
	if rows[0].Metric == Gap {
		label = "gap: " + label
	}
	// The caption must own up to a cut axis: a reader compares heights.
	cut := ch.fit(label, run.Loss)
	if cut {
		d.caption += " The axis is cut above the learned policies; arrows tell how far a line goes."
	}
	d.draw = func(l layout) *canvas { return ch.canvas(l, 340) }
	return d, true
}

// atLevel returns what overLevels draws for a run of one level: a curve of one point is not a curve, and a
// dozen policies would lie on top of each other there, and none of the paper's. The π_1 of such a run is shown too.
func (run *Run) atLevel(d drawing, rows, brackets []Row) drawing {
	r := rows[0].Level
	d.paper = 0
	panel := dots{title: "up to r\u00a0=\u00a0" + level(r), label: lossLabel(run.Loss), all: true, rows: slices.Clone(rows)}
	d.caption = "Worst case found, best policy on top, with " + confidence(rows) + ". Lower is better; the axis need not start at 0."
	if rows[0].Metric == Gap {
		d.caption = "How far each policy’s worst case lies above the least of every policy of this run, with " + confidence(rows) + ". Lower is better."
		panel.label = "gap: " + panel.label
	}
	for _, b := range brackets {
		if b.Level == r {
			b.Policy, b.Mean = "certified", b.Lo
			panel.rows = append(panel.rows, b)
			d.caption += " Certified: no policy at all can be better than this on these instances."
		}
	}
	d.draw = panel.canvas
	return d
}

// fit chooses the y axis: from 0 (or the least lower end) to the greatest value. A regret that towers
// over the learned policies' and uniform's would flatten what matters, so there the axis is cut, and
// fit says so; probabilities are never cut.
func (ch *chart) fit(label, lossKind string) (cut bool) {
	lo, hi, near := 0.0, 0.0, 0.0
	for _, s := range ch.series {
		for i, v := range s.mean {
			up, down := v, v
			if s.lo != nil && finite(s.lo[i]) && finite(s.hi[i]) {
				up, down = math.Max(v, s.hi[i]), math.Min(v, s.lo[i])
			}
			if !finite(v) {
				continue
			}
			lo, hi = math.Min(lo, down), math.Max(hi, up)
			if s.thin || learned(s.short) || s.short == "uniform" {
				near = math.Max(near, up)
			}
		}
	}
	for _, b := range ch.bands {
		for _, v := range b.hi {
			hi = math.Max(hi, v)
		}
	}
	for _, s := range ch.stems {
		hi, near = math.Max(hi, s.hi), math.Max(near, s.hi)
	}
	end := axisEnd(lossKind, near, hi)
	hi, cut = end, end < hi
	ch.y = linear(label, lo, hi, 6)
	if lossKind == BestIdentification && ch.y.hi > 1 { // intervals may pass 1, probabilities do not
		ch.y = linear(label, lo, 1, 5)
	}
	return cut
}

// axisEnd returns where an axis of losses ends: at the most, or where a regret towers over those near uniform's, above these.
func axisEnd(kind string, near, most float64) float64 {
	if kind == SimpleRegret && near > 0 && most > 2.5*near {
		return 1.5 * near
	}
	return most
}

// confidence names the intervals of rows: "the 95 % interval of each number".
func confidence(rows []Row) string {
	if sure := sureness(rows); sure != "" {
		return "the " + sure + " interval of each number"
	}
	return "the interval of each number"
}

// sureness returns the confidence of the intervals of rows, "" where they have none.
func sureness(rows []Row) string {
	if at := slices.IndexFunc(rows, func(r Row) bool { return r.Confidence > 0 }); at >= 0 {
		return percent(rows[at].Confidence)
	}
	return ""
}

// percent prints a probability with at most four decimals and no trailing zeros: 95 %, 99.9 %.
// The space is the one typography wants before the sign.
func percent(p float64) string { return strconv.FormatFloat(math.Round(p*1e6)/1e4, 'f', -1, 64) + " %" }

// rowTable returns the numbers behind a figure. Columns in which every row is empty are left out.
func rowTable(rows []Row) (t table) {
	// One shape for every metric; prune takes away what this figure's rows do not use.
	t.Head = []string{"policy", "loss", "difficulty r", "prior", "instance", "loss, mean", "interval", "confidence", "games", "questions", effort}
	for _, row := range rows {
		line := []string{row.Policy, lossName(row.Loss), "", row.Prior, "", loss(row.Mean), interval(row.Lo, row.Hi), "", "", questions(row.Questions), row.Effort}
		if row.Metric == Minimax {
			line[0] = strings.TrimSpace("certified minimax " + row.Policy)
		}
		if row.Level > 0 {
			line[2] = level(row.Level)
		}
		if row.Instance >= 0 {
			line[4] = strconv.Itoa(row.Instance)
		}
		if row.Confidence > 0 {
			line[7] = percent(row.Confidence)
		}
		if row.Games > 0 {
			line[8] = thousands(row.Games)
		}
		t.Cells = append(t.Cells, line)
	}
	return t.prune()
}

// questions prints how many questions games have on average, nothing where they do not end early.
func questions(q record.Questions) string {
	if q == (record.Questions{}) {
		return ""
	}
	return fmt.Sprintf("%.1f [%.1f, %.1f]", q.Mean, q.Lo, q.Hi)
}

// prune returns the table without the columns that are empty everywhere.
func (t table) prune() table {
	for j := len(t.Head) - 1; j >= 0; j-- { // from the right, so that the indices left to visit stay true
		if slices.ContainsFunc(t.Cells, func(line []string) bool { return line[j] != "" }) {
			continue
		}
		t.Head = append(t.Head[:j:j], t.Head[j+1:]...)
		for i, line := range t.Cells {
			t.Cells[i] = append(line[:j:j], line[j+1:]...)
		}
	}
	return t
}

// thousands prints 1234567 as 1,234,567.
func thousands(n int) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
