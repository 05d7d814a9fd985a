// Package s3 keeps a store in a bucket of S3 or what speaks its protocol.
//
//   - In: a place such as s3://BUCKET/PREFIX?endpoint=URL, and credentials of the environment.
//   - Out: a [store.Store].
//   - It never: reads credentials from files or replaces a sound object.
package s3
