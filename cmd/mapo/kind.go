package main

import (
	"fmt"
	"strings"

	"mapo/game"
	"mapo/spec"
)

// kind is what commands say and do of a kind of problem.
type kind struct {
	truth    string  // what the hypotheses are, as a spec says it
	items    bool    // it asks about items of a pool
	pool     float64 // how many there are
	words    bool    // answers are longer than a key
	untaught string  // which games are not those that tables learn from; "": these are

	shape string // how large a game is, where that is not told of queries and hypotheses
	rows  string // what the rows of a table are
}

// kindOf returns what commands say and do of p.
func kindOf(p *game.Problem) kind {
	k := kind{truth: spec.Majority}
	if len(p.Answer().Names()) == 0 { // any number
		k.words, k.untaught = true, "of yes and no, which tables learn from; these answers are numbers or classes"
	}
	switch goal := p.Goal().(type) {
	case *game.Shares:
		k.truth, k.rows = spec.Rows, describeRows(goal)
	case *game.Vectors:
		k.untaught = "that tables learn from; the queries of this one are vectors"
	case *game.Labels:
		k.items, k.pool, k.words, k.untaught = true, goal.Pool, true, "of yes and no, which tables learn from; these answers are numbers or classes"
		k.shape = fmt.Sprintf("pool\t%g items, %d models, %d classes (%s)\nin play\t%d items in %d cells\nmodels\t%s\nbudget\t%d labels\n",
			goal.Pool, p.Hypotheses(), len(goal.Classes), firstOf(goal.Classes), len(goal.Items), goal.Cells(), firstOf(p.Names), p.T)
	}
	return k
}

// describeRows returns lines on the rows of a table.
func describeRows(s *game.Shares) string {
	unknown, wrong := 0, "inferred in each game"
	for _, open := range s.Unknown {
		if open {
			unknown++
		}
	}
	if s.Wrong != nil {
		wrong = fmt.Sprintf("%g", *s.Wrong)
	}
	return fmt.Sprintf("truth\trows: a hypothesis is a row of shares\nunknown\t%d of %d cells\nwrong answers\t%s\n", unknown, len(s.Yes), wrong)
}

// mostNamed is how many names a line has.
const mostNamed = 8

// firstOf returns names in one line, the first few of them.
func firstOf(names []string) string {
	if len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
