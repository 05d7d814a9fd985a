package onnx

import (
	"fmt"
	"math"
	"slices"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/posterior"
)

// Comparer compares what a graph puts out with a policy, state by state. A graph computes in float32 what the policy computes
// in float64, or adds up in another order. In a few states rounding decides. Hypotheses that share the decision, or just do
// not, may do otherwise in the graph. A gated policy compares gains with each other that may all be small beside what was
// added up. A Comparer must not be used concurrently.
type Comparer struct {
	Tolerance float64 // what probabilities may differ by where rounding does not decide
	policy    game.Policy
	decider   game.Decider
	merits    func(dst []float64, s game.States)
	band      func(top float64) (sure, out float64)
	gains     *gains // nil: the network is not a gated one
	probs     []float32
	decision  []float32
	merit     []float64
}

// NewComparer returns what compares with the policy of net and its contract.
func NewComparer(net nn.Net, c *nn.Contract) (*Comparer, error) {
	name, loss, err := decisionOf(c)
	if err != nil {
		return nil, err
	}
	p := c.Problem
	n := p.Hypotheses()
	x := &Comparer{
		Tolerance: Tolerance, policy: nn.Policy(p, net), band: band(p, loss, name),
		probs: make([]float32, p.Queries()), decision: make([]float32, n), merit: make([]float64, n),
	}
	switch net.(type) {
	case *nn.Gated:
		x.Tolerance, x.gains = GatedTolerance, newGains(p)
	}
	if x.decider, err = decision.New(p, loss, name); err != nil {
		return nil, err
	}
	x.merits, err = decision.Merits(p, loss, name)
	return x, err
}

// Compare returns the largest difference of what a graph puts out in one state, [|X|] and [|Z|], from the policy's, and
// whether rounding may decide in it. The error says what is wrong with either.
func (x *Comparer) Compare(probs, decision []float32, s game.States) (largest float64, near bool, err error) {
	if len(probs) != len(x.probs) || len(decision) != len(x.decision) {
		return 0, false, fmt.Errorf("%d probabilities of queries and %d of hypotheses; there must be %d and %d", len(probs), len(decision), len(x.probs), len(x.decision))
	}
	for i, v := range probs {
		if s.Mask[i] && v != 0 {
			return 0, false, fmt.Errorf("the probability %g for query %d, which is masked", v, i)
		}
	}
	x.policy.Probs(x.probs, s)
	largest, near = apart(probs, x.probs), x.gains != nil && x.gains.unsure(s)
	if near {
		largest = offOne(probs)
	}
	if err := x.judge("a probability", largest); err != nil {
		return largest, near, err
	}
	far, tie := x.decided(decision, s)
	return max(largest, far), near || tie, x.judge("a probability of the decision", far)
}

// judge reports that a difference is larger than may be.
func (x *Comparer) judge(what string, largest float64) error {
	switch {
	case math.IsNaN(largest):
		return fmt.Errorf("%s is not a number", what)
	case largest > x.Tolerance:
		return fmt.Errorf("%s differs from the policy's by %.2g, more than %g", what, largest, x.Tolerance)
	}
	return nil
}

// apart returns the largest difference; not a number where one is not.
func apart(a, b []float32) (largest float64) {
	for i, v := range a {
		largest = max(largest, math.Abs(float64(v-b[i])))
	}
	return largest
}

// offOne returns how far the absolute values of probabilities are from summing to 1.
func offOne(v []float32) float64 {
	sum := 0.
	for _, x := range v {
		sum += math.Abs(float64(x))
	}
	return math.Abs(sum - 1)
}

// decided compares the decision alone. Where rounding may decide, it has to be for the best hypotheses up to that. The
// difference is then how much of it is for others, and how far its sum is from 1.
func (x *Comparer) decided(got []float32, s game.States) (largest float64, near bool) {
	x.decider.Decide(x.decision, s)
	x.merits(x.merit, s)
	top, others := slices.Max(x.merit), 0.
	sure, out := x.band(top)
	for k, v := range got {
		below := top - x.merit[k]
		near = near || below > sure && below <= out
		if below > out {
			others += math.Abs(float64(v))
		}
	}
	if largest = apart(got, x.decision); near {
		largest = max(others, offOne(got))
	}
	return largest, near
}

// band returns the function of the largest merit that says how far below it a hypothesis shares the decision for sure, and
// from where on it does not for sure. Between both, rounding decides.
func band(p *game.Problem, loss game.Loss, name string) func(top float64) (sure, out float64) {
	return func(top float64) (sure, out float64) {
		if name == decision.LeastSquares {
			return game.Tie / 2, game.Tie * 3 / 2
		}
		scale := max(1, math.Abs(top))
		if loss == game.BestIdentification {
			scale = top
		}
		sure, out = decision.Rounding*scale/2, decision.Rounding*scale*2
		if check.Is[*game.Shares](p) && loss == game.BestIdentification {
			sure = top * 1e-9 // up to which [posterior.Leaders] are equal
		}
		return sure, out
	}
}

// gains say in which states rounding decides what a gated policy asks.
type gains struct {
	rows   *posterior.Fixed
	sc     *posterior.FixedScratch
	scorer *game.Scorer
	gain   []float32 // [|X|]
	score  []float32 // [|Z|]
}

func newGains(p *game.Problem) *gains {
	rows := posterior.NewFixed(p, 0)
	return &gains{rows, rows.Scratch(1), game.NewScorer(p), make([]float32, p.Queries()), make([]float32, p.Hypotheses())}
}

// leastShare is how large the largest gain of a query that may be asked must be, as a share of the weight of the rows but the
// likeliest. Gains are sums of about that weight: smaller ones are mostly rounding.
const leastShare = 0.1

// unsure reports whether gains are smaller than that, or two rows as near to the answers but for rounding.
func (g *gains) unsure(s game.States) bool {
	g.rows.Scores(g.sc, s)
	g.rows.Gains(g.gain, g.sc, 1)
	scores := g.sc.Score[0][:g.rows.N]
	best, others := slices.Index(scores, g.sc.Top[0]), 0.
	for j, score := range scores {
		if j != best {
			others += math.Exp(float64(score) - g.sc.LogSum[0])
		}
	}
	largest := 0.
	for i, gain := range g.gain {
		if !s.Mask[i] {
			largest = max(largest, float64(gain))
		}
	}
	if largest < leastShare*others {
		return true
	}
	g.scorer.Score(g.score, s.N, s.S)
	top := slices.Max(g.score[:g.rows.N])
	return slices.ContainsFunc(g.score[:g.rows.N], func(v float32) bool { return top-v > game.Tie/2 && top-v <= game.Tie*3/2 })
}
