// Package paper is the paper's Algorithm 2 in plain loops: one reads it beside the text, and
// tests hold the fast training to it.
//
// Algorithm 3 (Appendix B) is Algorithm 2 with its gradients written out. [Training.Iterate] is
// its loop, gradient.go has Eq. 9 to 11, rollout.go the game of Section 2 and the difficulty of
// Eq. 1, network.go the policy of Appendix B. Lines in quotes are the paper's. Where it leaves
// something open or says two things, comments name the reading of docs/paper.md.
//
//   - In: an [Input], and where a training begins: ψ, the particles Θ̃ and w.
//   - Out: the gradients of each iteration, while the three move. The draws are those of the same
//     keys as in training by Algorithm 2, so both play the same games.
//   - It never: is fast, samples smartly, saves or resumes. All numbers are float64. It plays the
//     paper's combinatorial bandits alone: 𝒳 = {e_1 … e_d}, 𝒵 ⊂ {0,1}^d, answers ±1, no query
//     barred.
package paper
