// Package game holds Section 2 of "Learning to Actively Learn: A Robust Approach" (arXiv
// 2010.15382) and nothing else. It has a table of hypotheses × queries with a budget ([Problem]),
// what is known in the middle of a game ([States]) and what chooses the next query ([Policy]). It
// also has what a game costs ([Loss]), how hard an instance is ([Difficulty], [RhoTilde], [Omega]),
// and distributions over instances ([Prior]).
//
// Words follow the field: a query x ∈ 𝒳 is asked, a hypothesis z ∈ 𝒵 is recommended, an instance θ
// says how likely each answer is, a policy π plays a game of T answers. The paper's letters appear
// inside formulas.
//
// The other packages build on this one, each in one direction only. sim plays games, exact plays
// all of them, search finds the worst instance of a policy, and train learns one against an
// adversary. judge measures, run runs the paper's Algorithm 1, and cmd/mapo is the command.
//
//   - In: a table of hypotheses × queries with a budget, from a reader of package dataset or from
//     any program.
//   - Out: the terms that every other package speaks: problems, states, policies, losses,
//     difficulties and priors.
//   - It never: plays a game, reads a file or makes a random generator; it imports the standard
//     library only.
package game
