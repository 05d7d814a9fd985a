// Package check holds what tests share: a statistical test of a mean with a stated error rate, a
// gradient checker and golden files. Only tests import it.
//
//   - In: what a test has measured, and what it should be.
//   - Out: a failed test, with a false alarm in at most 1e-9 of all runs; made-up problems.
//   - It never: is imported by the program.
package check
