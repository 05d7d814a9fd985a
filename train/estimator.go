package train

import (
	"context"

	"mapo/adversary"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/rng"
)

// Estimator estimates Eq. 11, the gradient of the objective in ψ, from games of the policy on a batch of instances.
type Estimator interface {
	// Enter begins a phase.
	Enter()
	// Gradient adds the estimate to grad, as the network's parameters, and returns what the games showed. Besides ctx's
	// error it returns none. What it returns is good until the next call.
	Gradient(ctx context.Context, grad []float32, b *adversary.Batch, now Moment) (*Games, error)
	// Learn takes what the last gradient's games showed into what the estimator knows, once ψ has moved.
	Learn()

	// Snapshot returns what is needed to go on with the same bytes, Restore takes it.
	Snapshot() ([]byte, error)
	Restore(snapshot []byte) error
}

// Moment is where a training is.
type Moment struct {
	Phase   *adversary.Phase
	Key     rng.Key // the iteration's
	Done    float64 // the share of the phase behind it
	Entropy float64 // λ_Pol-reg, the weight of the policy's entropy
}

// Games is what the games of one gradient showed.
type Games struct {
	adversary.Games
	Entropy float64 // mean entropy of π(s), over log |X|
	Steps   int64   // environment steps played
}

// Penalty is what the policy pays for how it asks, besides its loss and the entropy that [PsiGrad] takes in.
type Penalty interface {
	// Enter begins a phase of net's training.
	Enter(net nn.Net)
	// Block returns a worker's part, for blocks of up to so many games.
	Block(games int) PenaltyBlock
	// Follow is told of net's new weights.
	Follow(net nn.Net)
	// Params returns what a checkpoint holds of the penalty, aliased.
	Params() []float32
}

// PenaltyBlock is a worker's part of a [Penalty]. Games of a block that are in the same state at step t share a row. A step
// at which all games are over is left out.
type PenaltyBlock interface {
	// See is shown the U states of step t before their queries are drawn.
	See(t int, s game.States)
	// Take works out the gradient of each · Σ_g penalty(s_g) in the logits of step t, [U, |X|]. probs, [U, |X|], is π of
	// the states, and row, [G], says which state each game is in, −1 where
	// it is over.
	Take(t int, logits, probs []float32, row []int32, each float64)
	// Add adds that gradient to grad, [U, |X|].
	Add(t int, grad []float32)
}
