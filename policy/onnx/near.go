package onnx

import (
	"math"
	"slices"

	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/nn"
)

// Decisions compares decisions with a policy's own. A graph computes in float32 what the policy computes in float64, or adds up
// in another order. So hypotheses that share the policy's decision, or just do not, may do otherwise in the graph's.
type Decisions struct {
	by     game.Decider
	merits func(dst []float64, s game.States)
	band   func(top float64) (sure, out float64)
	want   []float32 // [|Z|]
	merit  []float64
}

// NewDecisions returns what compares with the decision of a policy of this contract.
func NewDecisions(c *nn.Contract) (*Decisions, error) {
	name, loss, err := decisionOf(c)
	if err != nil {
		return nil, err
	}
	n := c.Problem.Hypotheses()
	x := &Decisions{band: band(c.Problem, loss, name), want: make([]float32, n), merit: make([]float64, n)}
	if x.by, err = decision.New(c.Problem, loss, name); err != nil {
		return nil, err
	}
	x.merits, err = decision.Merits(c.Problem, loss, name)
	return x, err
}

// band returns the function of the largest merit that says how far below it a hypothesis shares the decision for sure, and
// from where on it does not for sure. Between both, rounding decides.
func band(p *game.Problem, loss game.Loss, name string) func(top float64) (sure, out float64) {
	return func(top float64) (sure, out float64) {
		scale := 1.
		switch {
		case name == decision.LeastSquares:
			return game.Tie / 2, game.Tie * 3 / 2
		case loss == game.BestIdentification:
			scale = top
		default:
			scale = max(1, math.Abs(top))
		}
		sure, out = decision.Rounding*scale/2, decision.Rounding*scale*2
		if p.Shares != nil && loss == game.BestIdentification {
			sure = top * 1e-9 // up to which [posterior.Leaders] are equal
		}
		return sure, out
	}
}

// Compare returns the largest difference of a decision, [|Z|], from the policy's in one state, and whether rounding may decide
// in it. There the decision has to be for the best hypotheses, up to rounding. The difference is then how much of it is for
// others, and how far its sum is from 1.
func (x *Decisions) Compare(got []float32, s game.States) (largest float64, near bool) {
	x.by.Decide(x.want, s)
	x.merits(x.merit, s)
	top := slices.Max(x.merit)
	sure, out := x.band(top)
	sum, others := 0., 0.
	for k, v := range got {
		below := top - x.merit[k]
		near = near || below > sure && below <= out
		sum += float64(v)
		if below > out || v < 0 {
			others += math.Abs(float64(v))
		}
		largest = math.Max(largest, math.Abs(float64(v-x.want[k]))) // NaN wherever one is
	}
	if near && !math.IsNaN(largest) {
		largest = math.Max(others, math.Abs(sum-1))
	}
	return largest, near
}
