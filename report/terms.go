package report

import (
	"mapo/difficulty"
	"mapo/game"
)

// Terms is how a report speaks of a kind of problem: what is asked and what is recommended.
type Terms struct {
	Query, Queries         string
	Hypothesis, Hypotheses string
	Questions              string // answers of a game
	Lead                   string // what a policy does, with verbs for the numbers of queries and hypotheses and the budget, and for ask-once
	Bars                   string // what the figure of worst instances shows
	Assumed                string // what is assumed of answers where they may be asked for again
}

// Tables is of games over hypotheses and queries; a [Run] without terms has it.
var Tables = Terms{
	Query: "query", Queries: "queries", Hypothesis: "hypothesis", Hypotheses: "hypotheses", Questions: "questions",
	Lead: "A policy that chooses among %[1]s queries to find out which of %[2]s hypotheses is right, with %[3]d questions a game%[4]s.",
	Bars: "One bar a query, in the problem’s order: the mean answer θ of the worst instance found, from −1 (always no, below) " +
		"to +1 (always yes, above); a short bar is a query whose answers are nearly noise. The strip below is the " +
		"hypothesis that is right there: filled where it says yes.",
	Assumed: "Someone who gives the same answer whenever a query is repeated breaks this; for people, train with ask-once.",
}

// Arms is of best-arm identification.
var Arms = Terms{
	Query: "arm", Queries: "arms", Hypothesis: "arm", Hypotheses: "arms", Questions: "pulls",
	Lead: "A policy that chooses which of %[1]s arms to pull next, to find the one with the largest mean in %[3]d pulls%[4]s.",
	Bars: "One bar an arm, in the problem’s order: its mean reward θ in the worst instance found, from −1, the least (below), " +
		"to +1, the largest (above). The strip below is filled under the best arm.",
	Assumed: "Rewards that drift, or depend on earlier pulls, break this.",
}

// Vectors is of queries that are vectors.
var Vectors = Terms{
	Query: "query", Queries: "queries", Hypothesis: "hypothesis", Hypotheses: "hypotheses", Questions: "answers",
	Lead: "A policy that chooses among %[1]s queries x, of mean answers ⟨x, θ⟩, to find out which of %[2]s hypotheses z has the largest ⟨z, θ⟩ with %[3]d answers%[4]s.",
	Bars: "One bar a query, in the problem’s order: its mean answer ⟨x, θ⟩ in the worst instance found, from −1, the least (below), " +
		"to +1, the largest (above). The strip below is filled where the best hypothesis has more weight on the query than hypotheses have on average.",
	Assumed: "Answers that drift, or depend on earlier ones, break this; so do means that are not linear in the vectors.",
}

// Pools is of classifiers on a pool of items.
var Pools = Terms{
	Query: "item", Queries: "items", Hypothesis: "model", Hypotheses: "models", Questions: "labels",
	Lead: "A policy that chooses which of %[1]s items, on which %[2]s models differ, gets a label next, to find the most accurate model with %[3]d labels%[4]s.",
	Bars: "One bar a class that is predicted for an item, or for a cell of items on which all models predict the same, in the problem’s order: " +
		"its probability in the worst instance found, from 0 (below) to 1 (above). The strip below is filled where the best model predicts the class.",
	Assumed: "Labels that are wrong, or that depend on earlier ones, break this.",
}

// terms returns the run's.
func (run *Run) terms() Terms {
	if run.Terms == (Terms{}) {
		return Tables
	}
	return run.Terms
}

// measure returns the difficulty by which levels are given.
func (run *Run) measure() difficulty.Measure {
	if run.Measure.Name == "" {
		return difficulty.MeasureOf(new(game.Problem))
	}
	return run.Measure
}
