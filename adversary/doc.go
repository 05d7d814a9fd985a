// Package adversary is the max player (Section 3): it proposes instances and learns from what
// the policy loses on them.
//
// [Adversary] is the interface that training plays against. Each implementation has a file of
// its own:
//
//   - [Particles]: Algorithm 2 as printed, particles and weights that ascend by Eq. 9 and 10;
//   - [Oracle]: the default, a growing set of the worst instances that searches find, weighted by their running mean losses;
//   - [Weights], [Means] and [Annealed]: the same two on a finite Θ, and the last where the losses are known exactly;
//   - [Prior]: instances of a prior, for Bayes-LAL (App. H);
//   - [Mix]: some of the instances from an adversary, the others from a prior.
//
// The policy is a black box to all of them: its factor cancels in every likelihood ratio, so
// what is read of a game is its final counts and its loss.
//
//   - In: a [Setting], the [Phase] of a training, and the [Games] that were played on a [Batch].
//   - Out: the next batch of instances, which is data alone, and [Diagnostics].
//   - It never: sees a policy's weights, or plays the games that training learns from.
package adversary
