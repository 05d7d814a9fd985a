// Package difficulty holds what of difficulty needs more than a formula: ρ_* with the design λ that
// attains it, and the least ρ̃ of a problem. It also has the static design over all pairs of
// hypotheses by which queries are chosen (the appendix on 20 Questions).
//
//   - In: a problem, an instance, a level.
//   - Out: its difficulty by name, the design that attains ρ_*, the easiest instance of each
//     hypothesis, levels and what they cover.
//   - It never: plays a game or looks at a policy.
package difficulty
