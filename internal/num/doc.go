// Package num holds the f32 kernels under the policy networks: the three matrix products that
// training a layer y = f(x·W + b) needs, with what surrounds them fused in.
//
//	Forward        y  = f(x·W + b)            f: the identity or the leaky ReLU of App. B
//	InputGrad      dx = (dy·Wᵀ) ∘ f′          f′ read from the sign of the kept activation
//	AddWeightGrad  dW += xᵀ·dy,  db += Σ dy
//
// the first and the last also for an input kept by columns (ForwardColumns, AddWeightGradColumns),
// and for inputs that come in threes, mostly 0 ([Threes]), and the softmax that makes a policy of
// the last one's rows.
//
// Each has a plain Go form that reads like the formula (plain.go) and fast twins in assembly
// written by the generator in gen/. One kernel is chosen when the program starts (kernel.go): the
// fastest that the CPU has, or the one that MAPO_KERNEL names.
//
// Matrices are row-major and dense. Within one kernel a row of a batch gets the bits it would get
// alone, wherever in the batch it stands. Every output element is one sum in the order of the inner
// index (Forward, InputGrad) or in fixed chunks of the batch (AddWeightGrad). Between kernels
// results differ by rounding: of products by at most (k+2)·ε·Σ|terms| for k terms, ε = 2⁻²³; of
// probabilities by a relative (d+8)·ε.
//
// All functions may be called concurrently as long as what they write does not overlap.
//
//   - In: slices of float32 and their shapes.
//   - Out: products, probabilities and their gradients, the same bits wherever a row stands in its
//     batch.
//   - It never: allocates in a kernel or knows what the numbers mean.
package num
