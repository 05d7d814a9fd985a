// Package store keeps the artifacts and checkpoints of a run under names made from content keys, so
// that a finished job is found again instead of repeated and an interrupted one goes on where it
// was.
//
// A guided tour:
//
//   - [Key] and [KeyOf] (key.go): what a job's result depends on, hashed into a name.
//   - [Store] (store.go): get, put, list and delete of whole, checksummed objects. The conformance
//     suite in store/storetest says what every implementation owes its callers.
//   - [Folder] (folder.go): the store in a folder of the file system.
//   - Packages s3 and locate: the store in a bucket, and either store by the place that a user
//     names.
//   - [SaveCheckpoint], [LoadCheckpoint], [DropCheckpoints] (checkpoint.go): numbered by iteration,
//     the last two kept, the highest sound one read.
//
// Several processes may use one store at once. Two attempts at the same job write the same names,
// and since a name is a key they write the same bytes: whichever comes last changes nothing.
//
//   - In: artifacts and checkpoints, as bytes under a key.
//   - Out: the same bytes, or an error: a damaged object is never handed out.
//   - It never: knows what they mean, replaces a sound object or needs a lock.
package store
