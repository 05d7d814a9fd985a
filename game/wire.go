package game

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// wire is a problem in the JSON that content keys are sums of, with a field for each kind that there was when they were first
// written.
type wire struct {
	Name       string
	X          []string
	Names      []string
	Z          []float32
	T          int
	AskOnce    bool
	Known      []float32
	Shares     *Shares
	Offset     []float32 `json:",omitzero"`
	Majority   []float32 `json:",omitzero"`
	Anchors    []float32 `json:",omitzero"`
	Difficulty string    `json:",omitzero"`
	Answers    Answers   `json:",omitzero"`
	Labels     *Labels   `json:",omitzero"`
	Vectors    *Vectors  `json:",omitzero"`
}

// more is what JSON has of kinds of other packages.
type more struct {
	wire
	Goal   *registered `json:",omitzero"`
	Answer *registered `json:",omitzero"`
}

// wire returns p so.
func (p *Problem) wire() wire {
	return wire{
		p.Name, p.X, p.Names, p.Z, p.T, p.AskOnce, p.Known, p.rows(), p.made.offset, p.made.says, p.made.easy, p.Difficulty,
		p.numbers(), p.pool(), p.vectors(),
	}
}

// MarshalJSON writes p as all versions did, so that its content key stays.
func (p Problem) MarshalJSON() ([]byte, error) {
	goal, err := written(p.Seek)
	answer, err2 := written(p.Reply)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return json.Marshal(more{p.wire(), goal, answer})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Problem) UnmarshalJSON(data []byte) error {
	var w more
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*p = Problem{Name: w.Name, X: w.X, Names: w.Names, Z: w.Z, T: w.T, AskOnce: w.AskOnce, Known: w.Known, Difficulty: w.Difficulty}
	p.made = made{w.Offset, w.Majority, w.Anchors}
	switch {
	case w.Shares != nil:
		p.Seek = w.Shares
	case w.Labels != nil:
		p.Seek = w.Labels
	case w.Vectors != nil:
		p.Seek = w.Vectors
	}
	if w.Answers != (Answers{}) {
		p.Reply = w.Answers
	}
	return errors.Join(fill(&p.Seek, w.Goal), fill(&p.Reply, w.Answer))
}

// Print writes all of p in Go's syntax, for sums by which files of earlier versions are known again.
func (p *Problem) Print(w io.Writer) {
	p.Goal().Print(w)
	of := p.wire()
	of.Shares, of.Labels, of.Vectors = nil, nil, nil // a pointer says nothing
	fmt.Fprint(w, strings.Replace(fmt.Sprintf("%#v", of), "game.wire{", "game.Problem{", 1))
}
