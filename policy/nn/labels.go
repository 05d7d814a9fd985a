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
	Weights []float64 `json:"weights"`         // how many items stand behind each cell
	Pool    float64   `json:"pool"`            // how many items there are
}

// labelsOf returns p's labels; nil where it has none.
func labelsOf(p *game.Problem) *labelsJSON {
	l := p.Labels
	if l == nil {
		return nil
	}
	return &labelsJSON{Classes: l.Classes, Items: l.Items, Cells: l.Cell, First: l.First, Of: l.Of, Weights: p.Weights(), Pool: l.Pool}
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
	worth := 1.0 // of a cell of weight 1
	if l.First != nil {
		worth = 0.5
	}
	p.Labels, p.Majority = l, p.Z
	p.Z = make([]float32, len(p.Majority))
	for at, bit := range p.Majority {
		p.Z[at] = bit * float32(f.Weights[l.CellOf(at%len(p.X))]*worth)
	}
	return nil
}
