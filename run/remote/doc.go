// Package remote starts mapo-worker, the program that speaks with Temporal, and hears what it tells
// of runs on a cluster. Temporal's SDK would double the time that mapo takes to compile, so that
// nothing here knows it.
//
//   - In: the arguments of mapo-worker, and what it writes.
//   - Out: what it tells, as lines that are the events of a run.
//   - It never: speaks with Temporal itself, or opens a store.
package remote
