package report

import (
	"bytes"
	"cmp"
	_ "embed" // page.html
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/record"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// maxListed is how many lines of results.csv the page carries; the file itself has them all.
const maxListed = 2000

// page is what page.html shows. All strings are escaped by html/template; CSS and SVG are our own,
// and every text inside an SVG went through canvas.text.
type page struct {
	*Run
	Figures        []shownFigure
	CSV            string
	Listed, Hidden int
}

// Heading returns the page's.
func (run page) Heading() string { return cmp.Or(run.Title, run.Name) }

// Smoke reports whether the run's policies were hardly trained.
func (run page) Smoke() bool { return run.Scale == "smoke" }

// Stops reports whether games end early.
func (run page) Stops() bool { return Stops(run.Rows) }

// Style returns the style sheet of the figures.
func (run page) Style() template.CSS { return template.CSS(css()) }

// Confidence returns that of the intervals, "" where there are none.
func (run page) Confidence() string { return sureness(run.Rows) }

// Terms returns how the run's kind of problem is spoken of.
func (run page) Terms() *game.Words { return run.words() }

// shownFigure is a figure drawn for both widths, of which the reader's browser shows one.
type shownFigure struct {
	Number               int
	Name, Title, Caption string
	Wide, Narrow         template.HTML
	table
}

// fact is a line of the page's "how it was made".
type fact struct{ Name, Value string }

// HTML writes report.html: one file without scripts or outside references, figures inline, that
// follows the reader's width and colours. The same run gives the same bytes.
func HTML(w io.Writer, run *Run) error {
	if err := run.check(); err != nil {
		return err
	}
	p := page{Run: run}
	for i, d := range run.drawings() {
		p.Figures = append(p.Figures, shownFigure{
			Number: i + 1, Name: d.name, Title: d.title, Caption: d.caption, table: d.table,
			// Our own markup, in which canvas.text has escaped every foreign word.
			Wide:   template.HTML(d.draw(wide).svg(d.title, false)),
			Narrow: template.HTML(d.draw(narrow).svg(d.title, false)),
		})
	}
	var listed bytes.Buffer
	// The page is a record: a reader with only this file has the numbers, and the command that reads them.
	p.Listed = min(len(run.Rows), maxListed)
	p.Hidden = len(run.Rows) - p.Listed
	if err := WriteCSV(&listed, run.Rows[:p.Listed]); err != nil {
		return err
	}
	p.CSV = listed.String()
	var out bytes.Buffer // whole or not at all
	if err := pageTemplate.Execute(&out, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("report: write page: %w", err)
	}
	return nil
}

// Facts returns the run in a few lines.
func (run page) Facts() []fact {
	all := []fact{
		{"run", run.Name},
		{"pool", run.poolSize()},
		{run.words().Queries, thousands(run.asked())},
		{run.words().Hypotheses, thousands(run.Hypotheses)},
		{"budget", strconv.Itoa(run.Budget) + " " + run.words().Questions},
		{run.words().Queries + " repeat", run.repeats()},
		{"games end at", run.Stopping},
		{"trained on", lossName(run.Loss)},
		{"objective", run.objective()},
		{"data", strings.Join(run.Notes, " ")},
		{"scale", run.Scale},
		{"seed", strconv.FormatUint(run.Seed, 10)},
		{"took", run.took()},
		{"machine", run.Machine},
		{"version", run.Version},
	}
	return slices.Compact(slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })) // arms are queries and hypotheses
}

// repeats says whether a query may be asked again.
func (run *Run) repeats() string {
	switch {
	case run.Pool > 0:
		return "no"
	case run.AskOnce:
		return "no (ask-once)"
	}
	return "yes"
}

// poolSize returns how many items a pool has, "" where there is none.
func (run *Run) poolSize() string {
	if run.Pool == 0 {
		return ""
	}
	return thousands(int(run.Pool)) + " items"
}

// asked returns how many things there are to ask about.
func (run *Run) asked() int {
	if run.Pool > 0 {
		return run.Items
	}
	return run.Queries
}

// objective returns in words what mapo was trained for, "" where that is the worst gap alone.
func (run *Run) objective() string {
	if run.Weight == 0 {
		return ""
	}
	return record.Objective(run.Average, run.Weight, len(run.Levels))
}

// took returns the time waited and, where steps ran side by side, theirs; nothing if none was recorded.
func (run *Run) took() string {
	work := run.work()
	switch {
	case run.Wall == 0 && work == 0:
		return ""
	case run.Wall == 0:
		return seconds(work) + " of work"
	case work < 1.05*run.Wall:
		return seconds(run.Wall)
	}
	return seconds(run.Wall) + ", for " + seconds(work) + " of work side by side"
}

// work returns the seconds of all steps together.
func (run *Run) work() (sum float64) {
	for _, t := range run.Timings {
		sum += t.Seconds
	}
	return sum
}
