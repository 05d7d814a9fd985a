// Package cluster carries out a run on many machines, through Temporal (https://temporal.io).
//
// The run is a workflow that knows no more than names: again and again it asks what can be done
// next ([run.Planner], an activity) and has it done (an activity a job, on the queue of the job's
// class). Inputs, results and checkpoints are in the store, which all machines reach; the store is
// the truth, and heartbeats say only that a worker is alive. So two attempts at one job, which
// Temporal does not rule out, write the same bytes.
//
//   - [Run] (workflow.go): the workflow.
//   - [Worker] (worker.go): does the jobs; planning.go says which, attempt.go counts the workers
//     that died of one.
//   - [Client] (client.go): starts, lists, cancels and terminates runs; watch.go watches them.
//   - [Server] (server.go): reaches a Temporal server, with the settings of Temporal's own command.
//   - [Identity] (identity.go): what all who serve a store must have in common.
//
// What passes through:
//
//   - In: the plan of a run, a store that all machines reach, and a Temporal server.
//   - Out: the artifacts of the run in the store, and its progress.
//   - It never: puts data of a run into a history, or trusts a heartbeat for a result.
package cluster
