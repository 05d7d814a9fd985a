// Package optim moves a network's parameters along estimates of their gradient: [Adam], the
// paper's, and [Soap].
//
//   - In: parameters, a gradient and a rate.
//   - Out: moved parameters, and the memory that a checkpoint holds.
//   - It never: knows what the gradient is of.
package optim
