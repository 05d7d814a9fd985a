package nn

import (
	"fmt"

	"mapo/game"
)

// labelsJSON is a problem's labels. What an answer is worth follows from the weights of the cells and what is predicted.
type labelsJSON struct {
	Classes []string  `json:"classes"`
	Items   []string  `json:"items"`
	Cells   []int32   `json:"cells"`           // where each cell's items begin, and the number of items
	First   []int32   `json:"first,omitempty"` // where each cell's queries begin, and their number; absent: there are two classes
	Of      []int32   `json:"of,omitempty"`    // the class of each query
	Weights []float32 `json:"weights"`         // how many items stand behind each cell
	Pool    float64   `json:"pool"`            // how many items there are
}

// labelsOf is p's labels; nil where it has none.
func labelsOf(p *game.Problem) *labelsJSON {
	l := p.Labels
	if l == nil {
		return nil
	}
	out := &labelsJSON{Classes: l.Classes, Items: l.Items, Cells: l.Cell, First: l.First, Of: l.Of, Weights: make([]float32, l.Cells()), Pool: l.Pool}
	for at, z := range p.Z {
		c := l.CellOf(at % p.Queries())
		out.Weights[c] = max(out.Weights[c], z/worth(l))
	}
	return out
}

// worth is what an answer about a cell of weight 1 is worth.
func worth(l *game.Labels) float32 {
	if l.First == nil {
		return 1
	}
	return 0.5
}

// read makes the labels of p, whose Z is what is predicted, and what follows from them; of nil, nothing.
func (f *labelsJSON) read(p *game.Problem) error {
	if f == nil {
		return nil
	}
	l := &game.Labels{Classes: f.Classes, Items: f.Items, Cell: f.Cells, First: f.First, Of: f.Of, Pool: f.Pool}
	if len(f.Cells) < 2 || len(f.Weights) != len(f.Cells)-1 || l.First == nil && len(p.X) != len(f.Weights) || l.First != nil && len(l.First) != len(f.Cells) {
		return fmt.Errorf("problem has %d cells with %d weights and %d queries", max(0, len(f.Cells)-1), len(f.Weights), len(p.X))
	}
	p.Labels, p.Majority = l, p.Z
	p.Z = make([]float32, len(p.Majority))
	for at, bit := range p.Majority {
		p.Z[at] = bit * f.Weights[l.CellOf(at%len(p.X))] * worth(l)
	}
	return nil
}
