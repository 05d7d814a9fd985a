package dataset

import (
	"fmt"
	"slices"

	"mapo/data/table"
	"mapo/game"
)

// Answers are how another source's people answer a game: the rows of their table, each with the hypothesis of the game that
// it stands for.
type Answers struct {
	Drawn   []game.Drawn // one a row that both have, equally likely, θ = 2·yes − 1
	Names   []string     // the hypotheses, as the game has them, [Drawn]
	Missing []string     // hypotheses that the other table does not have
	Foreign []string     // its objects that the game does not have
	Kept    []string     // queries that it does not have, or whose cell is unknown there: answered as the game's own row says
}

// AnswersOf matches a table's objects and queries with those of a game over rows by name, as tables compare names. Where equal
// rows share a hypothesis, "A or B", an object of either name stands for it. The error is one line: no object, or no query, is in both.
func AnswersOf(p *game.Problem, own, other *table.Table) (*Answers, error) {
	a := &Answers{}
	column := make([]int, p.Queries())
	for i, text := range p.X {
		if column[i] = slices.IndexFunc(other.Queries, func(q string) bool { return table.Fold(q) == table.Fold(text) }); column[i] < 0 {
			a.Kept = append(a.Kept, text)
		}
	}
	if len(a.Kept) == p.Queries() {
		return nil, fmt.Errorf("%s: none of its %d queries is in %s; names must be the same", other.Name, len(other.Queries), own.Name)
	}
	found := make([]bool, len(other.Objects))
	for k, rows := range Alike(own) {
		for _, row := range rows {
			at := slices.IndexFunc(other.Objects, func(o string) bool { return table.Fold(o) == table.Fold(own.Objects[row]) })
			if at < 0 {
				a.Missing = append(a.Missing, own.Objects[row])
				continue
			}
			found[at] = true
			a.Drawn, a.Names = append(a.Drawn, game.Drawn{Theta: answered(p, k, other, at, column), Hypothesis: k}), append(a.Names, own.Objects[row])
		}
	}
	for at, object := range other.Objects {
		if !found[at] {
			a.Foreign = append(a.Foreign, object)
		}
	}
	if len(a.Drawn) == 0 {
		return nil, fmt.Errorf("%s: none of its %d objects is in %s; names must be the same", other.Name, len(other.Objects), own.Name)
	}
	for at := range a.Drawn {
		a.Drawn[at].Weight = 1 / float64(len(a.Drawn))
	}
	return a, nil
}

// Unshared lists what the tables do not share, a line each; source names the other one.
func (a *Answers) Unshared(source string) (lines []string) {
	for _, of := range []struct {
		list []string
		what string
	}{
		{a.Missing, "objects that are not in it are not played"},
		{a.Foreign, "objects that the game does not have are left out"},
		{a.Kept, "queries that it does not answer are answered as the game's table says"},
	} {
		if n := len(of.list); n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s: %d (%s)", source, of.what, n, short(of.list)))
		}
	}
	return lines
}

// answered returns the θ of row at of another table, for hypothesis k.
func answered(p *game.Problem, k int, other *table.Table, at int, column []int) []float64 {
	theta := make([]float64, len(column))
	p.Typical(theta, k)
	for i, col := range column {
		if col >= 0 && !other.IsUnknown(at, col) {
			theta[i] = 2*other.Row(at)[col] - 1
		}
	}
	return theta
}
