// Package names finds names as a person types them: completed from their beginning, and the nearest
// ones where none is meant exactly.
//
//   - In: a word and the names that there are.
//   - Out: the names that begin with it, and the nearest one.
//   - It never: decides what a word means: the caller shows what was found.
package names
