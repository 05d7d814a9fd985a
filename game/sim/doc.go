// Package sim plays games in blocks and turns their losses into estimates.
//
// [PlayBlock] is the one seam between playing and learning: it plays some instances × all their L
// rollouts for T steps and asks a [Choose] for the distribution over queries once a step. The judge
// passes a policy's Probs; the trainer passes a closure over its network that keeps the activations
// for the backward pass of the same block. [Each] owns the loop over workers and the order of sums.
//
//   - In: a problem, a policy or a [Choose], instances, and the key of their random streams.
//   - Out: blocks of games with their losses and control variates, and estimates with intervals.
//   - It never: knows who chooses the queries, or lets the number of workers change a bit.
package sim
