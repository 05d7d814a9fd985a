package game

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Document is a problem as policy files hold it in JSON, a hypothesis a string of 0 and 1. Each kind of goal and of answer has a
// part of its own.
type Document struct {
	Name       string   `json:"name"`
	Queries    []string `json:"queries"`
	Hypotheses []string `json:"hypotheses"`
	Z          []string `json:"z"`
	Budget     int      `json:"budget"`
	AskOnce    bool     `json:"ask_once"`
	Difficulty string   `json:"difficulty,omitempty"` // what the levels are by, by its name in package difficulty; "": ρ̃
	Answers    *Normal  `json:"answers,omitempty"`    // nil: ±1

	Known   [][]float32    `json:"known,omitempty"`   // instances, a row each; left out where there are shares
	Shares  *sharesInFile  `json:"shares,omitempty"`  // what a posterior is made of
	Labels  *labelsInFile  `json:"labels,omitempty"`  // of a pool of items; z is then what the models predict
	Vectors *vectorsInFile `json:"vectors,omitempty"` // nil: queries are the standard basis

	Goal   *registered `json:"goal,omitempty"`   // of another package
	Answer *registered `json:"answer,omitempty"` // of another package

	form int
}

// part is what a kind adds to a document. read makes of it what p, whose Z is bits so far, has of that kind.
type part interface {
	read(p *Problem) error
}

// parts returns those that d has.
func (d *Document) parts() (all []part) {
	if d.Answers != nil {
		all = append(all, d.Answers)
	}
	if d.Shares != nil {
		all = append(all, d.Shares)
	}
	if d.Vectors != nil {
		all = append(all, d.Vectors)
	}
	if d.Labels != nil {
		all = append(all, d.Labels)
	}
	return all
}

// Form returns which form of policy files holds p: 1, or 2 where its goal or its answers have a part of their own, or its
// difficulty a name.
func (p *Problem) Form() int {
	d := Document{form: 1}
	p.describe(&d)
	_, goal := p.Seek.(Registered)
	_, answer := p.Reply.(Registered)
	if goal || answer || p.Difficulty != "" {
		return 2
	}
	return d.form
}

// describe enters what p's kinds add.
func (p *Problem) describe(d *Document) {
	p.Goal().Describe(p, d)
	p.Answer().Describe(d)
}

// Document returns p as policy files hold it.
func (p *Problem) Document() (*Document, error) {
	d := &Document{Name: p.Name, Queries: p.X, Hypotheses: p.Names, Budget: p.T, AskOnce: p.AskOnce, Difficulty: p.Difficulty}
	if len(p.Z) != len(p.Names)*len(p.X) {
		return nil, fmt.Errorf("problem has %d entries in 𝒵, want %d×%d", len(p.Z), len(p.Names), len(p.X))
	}
	for k := range p.Hypotheses() {
		d.Z = append(d.Z, p.Digits(k))
	}
	for row := range slices.Chunk(p.Known, p.Queries()) {
		d.Known = append(d.Known, row)
	}
	p.describe(d)
	var err, err2 error
	d.Goal, err = written(p.Seek)
	d.Answer, err2 = written(p.Reply)
	return d, errors.Join(err, err2)
}

// Problem returns what d describes. It is not checked.
func (d *Document) Problem() (*Problem, error) {
	p := &Problem{Name: d.Name, X: d.Queries, Names: d.Hypotheses, T: d.Budget, AskOnce: d.AskOnce, Difficulty: d.Difficulty}
	if len(d.Z) != len(p.Names) {
		return nil, fmt.Errorf("problem has %d rows for %d hypotheses", len(d.Z), len(p.Names))
	}
	for k, row := range d.Z {
		if len(row) != len(p.X) {
			return nil, fmt.Errorf("hypothesis %d has %d entries for %d queries", k, len(row), len(p.X))
		}
		for _, b := range []byte(row) {
			if b != '0' && b != '1' {
				return nil, fmt.Errorf("hypothesis %d has an entry %q; it must be 0 or 1", k, b)
			}
			p.Z = append(p.Z, float32(b-'0'))
		}
	}
	for _, of := range d.parts() {
		if err := of.read(p); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(fill(&p.Seek, d.Goal), fill(&p.Reply, d.Answer)); err != nil {
		return nil, err
	}
	for j, row := range d.Known {
		if len(row) != len(p.X) {
			return nil, fmt.Errorf("known instance %d has %d entries for %d queries", j, len(row), len(p.X))
		}
		p.Known = append(p.Known, row...)
	}
	return p, nil
}

// Describe adds nothing: bits say it all.
func (Majorities) Describe(*Problem, *Document) {}

// Describe adds nothing.
func (YesNo) Describe(*Document) {}

// Describe adds nothing: the labels of a pool say it.
func (Classes) Describe(*Document) {}

// Normal says in JSON that answers are Gaussian, in the user's units.
type Normal struct {
	Gaussian float64 `json:"gaussian"` // their standard deviation
	Bound    float64 `json:"bound"`    // how large a mean may be
}

// Describe adds both numbers.
func (a Answers) Describe(d *Document) { d.Answers, d.form = &Normal{a.Sigma, a.Bound}, 2 }

func (f *Normal) read(p *Problem) error {
	p.Reply = Answers{Sigma: f.Gaussian, Bound: f.Bound}
	return nil
}

// sharesInFile is a problem's shares. Z, offsets and majorities follow from them ([Problem.Grade]).
type sharesInFile struct {
	Yes     [][]float64 `json:"yes"`                     // P(yes), a row a hypothesis
	Unknown []string    `json:"unknown,omitempty"`       // 1 where yes stands in for a missing cell
	Weights []float64   `json:"weights"`                 // the probability of each hypothesis before the game
	Wrong   *float64    `json:"wrong_answers,omitempty"` // the share of wrong answers where it is fixed
	Other   bool        `json:"other,omitempty"`         // whether the last hypothesis is "none of these"
}

// MostShares is how many shares a document holds at most; that of a larger problem has none.
const MostShares = 1_000_000

// Describe adds the shares in place of known instances.
func (s *Shares) Describe(p *Problem, d *Document) {
	d.Known, d.form = nil, 2
	if len(s.Yes) > MostShares {
		return
	}
	n := p.Queries()
	out := &sharesInFile{Weights: s.Weight, Wrong: s.Wrong, Other: s.Other}
	for row := range slices.Chunk(s.Yes, n) {
		out.Yes = append(out.Yes, row)
	}
	for row := range slices.Chunk(s.Unknown, n) {
		digits := bytes.Repeat([]byte{'0'}, n)
		for i, unknown := range row {
			if unknown {
				digits[i] = '1'
			}
		}
		out.Unknown = append(out.Unknown, string(digits))
	}
	d.Shares = out
}

func (f *sharesInFile) read(p *Problem) error {
	s := &Shares{Weight: f.Weights, Wrong: f.Wrong, Other: f.Other}
	if len(f.Yes) != len(p.Names) || f.Unknown != nil && len(f.Unknown) != len(p.Names) {
		return fmt.Errorf("problem has %d rows of shares and %d of unknown cells for %d hypotheses", len(f.Yes), len(f.Unknown), len(p.Names))
	}
	for k, row := range f.Yes {
		if len(row) != len(p.X) {
			return fmt.Errorf("hypothesis %d has %d shares for %d queries", k, len(row), len(p.X))
		}
		s.Yes = append(s.Yes, row...)
	}
	for k, row := range f.Unknown {
		if len(row) != len(p.X) {
			return fmt.Errorf("hypothesis %d says of %d cells whether they are unknown, for %d queries", k, len(row), len(p.X))
		}
		for _, b := range []byte(row) {
			s.Unknown = append(s.Unknown, b == '1')
		}
	}
	p.Seek = s
	p.Grade()
	return nil
}

// vectorsInFile is a problem's vectors.
type vectorsInFile struct {
	Queries    [][]float64 `json:"queries"`    // 𝒳, a row a query
	Hypotheses [][]float32 `json:"hypotheses"` // the weights on queries that make up each hypothesis, a row each
}

// Describe adds the vectors.
func (v *Vectors) Describe(p *Problem, d *Document) {
	out := new(vectorsInFile)
	for row := range slices.Chunk(v.X, v.Dim) {
		out.Queries = append(out.Queries, row)
	}
	for k := range p.Names {
		out.Hypotheses = append(out.Hypotheses, p.Row(k))
	}
	d.Vectors, d.form = out, 2
}

func (f *vectorsInFile) read(p *Problem) error {
	if len(f.Queries) != len(p.X) || len(f.Hypotheses) != len(p.Names) || len(p.X) == 0 {
		return fmt.Errorf("problem has %d vectors for %d queries and %d for %d hypotheses", len(f.Queries), len(p.X), len(f.Hypotheses), len(p.Names))
	}
	v := &Vectors{Dim: len(f.Queries[0])}
	p.Seek, p.Z = v, nil
	for i, row := range f.Queries {
		if len(row) != v.Dim || len(row) == 0 {
			return fmt.Errorf("query %d has %d entries, the first %d", i, len(row), v.Dim)
		}
		v.X = append(v.X, row...)
	}
	for k, row := range f.Hypotheses {
		if len(row) != len(p.X) {
			return fmt.Errorf("hypothesis %d has weights on %d of %d queries", k, len(row), len(p.X))
		}
		p.Z = append(p.Z, row...)
	}
	p.Expect()
	return nil
}

// labelsInFile is a problem's labels. What an answer is worth follows from the weights of the cells and what is predicted.
type labelsInFile struct {
	Classes []string  `json:"classes"`
	Items   []string  `json:"items"`
	Cells   []int32   `json:"cells"`           // where each cell's items begin, and the number of items
	First   []int32   `json:"first,omitempty"` // where each cell's queries begin, and their number; absent: there are two classes
	Of      []int32   `json:"of,omitempty"`    // the class of each query
	Weights []float64 `json:"weights"`         // how many items stand behind each cell
	Pool    float64   `json:"pool"`            // how many items there are
}

// Describe adds the labels.
func (l *Labels) Describe(p *Problem, d *Document) {
	d.Labels, d.form = &labelsInFile{Classes: l.Classes, Items: l.Items, Cells: l.Cell, First: l.First, Of: l.Of, Weights: p.Weights(), Pool: l.Pool}, 2
}

func (f *labelsInFile) read(p *Problem) error {
	l := &Labels{Classes: f.Classes, Items: f.Items, Cell: f.Cells, First: f.First, Of: f.Of, Pool: f.Pool}
	if len(f.Cells) < 2 || len(f.Weights) != len(f.Cells)-1 || l.First == nil && len(p.X) != len(f.Weights) || l.First != nil && len(l.First) != len(f.Cells) {
		return fmt.Errorf("problem has %d cells with %d weights and %d queries", max(0, len(f.Cells)-1), len(f.Weights), len(p.X))
	}
	p.Seek = l
	p.Weigh(f.Weights)
	return nil
}

// Print writes nothing.
func (Majorities) Print(io.Writer) {}

// Print writes the shares.
func (s *Shares) Print(w io.Writer) {
	fmt.Fprintf(w, "%#v %#v %#v %#v", s.Yes, s.Unknown, s.Weight, s.Other)
	if s.Wrong != nil {
		fmt.Fprintf(w, "%#v", *s.Wrong)
	}
}

// Print writes the vectors.
func (v *Vectors) Print(w io.Writer) { fmt.Fprintf(w, "%#v %#v", v.X, v.Dim) }

// Print writes the labels.
func (l *Labels) Print(w io.Writer) { fmt.Fprintf(w, "%#v", *l) }
