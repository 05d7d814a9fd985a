package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mapo/game"
)

// Options say what game to make of a table.
type Options struct {
	Name    string // of the problem; "": the file's base name
	T       int    // the budget
	AskOnce bool
	Select  Select
}

// Select keeps some of a table's queries.
type Select struct {
	Queries int    // how many; 0: all
	Design  string // one of [Designs]; "": balanced
	Seed    uint64 // of rho-star's draw
}

// Designs are the ways to choose queries: balanced takes those closest to half
// yes, half no, ties by their order in the table; rho-star draws without
// replacement from the design λ of ρ_* (App. I) and fills up by balance.
var Designs = []string{"balanced", "rho-star"}

// reduced is a table after thresholding: the columns and rows still in use.
type reduced struct {
	t    *Table
	cols []int   // kept columns, in the table's order
	rows []int   // one row a hypothesis
	like [][]int // the rows merged into each, itself first
}

// whole returns a table with all columns and rows in use.
func whole(t *Table) *reduced {
	return &reduced{t: t, cols: upTo(len(t.Queries)), rows: upTo(len(t.Objects))}
}

// Majorities thresholds a table, z_i = 1{P(yes) > 1/2}, merges equal hypotheses
// and drops queries on which all agree or that repeat another, before and after
// the selection; each kind is counted in a warning. prior keeps every original
// row restricted to the kept queries, θ_i = 2 P(yes) − 1 (reading 6); those are
// also the problem's known instances, but for a table of over a million of them.
func Majorities(t *Table, o Options) (p *game.Problem, prior [][]float64, warnings []string, err error) {
	kept, warnings := whole(t).clean("")
	if len(kept.rows) < 2 {
		return nil, nil, warnings, fmt.Errorf("%s:%d: all %d objects have the same majority, P(yes) > 1/2 or not, in every query; truth: rows in a spec reads the shares themselves, or add a query that tells some of them apart",
			t.Name, t.Lines[0], len(t.Objects))
	}
	if o.Select != (Select{}) {
		var more []string
		if kept, more, err = kept.choose(o.Select); err != nil {
			return nil, nil, warnings, fmt.Errorf("%s:1: %w", t.Name, err)
		}
		warnings = append(warnings, more...)
	}
	p, prior = kept.problem(o), kept.prior()
	if len(prior)*p.Queries() <= game.MostKnown {
		for _, theta := range prior {
			for _, v := range theta {
				p.Known = append(p.Known, float32(v))
			}
		}
	} else {
		warnings = append(warnings, fmt.Sprintf("%s: %d rows of %d queries are too many for policies to know each: they read its %d hypotheses", t.Name, len(prior), p.Queries(), len(p.Names)))
	}
	return p, prior, warnings, nil
}

// choose selects queries and cleans up again: hypotheses that only a dropped
// query distinguished are now equal.
func (r *reduced) choose(s Select) (*reduced, []string, error) {
	switch {
	case s.Queries < 0:
		return nil, nil, fmt.Errorf("select: %d queries; it must be at least 1", s.Queries)
	case s.Design != "" && !slices.Contains(Designs, s.Design):
		return nil, nil, fmt.Errorf("select: unknown design %q; known are %s", s.Design, strings.Join(Designs, " and "))
	}
	if s.Queries > len(r.cols) {
		return nil, nil, fmt.Errorf("select asks for %d queries and the table has %d that tell objects apart, of %d: lower it, or leave select out", s.Queries, len(r.cols), len(r.t.Queries))
	}
	if s.Queries == 0 || s.Queries == len(r.cols) {
		return r, nil, nil
	}
	order, err := r.order(s)
	if err != nil {
		return nil, nil, err
	}
	next := &reduced{t: r.t, rows: r.rows, like: r.like}
	for _, i := range firstOf(order, s.Queries) {
		next.cols = append(next.cols, r.cols[i])
	}
	next, warnings := next.clean("after select: ")
	if len(next.rows) < 2 {
		return nil, warnings, errors.New("select leaves hypotheses that are all the same: select more queries")
	}
	return next, warnings, nil
}

// firstOf returns the first n different ones of a list, in increasing order: queries keep the order of the table, whatever the
// order of their choice.
func firstOf(list []int, n int) (first []int) {
	for _, i := range list {
		if len(first) < n && !slices.Contains(first, i) {
			first = append(first, i)
		}
	}
	slices.Sort(first)
	return first
}

// balance orders queries by how far their share of ones is from ½, then by index.
func (r *reduced) balance() []int {
	off := make([]int, len(r.cols))
	for i, col := range r.cols {
		for _, row := range r.rows {
			off[i] += 2 * int(r.z(row, col))
		}
		off[i] = max(off[i]-len(r.rows), len(r.rows)-off[i])
	}
	order := upTo(len(r.cols))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(off[a], off[b]) })
	return order
}

// z returns z_i of one row and column: 1 where its share is above 0.5, else 0.
func (r *reduced) z(row, col int) byte {
	if r.t.P[row*len(r.t.Queries)+col] > 0.5 {
		return 1
	}
	return 0
}

// problem returns the game over the rows and columns still in use.
func (r *reduced) problem(o Options) *game.Problem {
	p := &game.Problem{Name: o.Name, T: o.T, AskOnce: o.AskOnce, Z: make([]float32, 0, len(r.rows)*len(r.cols))}
	if p.Name == "" {
		p.Name = Base(r.t.Name)
	}
	for _, col := range r.cols {
		p.X = append(p.X, r.t.Queries[col])
	}
	for k, row := range r.rows {
		p.Names = append(p.Names, r.name(k))
		for _, col := range r.cols {
			p.Z = append(p.Z, float32(r.z(row, col)))
		}
	}
	return p
}

// prior returns one instance for each row of the table, merged or not.
func (r *reduced) prior() [][]float64 {
	out := make([][]float64, len(r.t.Objects))
	for row := range out {
		out[row] = make([]float64, len(r.cols))
		for i, col := range r.cols {
			out[row][i] = 2*r.t.P[row*len(r.t.Queries)+col] - 1
		}
	}
	return out
}

// mostNames is how many names of merged objects a hypothesis carries.
const mostNames = 3

// name returns hypothesis k's name: those of its first few objects, and how
// many more there are.
func (r *reduced) name(k int) string {
	var list []string
	for _, row := range r.like[k][:min(len(r.like[k]), mostNames)] {
		list = append(list, r.t.Objects[row])
	}
	name := strings.Join(list, " / ")
	if more := len(r.like[k]) - len(list); more > 0 {
		name += fmt.Sprintf(" / and %d more", more)
	}
	return name
}

// upTo returns 0, 1, …, n−1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
