package game

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// Labels are what a pool of items and classifiers adds to a [Problem]: hypotheses are classifiers, and an answer is the class
// of an item. Items on which all classifiers predict the same are a cell, which is asked as one: a query of a cell is about one
// of its items that has no label yet. Read-only once made.
type Labels struct {
	Classes []string // all classes
	Items   []string // texts of the items, those of a cell next to each other; which of a cell is asked has no meaning
	Cell    []int32  // where each cell's begin, [cells+1]
	// First is where each cell's queries begin, [cells+1], where there are more than two classes. A cell has one for each
	// class that a classifier predicts there, and all are asked together: the answer is 1 to that of the item's class, and −1 to
	// the others. With two classes it is nil: cell c is query c, 1 is the second class, and −1 the first.
	First []int32
	Of    []int32 // the class of each query, [|X|]; nil where First is
	Pool  float64 // how many items there are: a regret of so many is that of a classifier that is wrong everywhere
}

// Cells returns how many there are.
func (l *Labels) Cells() int { return len(l.Cell) - 1 }

// CellOf returns the cell that query i is about.
func (l *Labels) CellOf(i int) int {
	if l.First == nil {
		return i
	}
	lo, hi := 0, l.Cells()-1
	for lo < hi {
		if mid := (lo + hi + 1) / 2; int(l.First[mid]) <= i {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// Queries returns those of a cell, lo … hi−1.
func (l *Labels) Queries(cell int) (lo, hi int) {
	if l.First == nil {
		return cell, cell + 1
	}
	return int(l.First[cell]), int(l.First[cell+1])
}

// Room returns how often a cell may be asked: as many items as it has.
func (l *Labels) Room(cell int) int { return int(l.Cell[cell+1]) - int(l.Cell[cell]) }

// CellOfItem returns the cell that item i is in.
func (l *Labels) CellOfItem(i int) int {
	return sort.Search(l.Cells(), func(c int) bool { return int(l.Cell[c+1]) > i })
}

// check reports the first reason why the labels do not fit a problem of d queries.
func (l *Labels) check(d int) error {
	cells := l.Cells()
	switch {
	case len(l.Classes) < 2:
		return fmt.Errorf("the problem has %d classes; there must be at least 2", len(l.Classes))
	case l.First == nil && (len(l.Classes) != 2 || cells != d):
		return fmt.Errorf("the problem has %d classes and %d cells over %d queries; two classes have a query a cell", len(l.Classes), cells, d)
	case l.First != nil && (len(l.First) != cells+1 || len(l.Of) != d || l.First[0] != 0 || int(l.First[cells]) != d):
		return errors.New("the classes of the problem's queries do not fit its cells")
	case l.Cell[0] != 0 || int(l.Cell[cells]) != len(l.Items):
		return errors.New("the problem's cells do not fit its items")
	case !(l.Pool > 0):
		return fmt.Errorf("the pool has %v items; it must have more than 0", l.Pool)
	}
	for c := range cells {
		if lo, hi := l.Queries(c); hi <= lo || l.Room(c) < 1 {
			return fmt.Errorf("cell %d has no query or no item", c)
		}
	}
	for i, class := range l.Of {
		if class < 0 || int(class) >= len(l.Classes) {
			return fmt.Errorf("query %d is about class %d; there are classes 0 to %d", i, class, len(l.Classes)-1)
		}
	}
	return l.checkTexts()
}

// checkTexts reports the first text that cannot be shown, kept or answered by.
func (l *Labels) checkTexts() error {
	seen := map[string]bool{}
	for c, name := range l.Classes {
		if name == "" || seen[name] {
			return fmt.Errorf("class %d is called %q; each class needs a name of its own", c, name)
		}
		seen[name] = true
	}
	for _, text := range slices.Concat(l.Classes, l.Items) {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("the text %q has a NUL character, which a database cannot keep: remove it", text)
		}
	}
	return nil
}

// Together returns the queries that are asked with query i, lo … hi−1, i among them.
func (p *Problem) Together(i int) (lo, hi int) {
	if p.pool() == nil || p.pool().First == nil {
		return i, i + 1
	}
	return p.pool().Queries(p.pool().CellOf(i))
}

// Closed reports whether query i, asked so often, may not be asked again.
func (p *Problem) Closed(i int, times float32) bool {
	if p.pool() != nil {
		return int(times) >= p.pool().Room(p.pool().CellOf(i))
	}
	return p.AskOnce && times > 0
}

// Admit moves theta, [|X|], in place to a nearby instance that an adversary may use: |θ_i| ≤ 1 − [Edge] (reading 2). Where
// queries are the classes of an item, (1+θ_i)/2 are probabilities that sum to at most 1, or to 1 where some classifier
// predicts each class: the projection onto those of at least Edge/2. With [Vectors] it is the projection onto the column space
// of 𝒳, scaled down into the box.
func (p *Problem) Admit(theta []float64) {
	if p.vectors() != nil {
		p.Span().admit(theta)
		return
	}
	if p.pool() == nil || p.pool().First == nil {
		Clip(theta)
		return
	}
	for c := range p.pool().Cells() {
		lo, hi := p.pool().Queries(c)
		toSimplex(theta[lo:hi], hi-lo == len(p.pool().Classes))
	}
}

// toSimplex projects the probabilities (1+θ)/2 onto those of at least Edge/2 that sum to 1, or, where they are not of all
// classes, to at most 1 − Edge/2.
func toSimplex(theta []float64, all bool) {
	least, most := Edge/2, 1.0
	if !all {
		most -= least
	}
	var sum float64
	for i, v := range theta {
		theta[i] = (1 + v) / 2
		sum += max(least, theta[i])
	}
	// What is above the least falls by tau alike; each round drops those that tau takes below it (Michelot 1986).
	tau := 0.0
	if all || sum > most {
		tau = math.Inf(-1)
		for range theta {
			count := 0.0
			sum = -most
			for _, v := range theta {
				if v-tau >= least {
					count++
					sum += v
				} else {
					sum += least
				}
			}
			tau = sum / count
		}
	}
	for i, v := range theta {
		theta[i] = 2*max(least, v-tau) - 1
	}
}

// Pooled returns how many items the pool has on some of which the models of p differ; 0 where there is no pool.
func (p *Problem) Pooled() float64 {
	if p.pool() == nil {
		return 0
	}
	return p.pool().Pool
}

// Words says how pools are spoken of.
func (l *Labels) Words() *Words { return &pools }

// Answer returns the classes.
func (l *Labels) Answer() Answer { return Classes{l.Classes} }

// Decisions returns all there are.
func (l *Labels) Decisions() []string { return []string{"least-squares", "posterior", "votes"} }

var pools = Words{
	Query: "item", Queries: "items", Hypothesis: "model", Hypotheses: "models", Questions: "labels",
	Asked: "item", AskedMany: "items", Answer: "label", Answers: "labels", Candidates: "hypotheses",
	Fewer:     "a lower sample under classifiers",
	Maximises: majorities.Maximises,
	Lead:      "A policy that chooses which of %[1]s items, on which %[2]s models differ, gets a label next, to find the most accurate model with %[3]d labels%[4]s.",
	Bars: "One bar a class that is predicted for an item, or for a cell of items on which all models predict the same, in the problem’s order: " +
		"its probability in the worst instance found, from 0 (below) to 1 (above). The strip below is filled where the best model predicts the class.",
	Assumed: "Labels that are wrong, or that depend on earlier ones, break this.",
}

// pool returns the labels of p; nil where its queries are not items.
func (p *Problem) pool() *Labels {
	l, _ := p.Seek.(*Labels)
	return l
}

// Weigh makes of p, whose goal are labels and whose Z is what classifiers predict, 0 or 1, what answers count for: how many items stand
// behind each cell, [cells]. It returns p.
func (p *Problem) Weigh(weights []float64) *Problem {
	l, worth := p.pool(), 1.0 // of a cell of weight 1
	if l.First != nil {
		worth = 0.5
	}
	p.made.says = p.Z
	p.Z = make([]float32, len(p.made.says))
	for at, bit := range p.made.says {
		p.Z[at] = bit * float32(weights[l.CellOf(at%len(p.X))]*worth)
	}
	return p
}
