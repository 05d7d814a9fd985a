// Package pretrain learns one policy on many problems of a family, so that it serves on tables
// that it has not seen.
//
// A [Run] has training problems. Each has a level and an adversary of its own, and all share
// the nine weights of one [nn.Gated] network. A step plays an iteration on some of the problems
// and moves the weights by the mean of the gradients:
//
//	min_ψ mean over problems of (1−w)·max_{θ ∈ Θ^(r)} ℓ(π^ψ, θ) + w·E_{rows} ℓ(π^ψ, θ)
//
// [Descend] yields once a step, as train.Descend does.
//
//   - In: a [Config], with the family and what the trainings are told.
//   - Out: one step at a time; a network that serves on tables that were not in the training.
//   - It never: sees the tables it is for.
package pretrain
