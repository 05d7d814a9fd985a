// Package preset makes whole configurations of trainings: named ones, what suits a problem, a
// loss and a number of levels, and what a user says of it.
//
//   - In: a name such as desk, a problem, a loss and what the user says.
//   - Out: a [train.Config] that its Check accepts.
//   - It never: trains, or looks at how long anything took.
package preset
