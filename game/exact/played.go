package exact

import (
	"errors"

	"mapo/game"
)

// Whole is a tiny problem all of whose games can be played: a [Game], or a [Pool].
type Whole interface {
	// Play plays every game of a policy. The error says why that is not possible.
	Play(policy game.Policy) (Played, error)
}

// Played is what is known of a policy once every game was played.
type Played interface {
	Loss(loss game.Loss, theta []float64) float64           // ℓ(π, θ)
	Given(loss game.Loss, theta []float64) (float64, error) // on an instance that a user gave: of a pool, as its items say
	Questions(theta []float64) float64                      // the expected number of a game
	Stops() bool                                            // whether games may end early
}

// Of returns p as one whose games can all be played. The error is [New]'s or [NewPool]'s.
func Of(p *game.Problem) (Whole, error) {
	if errors.Is(Check(p), errPool) {
		return NewPool(p)
	}
	return New(p)
}

// Play returns the flow of a policy that ends and recommends by its own rules.
func (g *Game) Play(policy game.Policy) (Played, error) { return g.Played(policy).Flow(policy), nil }

// Given returns [Flow.Loss].
func (f *Flow) Given(loss game.Loss, theta []float64) (float64, error) {
	return f.Loss(loss, theta), nil
}

// Stops reports whether games may end early.
func (f *Flow) Stops() bool { return f.G.Stops() }

// WorstOf returns the largest loss over thetas and the first index that has it.
func WorstOf(f Played, loss game.Loss, thetas [][]float64) (worst float64, at int) {
	for i, theta := range thetas {
		if l := f.Loss(loss, theta); i == 0 || l > worst {
			worst, at = l, i
		}
	}
	return worst, at
}
