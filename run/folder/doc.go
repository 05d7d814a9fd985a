// Package folder is what a run leaves for a person, and where. The run folder has its store, log,
// policies, results.csv, figures and report.html ([Folder]). A training without one has a folder of
// checkpoints ([Checkpoints]).
//
//   - In: a resolved spec, and the results of a run.
//   - Out: a folder that a person keeps, and the store to resume from.
//   - It never: overwrites another run.
package folder
