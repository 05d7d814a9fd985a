package mapo

import (
	"errors"
	"fmt"
	"slices"

	"mapo/data/table"
	"mapo/game"
	"mapo/policy/rival"
	"mapo/spec"
)

// Table is hypotheses × queries: how often each hypothesis answers each query with yes. [ReadTable] and [NewTable] make one.
type Table struct {
	spec   *spec.Spec
	load   func(spec.Override) (*spec.Spec, error) // reads it anew: a table that is learned may be another game
	source string                                  // for errors
}

// ReadTable reads a table (.csv or .tsv, either with .gz) or a spec (.yaml). Errors name file and line.
func ReadTable(path string) (*Table, error) {
	return open(path, func(over spec.Override) (*spec.Spec, error) { return spec.Load(path, over) })
}

// TableOptions are what a table in memory has besides its shares. The zero value has none of it.
type TableOptions struct {
	Weights []float64 // prior weights above 0, one for each hypothesis; nil: all are equally likely
	Budget  int       // answers in a game; 0: 20, or as many as there are queries where these are fewer
}

// NewTable makes a table of what is in memory: shares[i][j] is how often hypothesis names[i] answers queries[j] with yes, from 0
// to 1, or NaN where that is unknown. It has the checks and the defaults of a file. Errors name row and column, counted from 1.
func NewTable(names, queries []string, shares [][]float64, o TableOptions) (*Table, error) {
	t, err := table.New("table", names, queries, shares, o.Weights)
	if err != nil {
		return nil, err
	}
	return open(t.Name, func(over spec.Override) (*spec.Spec, error) { return spec.OfTable(t, o.Budget, over) })
}

func open(source string, load func(spec.Override) (*spec.Spec, error)) (*Table, error) {
	s, err := load(spec.Override{Truth: spec.Rows})
	if err != nil {
		return nil, err
	}
	return &Table{s, load, source}, nil
}

// errTable is the fault of a zero Table.
var errTable = errors.New("mapo: the table is empty: make it by ReadTable or NewTable")

// Problem returns the game that policies without training play, for policies of your own. It is read-only.
func (t *Table) Problem() *game.Problem {
	if t.spec == nil {
		return &game.Problem{}
	}
	return t.spec.Problem
}

// Names returns the hypotheses; rows that no query separates are one, "A or B".
func (t *Table) Names() []string { return slices.Clone(t.Problem().Names) }

// Queries returns the texts of the queries.
func (t *Table) Queries() []string { return slices.Clone(t.Problem().X) }

// Warnings returns what reading the table assumed, and what looks wrong in it.
func (t *Table) Warnings() []string {
	if t.spec == nil {
		return nil
	}
	return slices.Clone(t.spec.Warnings)
}

// Share returns how often the answer to a query is yes for a hypothesis, in [0, 1]; false where the table has no such name.
func (t *Table) Share(hypothesis, query string) (float64, bool) {
	p := t.Problem()
	k, i := slices.Index(p.Names, hypothesis), slices.Index(p.X, query)
	if k < 0 || i < 0 {
		return 0, false
	}
	return p.Share(k, i)
}

// Policy returns a policy that needs no training, the one that the command plays where none is named. It asks by information
// gain over the rows of a table and recommends by the Bayes posterior over them. A pool of classifiers is asked about by
// uncertainty, and vectors by linear top-two. Other problems have none: [Table.With] takes a policy by its name from mapo/policy/rival, and [Learn] makes one.
func (t *Table) Policy() (*Policy, error) {
	if t.spec == nil {
		return nil, errTable
	}
	name := rival.Unnamed(t.spec.Problem)
	if name == "" {
		return nil, fmt.Errorf("%s has no table of shares to play: give Table.With a policy, such as uncertainty by rival.Parse, or train one by Learn", t.source)
	}
	asks, err := rival.Parse(t.spec.Problem, t.spec.Loss, name)
	if err != nil {
		return nil, err
	}
	return t.policy(asks)
}

// policy returns asks at work, by the rules of the table.
func (t *Table) policy(asks game.Policy) (*Policy, error) {
	rule, err := t.spec.Stops()
	if err != nil {
		return nil, err
	}
	return newPolicy(t.spec.Problem, asks, t.spec.DontKnow, rule, t.spec.StopAt())
}
