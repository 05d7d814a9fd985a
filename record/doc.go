// Package record holds the two facts of a run that every part of it speaks of: one step of a
// training ([Step]) and one worst case ([Worst], with its [Estimate]). The trainer and the search
// make them, the run keeps them, the report and the service show them; none of these has to import
// another for that.
//
//   - In: nothing: the trainer and the search fill these types in.
//   - Out: what run, report and service read of them.
//   - It never: computes more than sums of its own fields.
package record
