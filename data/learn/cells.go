package learn

import (
	"cmp"
	"slices"

	"mapo/game/play"
)

// Played is a game whose truth is known, in indices of a [Vocabulary].
type Played struct {
	Objects []int           // the truth, several for "A or B"
	Answers []play.Answered // don't know counts for nothing
	Client  string          // where it came from; "": not known
	Capped  bool            // whether only a share of the client's games counts
	Exempt  bool            // whether the client is never set aside
}

// Cell is how often an object's games answered a question, in halves of an answer: 2 for yes and no, 1 for probably and
// probably not.
type Cell struct {
	Object, Question int
	Yes, No          int64
}

// OfGames is the question of the cells that count an object's games, each as 2 in Yes.
const OfGames = -1

// Tally sums cells. The zero value is not ready; make one.
type Tally map[[2]int][2]int64

// AddGame adds a game times over; −1 takes it away.
func (t Tally) AddGame(g *Played, times int64) {
	for _, object := range g.Objects {
		t.Add(object, OfGames, 2*times, 0)
		for _, a := range g.Answers {
			halves := a.Answer.Halves()
			t.Add(object, a.Query, times*max(halves, 0), times*max(-halves, 0))
		}
	}
}

// Add adds to the cell of an object and a question.
func (t Tally) Add(object, question int, yes, no int64) {
	key := [2]int{object, question}
	c := t[key]
	if c[0], c[1] = c[0]+yes, c[1]+no; c == [2]int64{} {
		delete(t, key)
		return
	}
	t[key] = c
}

// Cells returns the cells that are not zero, by object and question.
func (t Tally) Cells() []Cell {
	list := make([]Cell, 0, len(t))
	for at, c := range t {
		list = append(list, Cell{at[0], at[1], c[0], c[1]})
	}
	slices.SortFunc(list, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Question, b.Question))
	})
	return list
}
