package game

import (
	"io"
	"slices"
)

// Goal is what is recommended at the end of a game, and what that costs. There is one file for each kind: [Majorities] and
// [Arms], the rows of a table ([Shares]), [Vectors], and the models of a pool ([Labels]). A package that needs a strategy for
// each kind chooses it in one switch, whose default serves the kinds that it does not know.
type Goal interface {
	// Words says how the kind is spoken of.
	Words() *Words
	// Answer returns what answers to p's questions are where p does not say.
	Answer() Answer
	// Check reports the first reason why p is not a game of the kind.
	Check(p *Problem) error
	// Print writes its data, in Go's syntax.
	Print(w io.Writer)
	// Describe adds its part of p to a document.
	Describe(p *Problem, d *Document)
	// Decisions lists the rules that may recommend, by their names in package decision.
	Decisions() []string
}

// Goal returns what p's games are to find out.
func (p *Problem) Goal() Goal {
	switch {
	case p.Seek != nil:
		return p.Seek
	case p.arms():
		return Arms{}
	}
	return Majorities{}
}

// Words is how a kind of problem is spoken of. What people read differs between kinds by these words alone: a package that
// needs one more adds a field, and each kind's file fills it in.
type Words struct {
	Query, Queries         string // what is asked about, in reports
	Asked, AskedMany       string // what a game calls it
	Hypothesis, Hypotheses string // what is recommended
	Questions              string // answers of a game
	Answer, Answers        string // one that was given, and several
	Fewer                  string // how a spec keeps fewer queries
	Candidates             string // what the hypotheses are while easy instances of them are looked for: hypotheses or rows

	// Maximises ends "a hypothesis that", of least squares.
	Maximises string
	// Lead is what a policy does, with verbs for the numbers of queries and hypotheses and the budget, and for ask-once.
	Lead    string
	Bars    string // what the figure of worst instances shows
	Assumed string // what is assumed of answers where they may be asked for again
}

// Drawn returns how many hypotheses games are drawn from, the first so many: all but "none of these".
func (p *Problem) Drawn() int {
	if s := p.rows(); s != nil && s.Other {
		return p.Hypotheses() - 1
	}
	return p.Hypotheses()
}

// Prior returns how likely each hypothesis is before a game, up to a factor: rows have weights, others 1, [|Z|].
func (p *Problem) Prior() []float64 {
	if p.rows() != nil {
		return p.rows().Weight
	}
	return slices.Repeat([]float64{1}, p.Hypotheses())
}

// Expects returns the answers that all hypotheses expect, 0 or 1, or ½ for neither, [|Z|, |X|]. It must not be written to.
func (p *Problem) Expects() []float32 {
	if p.made.says == nil {
		return p.Z
	}
	return p.made.says
}

// Typical writes the instance that hypothesis k stands for to dst, [|X|]: a row's own, and elsewhere where k is always right.
func (p *Problem) Typical(dst []float64, k int) {
	if p.rows() == nil {
		p.Vertex(dst, k)
		return
	}
	for i, yes := range p.rows().Row(k, len(dst)) {
		dst[i] = 2*yes - 1
	}
}

// Alone returns drawn, the hypotheses that instances were drawn with, where those alone are right, as of a table's rows; nil
// where all are right that are best.
func (p *Problem) Alone(drawn []int) []int {
	if p.rows() == nil {
		return nil
	}
	return drawn
}

// Offsets returns what is added to each hypothesis's score ⟨z, θ⟩ whatever θ is, [|Z|]. It must not be written to.
func (p *Problem) Offsets() []float32 {
	if p.made.offset == nil {
		return make([]float32, p.Hypotheses())
	}
	return p.made.offset
}

// Worth returns what an answer counts for in each column, as a share of the most: 1, or how many items of a pool stand behind
// it, [|X|].
func (p *Problem) Worth() []float32 {
	out := slices.Repeat([]float32{1}, len(p.X))
	if p.pool() == nil {
		return out
	}
	clear(out)
	unit := p.Unit()
	for at, z := range p.Z {
		i := at % len(out)
		out[i] = max(out[i], z/unit)
	}
	return out
}

// Expecting sets what [Problem.Expects] returns, where a goal does not make it of its own data, and returns p.
func (p *Problem) Expecting(says []float32) *Problem {
	p.made.says = says
	return p
}

// Easy returns an easy instance of each hypothesis, one a row of [|Z|, |X|], from which its other instances can be reached on a
// straight line. It is nil where they are not known yet ([mapo/difficulty.Anchors]) or are where a hypothesis is always right.
func (p *Problem) Easy() []float32 { return p.made.easy }

// Ease sets what [Problem.Easy] returns, and returns p.
func (p *Problem) Ease(easy []float32) *Problem {
	p.made.easy = easy
	return p
}
