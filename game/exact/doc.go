// Package exact plays every game of a tiny problem without sampling. It is the reference: losses
// and gradients are finite sums in float64, unbiasedness of an estimator is an identity over
// [Game.Each], and [Certify] brackets the minimax value of a finite set of instances.
//
// Under a policy π the probability of a state s = (N, S) factors as q_π(s)·L_θ(s). The flow q_π, a
// sum over the orders in which the answers can have come, does not depend on θ. The likelihood
// L_θ(s) = Π_i ((1+θ_i)/2)^{yes_i} ((1−θ_i)/2)^{no_i} does not depend on π. So ℓ(π, θ) = Σ_s q_π(s)
// L_θ(s) L_T(s, θ), over the final states.
//
//   - In: a problem so small that all its states fit into memory, and any policy.
//   - Out: exact losses, gradients and worst cases, and certified brackets.
//   - It never: samples, or serves problems of the size that people have.
package exact
