// Package sim plays games in blocks and turns their losses into estimates.
//
// A [Block] is the one seam between playing and learning: some instances × all their L rollouts,
// which are played in step. Its player asks for the states of a step, writes the distribution over
// queries in each, and has the games answered:
//
//	for b.Begin(key, m0); b.Ask(); b.Answer() {
//		policy.Probs(b.Probs, b.States)
//	}
//
// The judge does no more ([Block.Play]). The trainer writes its network's, and keeps the
// activations for the backward pass of the same block. [Crew] owns the loop over workers and the
// order of sums.
//
//   - In: a problem, a policy or the probabilities of another player, instances, and the key of
//     their random streams.
//   - Out: blocks of games with their losses and control variates, and estimates with intervals.
//   - It never: knows who chooses the queries, or lets the number of workers change a bit.
package sim
