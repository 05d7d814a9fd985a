// Command mapo-worker is mapo's part that speaks with Temporal: workers, and what starts, watches
// and cancels runs. mapo worker, mapo run --temporal, mapo runs and mapo cancel start it; it is a
// program of its own because Temporal's SDK takes as long to compile as much of mapo
// (docs/decisions).
//
//   - In: a Temporal server, a store that all machines reach, and the plan of a run in it.
//   - Out: the results of the run's jobs in the store, and lines of progress.
//   - It never: reads a spec or data, which are in the store, or plans a run.
package main
