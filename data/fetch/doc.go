// Package fetch downloads data files so that a broken download never takes a good one's place. A
// file arrives under another name, is resumed where it stopped, checked (size, sha256, its own
// reader) and only then renamed. The network is not trusted: no reply of a server can cause a
// panic, a hang or a full disk.
//
//   - In: the name of a published dataset, and consent to its terms.
//   - Out: its files in a folder, whole and checked.
//   - It never: replaces a good file by a broken one.
package fetch
