// Package search finds the worst instances of a fixed policy, over a whole ladder of
// difficulties at once (App. E). [Search.Run] is the judge of a run; training's double
// oracle asks [Search.Finds] for instances to add. The policy is a black box: what is
// read of a game is its final counts and its loss.
//
//   - In: a problem, a policy, levels, an [Effort] and a key.
//   - Out: the worst instance found at each level with its loss on fresh games, and a [Bank] of
//     others. What is found is a lower bound on the true worst case.
//   - It never: looks into a policy, or lets the number of workers change what is found.
package search
