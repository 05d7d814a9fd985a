// Command mapo learns a policy that asks the right queries, measures its worst case, and puts it to
// work. Here are flags and wiring; what they start is in the other packages.
//
//   - In: a command line.
//   - Out: what the other packages say, on the terminal.
//   - It never: computes anything that a package could, or words a fault that one could word.
package main
