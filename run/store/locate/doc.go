// Package locate opens the store at a place that a user names: a folder, or a bucket of S3.
//
//   - In: a place as a user gave it.
//   - Out: the store there, made or existing.
//   - It never: starts any work: an unreachable place is reported first.
package locate
