package check

import (
	"slices"

	"mapo/game"
)

// Lead ends games as soon as the answers to one query sum to ±Sum, or there are After answers in all: games of many lengths.
type Lead struct {
	P     *game.Problem
	Sum   float32
	After int
}

// Stop writes to dst, [B], whether games end in each state.
func (l Lead) Stop(dst []bool, s game.States) {
	d := l.P.Queries()
	for b := range dst {
		answers, most := float32(0), float32(0)
		for i, n := range s.N[b*d : (b+1)*d] {
			answers += n
			most = max(most, s.S[b*d+i], -s.S[b*d+i])
		}
		dst[b] = most >= l.Sum || int(answers) >= l.After
	}
}

// Strict is a policy of games that end by a rule: it panics where it is asked about a state in which they end.
type Strict struct {
	game.Policy
	By game.Stopper
}

// Probs writes the policy's distributions over queries to dst, [B, |X|].
func (p Strict) Probs(dst []float32, s game.States) {
	over := make([]bool, len(s.Left))
	p.By.Stop(over, s)
	if slices.Contains(over, true) {
		panic("check: the policy is asked in a game that is over")
	}
	p.Policy.Probs(dst, s)
}

// Stop writes to dst, [B], whether games end in each state by p.By.
func (p Strict) Stop(dst []bool, s game.States) { p.By.Stop(dst, s) }
