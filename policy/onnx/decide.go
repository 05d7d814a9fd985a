package onnx

import (
	"fmt"
	"math"
	"slices"

	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/posterior"
)

// OutDecision is the second output of every graph: from which hypothesis to recommend.
const OutDecision = "decision"

// decisionOf returns the name of a contract's decision and its loss.
func decisionOf(c *nn.Contract) (name string, loss game.Loss, err error) {
	if name = c.Decision; name == "" {
		name = decision.LeastSquares
	}
	if loss, err = game.ParseLoss(c.Loss); err == nil {
		_, err = decision.New(c.Problem, loss, name)
	}
	return name, loss, err
}

// decide puts the distribution over hypotheses out by which the decision recommends, [B, |Z|], after answers n that sum to s.
// Hypotheses that are as good as the best up to rounding share it: within [game.Tie] for least squares, and within a share
// [decision.Rounding] of the best for posteriors.
func (b *builder) decide(c *nn.Contract, n, s ref) error {
	name, loss, err := decisionOf(c)
	if err != nil {
		return err
	}
	b.part = "decision"
	p := c.Problem
	var merit, from ref
	switch {
	case name == decision.LeastSquares:
		merit = b.nearest(p, n, s)
		from = b.op("Sub", b.top(merit), b.number32(tie))
	case loss == game.BestIdentification:
		merit = b.weights(p, n, s)
		from = b.op("Mul", b.top(merit), b.number32(1-decision.Rounding))
	default:
		merit = b.values(p, b.weights(p, n, s))
		top := b.top(merit)
		from = b.op("Sub", top, b.op("Mul", b.op("Max", b.op("Abs", top), b.number32(1)), b.number32(decision.Rounding)))
	}
	lead := b.real(b.op("GreaterOrEqual", merit, from))
	count := b.set("ReduceSum", keep, lead, b.whole(1))
	b.Nodes = append(b.Nodes, Node{Op: "Div", Name: "decision/share", In: []string{string(lead), string(count)}, Out: OutDecision})
	doc := fmt.Sprintf("the distribution over hypotheses from which to recommend, by %s for %s", name, loss)
	b.Outputs = append(b.Outputs, Port{Name: OutDecision, Doc: doc, Type: Float, Shape: []int{p.Hypotheses()}})
	b.Meta = append(b.Meta, Meta{"mapo.decision", name})
	return nil
}

// top returns the largest of each row of v, [B, 1].
func (b *builder) top(v ref) ref { return b.set("ReduceMax", over(1, true), v) }

// scores returns ⟨z, v⟩ for v, [B, |X|].
func (b *builder) scores(p *game.Problem, v ref) ref {
	const name = "decision.z"
	if !b.has(name) {
		b.constant(name, transposed(p, func(z float32) float32 { return z }), p.Queries(), p.Hypotheses())
	}
	return b.op("MatMul", v, name)
}

// transposed returns f of 𝒵's entries, [|X|, |Z|].
func transposed(p *game.Problem, f func(z float32) float32) []float32 {
	d, hyps := p.Queries(), p.Hypotheses()
	out := make([]float32, d*hyps)
	for at, z := range p.Z {
		out[at%d*hyps+at/d] = f(z)
	}
	return out
}

// nearest returns the scores of [game.LeastSquares], [B, |Z|].
func (b *builder) nearest(p *game.Problem, n, s ref) ref {
	score := b.scores(p, b.op("Div", s, b.op("Max", n, b.number32(1))))
	if posterior.Of(p) == nil {
		return score
	}
	half := b.constant("decision.half", transposed(p, func(z float32) float32 { return z * z / 2 }), p.Queries(), p.Hypotheses())
	asked := b.real(b.op("Greater", n, b.number32(0)))
	return b.op("Sub", score, b.op("MatMul", asked, half))
}

// weights returns the posterior of the hypotheses, [B, |Z|].
func (b *builder) weights(p *game.Problem, n, s ref) ref {
	rows := posterior.Of(p)
	if rows == nil {
		odds := b.number32(float32(math.Log((1 - decision.Beta) / decision.Beta)))
		return b.set("Softmax", axis(1), b.op("Mul", b.scores(p, s), odds))
	}
	replies, kinds := b.replies(p.AskOnce, n, s)
	return b.rows(rows.Table(), "decision.", replies, kinds)
}

// values returns the scores at the mean θ of a posterior, [B, |Z|]. It is 2·share − 1 of a row, and (1−2β)(2z − 1) of a hypothesis
// without shares.
func (b *builder) values(p *game.Problem, weights ref) ref {
	means := slices.Clone(p.Z)
	if posterior.Of(p) == nil {
		for at, z := range p.Z {
			means[at] = (2*z - 1) * (1 - 2*decision.Beta)
		}
	}
	score := b.scores(p, b.op("MatMul", weights, b.constant("decision.means", means, p.Hypotheses(), p.Queries())))
	offsets := p.Offsets()
	if !slices.ContainsFunc(offsets, func(v float32) bool { return v != 0 }) {
		return score
	}
	return b.op("Add", score, b.constant("decision.offset", offsets, p.Hypotheses()))
}

// replies returns how often each query was answered yes and no and, where halves are allowed, probably and probably not,
// [B, kinds·|X|].
func (b *builder) replies(halves bool, n, s ref) (all ref, kinds int) {
	half, zero := b.number32(.5), b.number32(0)
	yes, no := b.op("Mul", half, b.op("Add", n, s)), b.op("Mul", half, b.op("Sub", n, s))
	if !halves {
		return b.set("Concat", axis(1), yes, no), 2
	}
	is := b.op("Less", b.op("Abs", s), n) // one answer of ±½
	where := func(yes, no ref) ref { return b.op("Where", is, yes, no) }
	probably, not := where(b.op("Add", half, s), zero), where(b.op("Sub", half, s), zero)
	return b.set("Concat", axis(1), where(zero, yes), where(zero, no), probably, not), 4
}

// rows returns Bayes' posterior by t, ε summed out, [B, |Z|].
func (b *builder) rows(t *posterior.Table, name string, replies ref, kinds int) ref {
	score := b.joint(t, name, replies, kinds)
	if t.Lax == nil {
		return b.marginal(score, t)
	}
	empty := b.op("Less", b.top(score), b.number32(-math.MaxFloat32))
	return b.op("Where", empty, b.rows(t.Lax, name+"lax.", replies, kinds), b.marginal(score, t))
}

// joint returns the logarithm of the posterior of pairs (ε, row) by t up to what they share, [B, ε·rows]. Where a wrong answer rules
// a row out it is −∞.
func (b *builder) joint(t *posterior.Table, name string, replies ref, kinds int) ref {
	columns := len(t.Prior)
	depth := kinds * len(t.Yes) / columns
	prior := make([]float32, columns)
	for j, w := range t.Prior {
		prior[j] = float32(math.Log(w))
	}
	likely, wrong := likelihoods(t, kinds)
	score := b.op("MatMul", replies, b.constant(name+"likely", likely, depth, columns))
	score = b.op("Add", score, b.constant(name+"prior", prior, columns))
	if t.Lax == nil {
		return score
	}
	out := b.op("Greater", b.op("MatMul", replies, b.constant(name+"wrong", wrong, depth, columns)), b.number32(.5))
	return b.op("Where", out, b.number32(float32(math.Inf(-1))), score)
}

// marginal returns the posterior of the rows by the logarithm of the joint one, [B, ε·|Z|].
func (b *builder) marginal(score ref, t *posterior.Table) ref {
	joint := b.set("Softmax", axis(1), score)
	if t.Noise == 1 {
		return joint
	}
	return b.set("ReduceSum", drop, b.byNoise(joint, t), b.whole(1))
}

// byNoise makes [B, ε, rows] of v, [B, ε·rows].
func (b *builder) byNoise(v ref, t *posterior.Table) ref {
	return b.op("Reshape", v, b.whole(-1, t.Noise, len(t.Prior)/t.Noise))
}

// likelihoods returns the logarithms of those of each kind of reply, 0 for one that is impossible, and where that is so,
// [kinds·|X|, ε·|Z|].
func likelihoods(t *posterior.Table, kinds int) (likely, impossible []float32) {
	for kind := range kinds {
		for _, yes := range t.Yes {
			q := [4]float64{yes, 1 - yes, 0.25 + yes/2, 0.75 - yes/2}[kind]
			log, never := float32(math.Log(q)), float32(0)
			if q == 0 {
				log, never = 0, 1
			}
			likely, impossible = append(likely, log), append(impossible, never)
		}
	}
	return likely, impossible
}
