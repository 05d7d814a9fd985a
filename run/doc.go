// Package run is the paper's Algorithm 1 and all that surrounds it, as jobs.
//
// A [Plan] says what is to be done. [MAPO] trains and judges π_1 … π_K, sets the benchmarks and
// trains π̂; [Flow.Run] adds the rivals, a second look at every policy with the worst instances of
// all, averages and gaps. Package folder writes what a person keeps: policies, results.csv, figures
// and report.html.
//
// Every step is a pure function of its canonical input, submitted to an [job.Executor] under a key
// that names all the result depends on. So a finished job is found instead of repeated, an
// unfinished one resumes from its last checkpoint, and neither that nor the number of workers
// changes a byte.
//
// Nothing here prints: progress is told as [job.Event]s.
//
//   - In: a [Plan] and a [job.Executor].
//   - Out: policies, and what was judged of them.
//   - It never: prints, reads a spec or names a file.
package run
