// Package plan makes the plan of a run from a spec: what a SPEC says, completed by its scale's
// presets, by levels that are chosen where none are given, and by the names and hashes that a run
// goes by.
//
//   - In: a spec and what a command line says beside it.
//   - Out: a [run.Plan], with its names and hashes.
//   - It never: starts a job.
package plan
