package game

import "fmt"

// Majorities is the goal of the paper's 𝒵 of 0 and 1: the hypothesis with the largest score ⟨z, θ⟩, such as thresholds or the
// majorities of a table's rows.
type Majorities struct{}

// Words says how majorities are spoken of.
func (Majorities) Words() *Words { return &majorities }

// Answer returns yes and no.
func (Majorities) Answer() Answer { return YesNo{} }

// Decisions: all but what reads a pool.
func (Majorities) Decisions() []string { return []string{"least-squares", "posterior"} }

var majorities = Words{
	Query: "query", Queries: "queries", Hypothesis: "hypothesis", Hypotheses: "hypotheses", Questions: "questions",
	Asked: "query", AskedMany: "queries", Answer: "answer", Answers: "answers", Candidates: "hypotheses",
	Fewer:     "problem: {select: {queries: …}}",
	Maximises: "maximises ⟨z, θ̂⟩, θ̂ the mean answer to each query and 0 where there is none, ties (within 1e-5) broken uniformly at random",
	Lead:      "A policy that chooses among %[1]s queries to find out which of %[2]s hypotheses is right, with %[3]d questions a game%[4]s.",
	Bars: "One bar a query, in the problem’s order: the mean answer θ of the worst instance found, from −1 (always no, below) " +
		"to +1 (always yes, above); a short bar is a query whose answers are nearly noise. The strip below is the " +
		"hypothesis that is right there: filled where it says yes.",
	Assumed: "Someone who gives the same answer whenever a query is repeated breaks this; for people, train with ask-once.",
}

// Arms is the goal of best-arm identification: hypothesis k is query k alone.
type Arms struct{ Majorities }

// Words says how arms are spoken of.
func (Arms) Words() *Words { return &arms }

var arms = Words{
	Query: "arm", Queries: "arms", Hypothesis: "arm", Hypotheses: "arms", Questions: "pulls",
	Asked: "query", AskedMany: "queries", Answer: "answer", Answers: "answers", Candidates: "hypotheses",
	Fewer:     majorities.Fewer,
	Maximises: majorities.Maximises,
	Lead:      "A policy that chooses which of %[1]s arms to pull next, to find the one with the largest mean in %[3]d pulls%[4]s.",
	Bars: "One bar an arm, in the problem’s order: its mean reward θ in the worst instance found, from −1, the least (below), " +
		"to +1, the largest (above). The strip below is filled under the best arm.",
	Assumed: "Rewards that drift, or depend on earlier pulls, break this.",
}

// Check reports the first entry that is neither 0 nor 1, and two hypotheses that are alike.
func (Majorities) Check(p *Problem) error {
	d, n := p.Queries(), p.Hypotheses()
	seen := make(map[string]int, n)
	row := make([]byte, d)
	for k := range n {
		for i, v := range p.Row(k) {
			if v != 0 && v != 1 {
				return fmt.Errorf("hypothesis %q has the entry %v at query %q; it must be 0 or 1", p.Names[k], v, p.X[i])
			}
			row[i] = byte(v)
		}
		if j, ok := seen[string(row)]; ok {
			return fmt.Errorf("hypotheses %q and %q are the same", p.Names[j], p.Names[k])
		}
		seen[string(row)] = k
	}
	return nil
}

// arms reports whether hypothesis k is query k alone.
func (p *Problem) arms() bool {
	d := p.Queries()
	if p.Hypotheses() != d || len(p.Z) != d*d {
		return false
	}
	for at, z := range p.Z {
		if (z == 1) != (at/d == at%d) {
			return false
		}
	}
	return true
}
