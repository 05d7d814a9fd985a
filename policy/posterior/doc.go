// Package posterior is what the answers so far say of the hypotheses when each answer is wrong with
// probability β (Nowak 2011; reading 15):
//
//	p_β(z | S) ∝ ((1−β)/β)^{½ Σ_i (2z_i − 1) S_i}, β ∈ (0, ½)
//
// and what that says of each query: its marginal Σ_z p_β(z) (2z_i − 1), which is 0 where the
// posterior is split in half. Where answers are one of C classes a wrong one is any other alike, so
// that z has the weight ((1−β)(C−1)/β)^agreements. SGBS reads the marginals; the structured network
// has kernels of its own for five β at once (package nn). Of a problem that knows instances,
// [Known] is what Bayes' rule over those takes of an answer.
//
//   - In: the counts and sums of a state.
//   - Out: weights of hypotheses and rows, marginals and gains of queries.
//   - It never: decides what to ask or what to recommend.
package posterior
