// Package disk opens files that a user named, unpacked where they are compressed, writes files that
// are there whole or not at all, and keeps a file to one process.
//
//   - In: a path as a user gave it.
//   - Out: its bytes, unpacked; or a file that is written whole or left as it was.
//   - It never: knows what a file holds.
package disk
