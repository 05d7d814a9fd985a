package dataset

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo/data/table"
	"mapo/game"
)

// Other is the name of the hypothesis that a table's rows do not hold.
const Other = "none of these"

// RowOptions say what game to make of a table whose rows are the hypotheses.
type RowOptions struct {
	Options
	Wrong *float64 // the share of wrong answers, in [0, ½), where it is known; nil: inferred
	Other float64  // the prior weight of [Other], in [0, 1); 0: there is no such hypothesis
}

// Rows makes the problem whose hypotheses are the table's rows of shares ([game.Shares]). No query is dropped and no
// row merged, but rows of equal shares and equal unknown cells become one hypothesis "A or B" with the sum of their
// weights, which a warning counts. The error is one line with a remedy: fewer than two rows that
// differ, an object of [Other]'s name, a selection of more queries than there are.
func Rows(t *table.Table, o RowOptions) (p *game.Problem, warnings []string, err error) {
	if t, err = Selected(t, o.Select); err != nil {
		return nil, nil, err
	}
	s := &game.Shares{Wrong: o.Wrong}
	p = &game.Problem{Name: o.Name, T: o.T, AskOnce: o.AskOnce, X: t.Queries, Seek: s}
	if p.Name == "" {
		p.Name = Base(t.Name)
	}
	like := Alike(t)
	if len(like) < 2 {
		return nil, nil, fmt.Errorf("%s:%d: all %d objects have the same shares; a game needs at least 2 that differ", t.Name, t.Lines[0], len(t.Objects))
	}
	s.Yes = make([]float64, 0, len(like)*len(t.Queries))
	for _, rows := range like {
		addRow(p, s, t, rows)
	}
	if merged := len(t.Objects) - len(like); merged > 0 {
		at := slices.IndexFunc(like, func(rows []int) bool { return len(rows) > 1 })
		warnings = append(warnings, fmt.Sprintf("%s: %d of %d objects have the same shares as another and share a hypothesis (%s)", t.Name, merged, len(t.Objects), table.Quote(p.Names[at])))
	}
	if o.Other > 0 {
		if slices.Contains(p.Names, Other) {
			return nil, nil, fmt.Errorf("%s: an object is called %q, which other: adds; rename it or leave other out", t.Name, Other)
		}
		addOther(p, s, o.Other)
	}
	normalise(s.Weight)
	p.Grade()
	return p, warnings, nil
}

// Selected returns the table restricted to the columns that a selection keeps: t itself where it keeps all. The error is
// one line with a remedy.
func Selected(t *table.Table, s Select) (*table.Table, error) {
	cols, err := chosen(t, s)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", t.Name, err)
	}
	if len(cols) == len(t.Queries) {
		return t, nil
	}
	return t.Columns(cols), nil
}

// Alike groups the rows whose shares and unknown cells are equal, in the order of the table: what [Rows] makes one
// hypothesis each.
func Alike(t *table.Table) [][]int {
	at, out := map[string]int{}, [][]int(nil)
	var key []byte
	for row := range t.Objects {
		key = key[:0]
		for col, yes := range t.Row(row) {
			unknown := byte(0)
			if t.IsUnknown(row, col) {
				unknown = 1
			}
			key = append(binary.LittleEndian.AppendUint64(key, math.Float64bits(yes)), unknown)
		}
		k, seen := at[string(key)]
		if !seen {
			at[string(key)] = len(out)
			out = append(out, []int{row})
			continue
		}
		out[k] = append(out[k], row)
	}
	return out
}

// addRow adds the hypothesis that some equal rows of t make.
func addRow(p *game.Problem, s *game.Shares, t *table.Table, rows []int) {
	var names []string
	weight := 0.
	for _, row := range rows {
		names, weight = append(names, t.Objects[row]), weight+t.Weight(row)
	}
	p.Names, s.Weight = append(p.Names, Either(names)), append(s.Weight, weight)
	for col, yes := range t.Row(rows[0]) {
		s.Yes = append(s.Yes, yes)
		if t.Unknown != nil {
			s.Unknown = append(s.Unknown, t.IsUnknown(rows[0], col))
		}
	}
}

// Either returns the name of the hypothesis that objects of these names share, "A or B": at most
// three of them, and how many more.
func Either(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		names = append(slices.Clone(names[:mostNames]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, " or ")
}

// addOther adds [Other] with the prior weight it is to have once all weights sum to 1. Its shares are the weighted
// means of the columns.
func addOther(p *game.Problem, s *game.Shares, weight float64) {
	d := p.Queries()
	total := 0.
	for _, w := range s.Weight {
		total += w
	}
	means := make([]float64, d)
	for k, w := range s.Weight {
		for i, yes := range s.Row(k, d) {
			means[i] += w / total * yes
		}
	}
	p.Names, s.Other = append(p.Names, Other), true
	s.Weight = append(s.Weight, total*weight/(1-weight))
	for _, yes := range means {
		s.Yes = append(s.Yes, min(yes, 1))
		if s.Unknown != nil {
			s.Unknown = append(s.Unknown, false)
		}
	}
}

// normalise scales weights so that they sum to 1.
func normalise(weights []float64) {
	total := 0.
	for _, w := range weights {
		total += w
	}
	for k := range weights {
		weights[k] /= total
	}
}

// chosen returns the columns that a selection keeps, in the table's order: first those that it keeps of the table's
// majorities ([Majorities]), then by how close the column's mean share is to ½.
func chosen(t *table.Table, s Select) ([]int, error) {
	all := upTo(len(t.Queries))
	switch {
	case s.Queries > len(all):
		return nil, fmt.Errorf("select asks for %d queries and the table has %d; lower it, or leave select out", s.Queries, len(all))
	case s.Queries < 0:
		return nil, errors.New("select: the number of queries must be at least 1")
	case s.Queries == 0 || s.Queries == len(all):
		return all, nil
	}
	order, err := byMajorities(t, s)
	if err != nil {
		return nil, err
	}
	off := make([]float64, len(all))
	for i := range off {
		for row := range t.Objects {
			off[i] += t.Row(row)[i]
		}
		off[i] = math.Abs(off[i]/float64(len(t.Objects)) - 0.5)
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(off[a], off[b]) })
	return firstOf(append(order, all...), s.Queries), nil
}

// byMajorities orders the queries whose majorities tell objects apart, the best of the selection first.
func byMajorities(t *table.Table, s Select) ([]int, error) {
	r, _ := whole(t).clean("")
	if len(r.rows) < 2 {
		return nil, nil
	}
	order, err := r.order(s)
	if err != nil {
		return nil, err
	}
	cols := make([]int, len(order))
	for k, i := range order {
		cols[k] = r.cols[i]
	}
	return cols, nil
}
