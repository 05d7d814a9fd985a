// Package train is the min player: it learns a policy network by Eq. 11 against the instances
// that an adversary proposes.
//
// A [Task] says what is to be learned, a [Run] is a training under way, and [Descend] does it,
// one [record.Step] an iteration. Descend is one loop for all algorithms. What differs between
// them are its parts: the [adversary.Adversary], the [Estimator] of the gradient, its
// [Penalty], and the [optim.Optimizer]. Which parts a task has is decided once (algorithm.go).
//
// The algorithm yields. Logging, progress, checkpoints and early stops are the caller's loop
// body:
//
//		for step, err := range train.Descend(ctx, run) {
//			if err != nil { return err }
//			…                                          // show step, keep run.Snapshot()
//		}
//
//	  - In: a [Task], which has the problem, the levels and the configuration, and the key of its
//	    random streams.
//	  - Out: one [record.Step] an iteration; the network, and a snapshot to go on from.
//	  - It never: logs, reads a clock or a file, or knows how good the policy is beyond its own games.
package train
