// Package family draws problems from a distribution: tables of several kinds and sizes, each with a
// budget. One policy that is trained on many of them serves on tables that it has not seen.
//
//   - In: how often each kind of table is drawn, their sizes, and a key.
//   - Out: problems.
//   - It never: reads a file; the same key draws the same problem.
package family
