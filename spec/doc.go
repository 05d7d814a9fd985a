// Package spec reads and checks a SPEC, what to learn: a YAML file, or a table (.csv, .csv.gz) with
// defaults. A [Spec] is resolved: its problem is built, its rivals and priors are known to exist,
// and [Spec.Resolved] writes it so that loading that again gives the same.
//
// The numbers of a training belong to the trainer: a spec keeps the keys under train: and
// [Spec.DecodeTrain] sets them on any struct with yaml tags.
//
//   - In: a YAML file or a table, and what a command line overrides.
//   - Out: a [Spec] that nothing is left to defaults in, or faults with file, line and the nearest
//     known key.
//   - It never: trains, plays or names a program.
package spec
