// Package play is a game as people play it: a policy's questions, answers that may be numbers,
// "don't know" or half a yes, guesses on the way, and after each step what the answers say of the
// hypotheses. It knows nothing of files, servers or screens: a [Position] is a pure function of
// what was answered.
//
// A game over rows ends at a confidence or after its last answer, and then a guess comes. A no uses
// one answer, and there are at most three guesses. Nothing is guessed where answers are numbers,
// nor of arms, vectors and pools. Half answers are taken where no query is asked twice: N counts 1
// and S is ±½, which a trained policy never saw in training. Where answers are numbers, N counts
// them and S sums y/bound. In a pool the class of an item answers all queries of its cell. The item
// is drawn uniformly from the open ones of the cell that the policy draws; a share of the questions
// may be drawn from all open items instead.
//
//   - In: a policy, and the answers so far as a person gave them.
//   - Out: the next question or guess, and what the answers say of the hypotheses.
//   - It never: keeps a game: the caller sends all of it again.
package play
