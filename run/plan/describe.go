package plan

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mapo/difficulty"
	"mapo/game"
	"mapo/judge"
	"mapo/run"
)

// DescribeLevels prints the levels of a p.
func DescribeLevels(w io.Writer, p run.Plan) {
	fmt.Fprintf(w, "levels\t%s\n", judge.ListLevels(p.Levels))
	if p.LevelsNote != "" {
		fmt.Fprintf(w, "\t%s\n", p.LevelsNote)
	}
	own, flipped := p.Coverage(0), p.Coverage(0.1)
	for k := range own {
		fmt.Fprintf(w, "r = %.4g\tcovers %.0f %% of %s, with one answer in ten flipped %.0f %%\n", p.Levels[k], 100*own[k], difficulty.SampleWords(p.Problem), 100*flipped[k])
	}
	if p.Finite != nil {
		describeFinite(w, p)
	}
}

// DescribeGiven prints the levels of a spec that there was no time to check or to complete.
func DescribeGiven(w io.Writer, levels []float64) {
	if levels == nil {
		fmt.Fprint(w, "levels\tleft out: choosing them takes longer than a look; a run chooses them, or give some by levels: in the spec\n")
		return
	}
	fmt.Fprintf(w, "levels\t%s, not checked: finding what they mean takes longer than a look\n", judge.ListLevels(levels))
}

// describeFinite says how hard the given instances are.
func describeFinite(w io.Writer, p run.Plan) {
	var rho []float64
	complexity := difficulty.Of(p.Problem)
	for _, theta := range p.Finite {
		rho = append(rho, complexity.Of(theta))
	}
	fmt.Fprintf(w, "instances\t%d, difficulty %.4g to %.4g\n", len(rho), slices.Min(rho), slices.Max(rho))
}

// DescribeLeast prints the least difficulty of p's instances. late, where not nil, is why not all were looked at.
func DescribeLeast(w io.Writer, p *game.Problem, late error) {
	symbol, edge := difficulty.MeasureOf(p).Symbol, 1-game.Edge
	var some *difficulty.Unfinished
	switch {
	case errors.As(late, &some) && some.Least < math.Inf(1):
		fmt.Fprintf(w, "least %s\tat most %s (the easiest instance within ±%g of %d of the %d hypotheses: the others take longer than a look)\n",
			symbol, difficulty.Above(some.Least), edge, some.Found, some.Of)
	case some != nil || late != nil && difficulty.Large(p):
		fmt.Fprintf(w, "least %s\tleft out: the easiest instance takes longer than a look to find\n", symbol)
	case difficulty.Large(p):
		rows, rho := difficulty.Easiest(p)
		fmt.Fprintf(w, "least %s\tat most %s (the easiest instance within ±%g of a sample of %d rows)\n", symbol, difficulty.Above(slices.Min(rho)), edge, len(rows))
	default:
		fmt.Fprintf(w, "least %s\t%s (no instance within ±%g is easier)\n", symbol, difficulty.Above(difficulty.Least(p)), edge)
	}
}

// describeKind returns what is said of p alone: how large its games are, where that is not told of queries and hypotheses, and what
// the rows of a table are.
func describeKind(p *game.Problem) (shape, rows string) {
	switch goal := p.Goal().(type) {
	case *game.Shares:
		unknown, wrong := 0, "inferred in each game"
		for _, open := range goal.Unknown {
			if open {
				unknown++
			}
		}
		if goal.Wrong != nil {
			wrong = fmt.Sprintf("%g", *goal.Wrong)
		}
		rows = fmt.Sprintf("truth\trows: a hypothesis is a row of shares\nunknown\t%d of %d cells\nwrong answers\t%s\n", unknown, len(goal.Yes), wrong)
	case *game.Labels:
		shape = fmt.Sprintf("pool\t%g items, %d models, %d classes (%s)\nin play\t%d items in %d cells\nmodels\t%s\nbudget\t%d labels\n",
			goal.Pool, p.Hypotheses(), len(goal.Classes), firstOf(goal.Classes), len(goal.Items), goal.Cells(), firstOf(p.Names), p.T)
	}
	return shape, rows
}

// DescribeRows prints what the rows of a table are, nothing of other problems.
func DescribeRows(w io.Writer, p *game.Problem) {
	_, rows := describeKind(p)
	fmt.Fprint(w, rows)
}

// DescribeShape prints how large a game is.
func DescribeShape(w io.Writer, p *game.Problem) {
	fmt.Fprintf(w, "problem\t%s\n", p.Name)
	if shape, _ := describeKind(p); shape != "" {
		fmt.Fprint(w, shape)
		return
	}
	fmt.Fprintf(w, "queries\t%d (%s, …)\n", p.Queries(), p.X[0])
	fmt.Fprintf(w, "hypotheses\t%d (%s, …)\n", p.Hypotheses(), p.Names[0])
	once := "queries may repeat"
	if p.AskOnce {
		once = "ask-once"
	}
	fmt.Fprintf(w, "budget\t%d, %s\n", p.T, once)
	if a := p.Answer(); len(a.Names()) == 0 { // any number
		fmt.Fprintf(w, "answers\tGaussian, standard deviation %.6g, means within ±%g\n", math.Sqrt(a.Variance(0))*a.Unit(), a.Unit())
	}
}

// mostNamed is how many names a line has.
const mostNamed = 8

// firstOf returns names in one line, the first few of them.
func firstOf(names []string) string {
	if len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
