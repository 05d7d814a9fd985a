package main

import (
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
}

// kindOf returns what commands say and do of p.
func kindOf(p *game.Problem) kind {
	k := kind{truth: spec.Majority}
	if len(p.Answer().Names()) == 0 { // any number
		k.words, k.untaught = true, "of yes and no, which tables learn from; these answers are numbers or classes"
	}
	switch goal := p.Goal().(type) {
	case *game.Shares:
		k.truth = spec.Rows
	case *game.Vectors:
		k.untaught = "that tables learn from; the queries of this one are vectors"
	case *game.Labels:
		k.items, k.pool, k.words, k.untaught = true, goal.Pool, true, "of yes and no, which tables learn from; these answers are numbers or classes"
	}
	return k
}
