package record

// Worst is the worst instance found for a policy at a level, and the policy's loss on it
// from fresh games that took no part in choosing it (reading 12): a lower bound on ℓ(π, Θ^(Level)). For a level
// that nothing new was found for, it repeats the level below.
//
// As JSON, in the store of a run, its keys are the fields' names.
type Worst struct {
	Level float64
	Theta []float64 // [|X|]
	Rho   float64   // 𝒞(θ) ≤ Level
	Estimate
}

// Estimate is a mean with an interval: a number without one is a rumour.
type Estimate struct {
	Mean, Lo, Hi float64  // in the loss's units; Lo ≤ Mean ≤ Hi
	Confidence   float64  // that [Lo, Hi] holds the expectation: sim.Confidence, or 1 for a mean that is exact
	Games        int      // behind the mean; 0 for an exact one
	Warnings     []string // why the interval may be too short, a line each

	Questions Questions `json:",omitzero"` // of a game, where games end early; zero: they have all their answers
}

// Times returns the estimate in units of which the loss's are so many.
func (e Estimate) Times(unit float64) Estimate {
	e.Mean, e.Lo, e.Hi = e.Mean*unit, e.Lo*unit, e.Hi*unit
	return e
}

// Questions is the expected number of questions of a game with its interval, which is the estimate's beside it.
type Questions struct{ Mean, Lo, Hi float64 }
