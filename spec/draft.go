package spec

import (
	"fmt"
	"strings"
	"unicode"

	"mapo/data/dataset"
)

// Draft is the spec that suits a table, with what was found in it as comments. [NewDraft] makes one; its levels may be
// added before [Draft.Text].
type Draft struct {
	File   string    // the spec's own file, as the commands in its comments name it
	Levels []float64 // r_k; nil: left out
	Why    string    // why the levels are left out

	table    string   // as the spec names it
	weights  string   // the column of weights that was asked for
	found    []string // what the table is
	objects  int
	queries  int
	exact    bool // all known cells are 0 or 1
	weighted bool
}

// Bounds of what a draft proposes.
const (
	manyQueries   = 200 // from which on it shows how to select some
	someQueries   = 100 // the paper's choice
	draftsStop    = 0.95
	draftsOther   = 0.05
	draftsAverage = 0.6
)

// NewDraft returns the draft for a table that a spec names by path. weights is the column of prior weights that was
// asked for, "" for the table's own. The error is one line: the table makes no game.
func NewDraft(t *dataset.Table, path, weights string) (*Draft, error) {
	d := &Draft{table: path, weights: weights, objects: len(t.Objects), queries: len(t.Queries), weighted: t.Weights != nil}
	p, warnings, err := dataset.Rows(t, dataset.RowOptions{Options: dataset.Options{T: 1}})
	if err != nil {
		return nil, err
	}
	d.count(t, len(t.Objects)-p.Hypotheses())
	for _, text := range t.Notes {
		d.found = append(d.found, "assumed: "+text)
	}
	for _, text := range append(t.Warnings, warnings...) {
		d.found = append(d.found, "warning: "+text)
	}
	return d, nil
}

// count notes what the table's cells are.
func (d *Draft) count(t *dataset.Table, merged int) {
	unknown, counted := 0, 0
	d.exact = true
	for at, yes := range t.P {
		row, col := at/len(t.Queries), at%len(t.Queries)
		_, isCount := t.Count(row, col)
		switch {
		case t.IsUnknown(row, col):
			unknown++
		case isCount:
			counted++
			d.exact = false
		case yes != 0 && yes != 1:
			d.exact = false
		}
	}
	cells, weights := "shares between 0 and 1", "none, so all rows are equally likely"
	switch {
	case d.exact:
		cells = "all known cells are 0 or 1"
	case counted > 0:
		cells = fmt.Sprintf("%d are counts k/n", counted)
	}
	if d.weighted {
		weights = "in the table"
	}
	d.found = append(d.found,
		fmt.Sprintf("rows: %d; questions: %d", d.objects, d.queries),
		fmt.Sprintf("cells: %s; unknown: %d of %d", cells, unknown, len(t.P)),
		fmt.Sprintf("weights: %s", weights),
		fmt.Sprintf("rows that share a hypothesis with an equal one: %d", merged))
}

// Text returns the spec as YAML with comments, which [Parse] reads.
func (d *Draft) Text() []byte {
	var b strings.Builder
	note := func(format string, a ...any) { fmt.Fprintf(&b, "# %s\n", printed(fmt.Sprintf(format, a...))) }
	put := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	note("A spec for mapo. In the table:")
	for _, text := range d.found {
		note("  %s", text)
	}
	note("Play it at once:    mapo play %s", d.File)
	note("Judge the game:     mapo eval information:0.03 uniform --problem %s --prior table --flip 0,0.1,0.2", d.File)
	note("Train it:           mapo run %s", d.File)
	put("")
	put("problem:")
	put("  table: %s", word(d.table))
	if d.queries >= manyQueries {
		put("  # select: {queries: %d, design: balanced} # fewer questions make a training faster; play reads all at once", someQueries)
	}
	put("ask-once: true # no question twice in a game: people give the same answer again")
	put("budget: %d # answers in a game", min(defaultBudget, d.queries))
	note("dont-know: spends   # \"don't know\" uses up an answer; it is free by default")
	put("")
	d.game(&b, note)
	put("")
	d.training(&b, note)
	return []byte(b.String())
}

// game writes what the rows of the table are told.
func (d *Draft) game(b *strings.Builder, note func(string, ...any)) {
	fmt.Fprintln(b, "truth: rows # a hypothesis is a row of shares; majority: of 0 and 1, by whether a share is above 1/2")
	switch {
	case d.weights != "":
		fmt.Fprintf(b, "weights: %s # the column of prior weights\n", word(d.weights))
	case d.weighted:
		note("weights: mapo:weight # the column of prior weights; found in the table")
	default:
		note("weights: COLUMN     # a column of prior weights: how often each row is meant")
	}
	if d.exact {
		note("wrong-answers: 0    # the cells are exact and no answer is wrong; else the share of wrong answers is inferred")
	} else {
		note("wrong-answers: 0.1  # this share of the answers is wrong; else it is inferred in each game")
	}
	note("other: %g         # the probability that it is none of the rows", draftsOther)
	note("stop: {confidence: %g} # games end at this probability, in training and judging, too; else play alone stops, at %g", draftsStop, draftsStop)
}

// training writes what run and train read.
func (d *Draft) training(b *strings.Builder, note func(string, ...any)) {
	note("For mapo run and mapo train.")
	switch {
	case d.Levels == nil:
		note("levels: left out; %s", d.Why)
	default:
		var list []string
		for _, r := range d.Levels {
			list = append(list, fmt.Sprintf("%.6g", r))
		}
		fmt.Fprintf(b, "levels: [%s] # difficulties at which the worst case is judged\n", strings.Join(list, ", "))
	}
	put := func(format string, a ...any) { fmt.Fprintf(b, format+"\n", a...) }
	put("objective: {average: table, weight: %g} # for the average over the rows as well; without it for the worst case alone", draftsAverage)
	fmt.Fprintln(b, "seed: 1")
	fmt.Fprintln(b, "train: {preset: desk} # smoke: seconds; paper: the paper's sizes")
}

// printed returns a text on one line: a file may be called anything.
func printed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}
