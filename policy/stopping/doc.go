// Package stopping holds the rule by which games end before their last answer, by its name in
// specs, policy files and results, such as confidence:0.95. A rule is a [game.Stopper].
//
//   - In: a problem and the name of a rule.
//   - Out: a [game.Stopper]: whether a state ends the game.
//   - It never: learns where to stop.
package stopping
