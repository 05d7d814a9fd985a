// Package dataset makes problems and their own priors from what people have: one-dimensional
// thresholds ([Thresholds]), arms ([Arms]), tables of P(yes) ([ReadTable], [Table.Problem]), and
// instances given row by row ([ReadInstances]).
//
// Files come from outside, so every reader is bounded (see [MaxBytes]) and every fault is an error
// of the form "file:line: what is wrong: what to do".
//
//   - In: files, or sizes.
//   - Out: problems with their own priors, and warnings that count what was merged or dropped.
//   - It never: trusts a file, or repairs one in silence.
package dataset
