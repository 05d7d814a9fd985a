package train

import "slices"

// A policy that answers an adversary who answers it goes round: each learns what is best against the other as it just
// was, and unlearns what it is good at elsewhere. A magnet (Sokota et al. 2023, magnetic mirror descent; Perolat et al.
// 2022) slows the turns: π pays Config.Magnet times its divergence KL(π ‖ μ) from μ, the policy of ψ's running mean, which
// follows. Where the game is in balance π is μ, and nothing is paid.

// magnetMemory is the share a new ψ takes in the running mean.
const magnetMemory = .01

// MagnetGrad replaces magnet, the logits of μ in U states, [U,|X|], by the gradient of
//
//	weight · Σ_g KL(π(·|s_g) ‖ μ(·|s_g))
//
// in those of π, [U,|X|]. The G games are in the states that row says, [G]; probs is π of the states, [U,|X|]. As
// for the entropy's bonus the gradient is the direct one only (reading 1). Queries that cannot be asked have probability 0
// and gradient 0, whatever their logits.
func MagnetGrad(magnet, logits, probs []float32, row []int32, weight float64, scratch *RowScratch) {
	if len(row) == 0 {
		return
	}
	states := int(slices.Max(row)) + 1
	d := len(probs) / states
	scratch.games = grown(scratch.games, states)
	for _, u := range row {
		scratch.games[u]++
	}
	for u, games := range scratch.games {
		p, own, pull := probs[u*d:(u+1)*d], logits[u*d:(u+1)*d], magnet[u*d:(u+1)*d]
		var mean float32 // of log π/μ, up to a constant, under π
		for i, q := range p {
			pull[i] = own[i] - pull[i]
			mean += q * pull[i]
		}
		for i, q := range p {
			pull[i] = float32(weight*games) * q * (pull[i] - mean)
		}
	}
}

// moveMagnet takes the new ψ into the running mean.
func (r *Run) moveMagnet() {
	if r.magnet == nil {
		return
	}
	mean := r.magnet.Params()
	for i, v := range r.net.Params() {
		mean[i] += magnetMemory * (v - mean[i])
	}
}
