// Package decision holds the rules by which a policy recommends once its questions are asked, by
// their names in specs, policy files and results. A rule is a [game.Decider].
//
//   - In: a problem and the name of a rule.
//   - Out: a [game.Decider]: a distribution over the hypotheses in each state.
//   - It never: asks, or remembers anything between two states.
package decision
