// Package console is how a command speaks to people on a terminal: what it shows while it works,
// help that fills the width, commands that can be pasted, and texts of files without what would
// steer the terminal.
//
//   - In: a stream, and what is to be shown on it.
//   - Out: lines that stay within the width, progress that is drawn over itself, and commands to be
//     pasted.
//   - It never: decides what is said.
package console
