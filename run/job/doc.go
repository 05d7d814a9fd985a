// Package job is an engine for steps that are pure functions of their input. It knows nothing of
// what they do.
//
// A step is submitted to an [Executor] under a key that names all the result depends on. So a
// finished job is found instead of repeated, an unfinished one resumes from its last checkpoint,
// and neither that nor the number of workers changes a byte. [Local] carries jobs out in this
// process; a [Planner] finds out what can be done next where they are carried out elsewhere.
// Nothing here prints: progress is told as [Event]s.
//
//   - In: steps, their inputs and keys, and a store.
//   - Out: futures of results, and events.
//   - It never: prints, reads a clock for anything but times, or lets the order of jobs change a
//     result.
package job
