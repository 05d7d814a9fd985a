package train

import (
	"slices"

	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/nn"
)

// magnetMemory is the share a new ψ takes in the running mean.
const magnetMemory = .01

// Magnet is a [Penalty] that slows best responses to best responses, which can cycle: each player learns what is best
// against the other as it just was, and unlearns what it is good at elsewhere. By magnetic mirror descent (Sokota et al.
// 2023; Perolat et al. 2022) π pays its divergence KL(π ‖ μ) from μ, the policy of ψ's running mean, which follows. Where the
// game is in balance π is μ, and nothing is paid.
type Magnet struct {
	weight float64
	mean   nn.Net // μ's network
	p      *game.Problem
}

// newMagnet returns a magnet of so much weight for policies of a problem; mean is a fresh network of their kind.
func newMagnet(mean nn.Net, p *game.Problem, weight float64) *Magnet {
	return &Magnet{weight: weight, mean: mean, p: p}
}

// Enter puts the magnet where the policy is.
func (m *Magnet) Enter(net nn.Net) { copy(m.mean.Params(), net.Params()) }

// Follow takes the new ψ into the running mean.
func (m *Magnet) Follow(net nn.Net) {
	mean := m.mean.Params()
	for i, v := range net.Params() {
		mean[i] += magnetMemory * (v - mean[i])
	}
}

// Params returns the running mean.
func (m *Magnet) Params() []float32 { return m.mean.Params() }

// Block returns a worker's part.
func (m *Magnet) Block(games int) PenaltyBlock {
	b := &magnetBlock{m: m, tape: m.mean.NewTape(games)}
	for range m.p.T {
		b.pull = append(b.pull, make([]float32, games*m.p.Queries()))
	}
	return b
}

// magnetBlock is a worker's part of a magnet.
type magnetBlock struct {
	m       *Magnet
	tape    nn.Tape     // for all steps: there is no way back through it
	pull    [][]float32 // the magnet's logits, then the gradient of the divergence from it, [T][U, |X|]
	scratch RowScratch
}

func (b *magnetBlock) See(t int, s game.States) {
	d := b.m.p.Queries()
	b.m.mean.Forward(b.pull[t][:s.Len(d)*d], b.tape, s)
}

func (b *magnetBlock) Take(t int, logits, probs []float32, row []int32, each float64) {
	MagnetGrad(b.pull[t][:len(logits)], logits, probs, row, b.m.weight*each/float64(b.m.p.T), &b.scratch)
}

func (b *magnetBlock) Add(t int, grad []float32) { add(grad, b.pull[t][:len(grad)]) }

// MagnetGrad replaces magnet, the logits of μ in U states, [U,|X|], by the gradient of
//
//	weight · Σ_g KL(π(·|s_g) ‖ μ(·|s_g))
//
// in those of π, [U,|X|]. The G games are in the states that row says, [G], −1 where one is over; probs is π of the states, [U,|X|]. As
// for the entropy's bonus the gradient is the direct one only (reading 1). Queries that cannot be asked have probability 0
// and gradient 0, whatever their logits.
func MagnetGrad(magnet, logits, probs []float32, row []int32, weight float64, scratch *RowScratch) {
	if len(row) == 0 || slices.Max(row) < 0 {
		return
	}
	states := int(slices.Max(row)) + 1
	d := len(probs) / states
	scratch.games = sim.Zeros(scratch.games, states)
	for _, u := range row {
		if u >= 0 {
			scratch.games[u]++
		}
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
