// Package learn updates a table of shares from games whose truth was told: a table made by one
// group then knows how another group answers. Everything follows from integer counts, so games may
// be added and taken away in any order.
//
// A base share counts as κ answers. Each question has a share of disagreement δ between the games
// and the base table, inferred from all answers to it; where people differ much on a question, the
// base counts for less:
//
//	p′ = (1 − 2δ_i)·p₀ + δ_i        p = (κ·p′ + yes) / (κ + answers)
//
// The package learns nothing by itself; a server or mapo table learn calls it.
//
//   - In: a base table, and counts of answers with the games that they are from.
//   - Out: the learned table, and which games it leaves out.
//   - It never: forgets which game a count is from, or depends on the order of games.
package learn
