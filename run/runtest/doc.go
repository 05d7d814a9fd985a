// Package runtest is what tests of whole runs share, wherever the run is carried out: package run,
// a cluster's workers or the programs. It has the parts of a run of about a second, and says
// whether two runs left the same bytes. The tests inside package run use it too, so it does not
// import run: a test makes its Plan itself.
//
//   - In: the scratch of a test.
//   - Out: the parts of a run, and what differs between two of them.
//   - It never: is imported by the program.
package runtest
