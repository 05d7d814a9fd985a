package onnx

import (
	"math"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/policy/posterior"
)

// gauging is what a gated policy's features are computed from.
type gauging struct {
	nn.GatedFeatures
	d    int
	mask ref // [B, |X|]
	rows ref // the numbers of rows, [N]
}

// newGauging returns what the features f of a network are computed from.
func (b *builder) newGauging(p *game.Problem, f nn.GatedFeatures) *gauging {
	g := &gauging{GatedFeatures: f, d: p.Queries(), mask: InMask} // which is declared with the policy
	var rows []int
	for j := range g.N {
		rows = append(rows, j)
	}
	g.rows = b.whole(rows...)
	return g
}

// pairs returns the posterior of pairs (row, c), up to a constant of the state.
func (b *builder) pairs(p *game.Problem, g *gauging, n, s ref) ref {
	b.part = "posterior"
	replies, kinds := b.replies(p.AskOnce, n, s)
	return b.joint(g.Table, "gated.", replies, kinds)
}

// passed returns t/T, [B, 1].
func (b *builder) passed(p *game.Problem) ref {
	return b.op("Sub", b.number32(1), b.op("Div", b.op("Unsqueeze", b.left(), b.whole(1)), b.number32(float32(p.T))))
}

// gated returns nn.Gated's logits, [B, |X|].
func (b *builder) gated(p *game.Problem, net *nn.Gated, n, s ref) ref {
	g := b.newGauging(p, net.Features())
	joint := b.pairs(p, g, n, s)
	fit := b.fit(g, joint)
	features := b.gauged(g, joint, b.standing(g, n, s))
	b.part = "gates"
	w := nn.Weights(net)
	return b.gates(b.linear(b.set("Concat", axis(1), b.passed(p), fit), w[0], w[1]), features)
}

// gauged returns the features of nn.Gated.
func (b *builder) gauged(g *gauging, joint ref, at standings) []ref {
	gain := b.relative(g, b.information(g, joint), float32(g.LeastGain))
	unlike := b.relative(g, b.unlike(g, at), 0)
	b.part = "features"
	return []ref{gain, unlike, b.curve(gain)}
}

// curve returns ¼·log(x + 0.01).
func (b *builder) curve(x ref) ref {
	return b.op("Mul", b.op("Log", b.op("Add", x, b.number32(.01))), b.number32(.25))
}

// gates returns Σ_f gate_f·f, [B, |X|], of gates [B, features].
func (b *builder) gates(gates ref, features []ref) (logits ref) {
	for f, x := range features {
		part := b.op("Mul", b.set("Gather", axis(1), gates, b.whole(f)), x)
		if f == 0 {
			logits = part
		} else {
			logits = b.op("Add", logits, part)
		}
	}
	return logits
}

// fit returns c̄ less what it is compared with, [B, 1].
func (b *builder) fit(g *gauging, joint ref) ref {
	each := b.set("ReduceSum", drop, b.byNoise(b.set("Softmax", axis(1), joint), g.Table), b.whole(2))
	values := make([]float32, len(g.Fits))
	for i, c := range g.Fits {
		values[i] = float32(c - g.MiddleFit)
	}
	return b.op("MatMul", each, b.constant("gated.fits", values, len(values), 1))
}

// relative divides v by its largest entry that may be asked; it is 0 for all where that is not above least.
func (b *builder) relative(g *gauging, v ref, least float32) ref {
	zero := b.number32(0)
	v = b.op("Where", g.mask, zero, v)
	top := b.top(v)
	return b.op("Where", b.op("Greater", top, b.number32(least)), b.op("Div", v, top), zero)
}

// information returns the gain about the row by the posterior of rows of clean answers, [B, |X|]. With b the likeliest row, q its probability of a yes
// and q + δ that of all, it is Σ_j w_j·KL(q_j ‖ q) − KL(q + δ ‖ q). The sum is over the other rows, and neither part is
// larger than a multiple of their weight, so float32 is enough where b is almost certain.
func (b *builder) information(g *gauging, joint ref) ref {
	b.part = "gain"
	at := b.set("Gather", axis(1), b.byNoise(joint, g.Table), b.whole(0))
	weight := b.set("Softmax", axis(1), b.op("Squeeze", at, b.whole(1)))
	zero, one := b.number32(0), b.number32(1)
	yes, doubt, logit := b.answers(g)
	best := b.set("ArgMax", axisDrop(1), weight)
	other := b.op("Where", b.op("Equal", g.rows, b.op("Unsqueeze", best, b.whole(1))), zero, weight)
	others := b.set("ReduceSum", keep, other, b.whole(1))
	of := func(table ref) ref { return b.set("Gather", axis(0), table, best) } // [B, |X|]
	q := of(yes)
	shift := b.op("Sub", b.op("MatMul", other, yes), b.op("Mul", others, q)) // δ
	first := b.op("Sub", b.op("Mul", others, of(doubt)), b.op("MatMul", other, doubt))
	first = b.op("Sub", first, b.op("Mul", shift, of(logit)))
	p, no := b.op("Add", q, shift), b.op("Sub", one, q)
	up := b.op("Mul", p, b.log1p(b.op("Div", shift, q)))
	down := b.op("Mul", b.op("Sub", one, p), b.log1p(b.op("Div", b.op("Sub", zero, shift), no)))
	gain := b.op("Sub", first, b.op("Add", up, down))
	return b.op("Where", b.op("Less", gain, b.op("Mul", others, b.number32(posterior.GainRounding))), zero, gain)
}

// answers returns the probability of a yes, the entropy of an answer and log(yes/no) in every row of clean answers, [N, |X|].
func (b *builder) answers(g *gauging) (yes, doubt, logit ref) {
	q, h, l := make([]float32, g.N*g.d), make([]float32, g.N*g.d), make([]float32, g.N*g.d)
	for j := range g.N {
		for i := range g.d {
			v := g.Table.Yes[i*g.Table.Noise*g.N+j]
			q[j*g.d+i], h[j*g.d+i], l[j*g.d+i] = float32(v), float32(posterior.Entropy(v)), float32(math.Log(v/(1-v)))
		}
	}
	return b.constant("gated.yes0", q, g.N, g.d), b.constant("gated.doubt0", h, g.N, g.d), b.constant("gated.logit0", l, g.N, g.d)
}

// log1p returns log(1 + v), as precise where v is small (Kahan).
func (b *builder) log1p(v ref) ref {
	one := b.number32(1)
	u := b.op("Add", one, v)
	return b.op("Where", b.op("Equal", u, one), v, b.op("Div", b.op("Mul", v, b.op("Log", u)), b.op("Sub", u, one)))
}

// standings are the rows by squared distance to the answers.
type standings struct {
	rows  ref // 2·share − 1, [N, |X|]
	score ref // [B, N]
	lead  ref // 1 for those that tie for the best, else 0, [B, N]
}

func (b *builder) standing(g *gauging, n, s ref) (at standings) {
	b.part = "unlike"
	m, half := make([]float32, g.N*g.d), make([]float32, g.N*g.d)
	turned := make([]float32, g.N*g.d)
	for at, v := range g.M {
		t := at%g.d*g.N + at/g.d
		m[at], turned[t], half[t] = float32(v), float32(v), float32(v*v/2)
	}
	at.rows = b.constant("gated.m", m, g.N, g.d)
	score := b.op("MatMul", b.op("Div", s, b.op("Max", n, b.number32(1))), b.constant("gated.turned", turned, g.d, g.N))
	asked := b.real(b.op("Greater", n, b.number32(0)))
	at.score = b.op("Sub", score, b.op("MatMul", asked, b.constant("gated.half", half, g.d, g.N)))
	at.lead = b.real(b.op("GreaterOrEqual", at.score, b.op("Sub", b.top(at.score), b.number32(tie))))
	return at
}

// unlike returns the mean of |m_ji − m_bi| over the rows j other than the nearest b, with weights ∝ exp(score_j), [B, |X|].
func (b *builder) unlike(g *gauging, at standings) ref {
	b.part = "unlike"
	best := b.set("ArgMax", axisDrop(1), at.lead)
	score := at.score
	if g.N > 1 {
		is := b.op("Equal", g.rows, b.op("Unsqueeze", best, b.whole(1)))
		score = b.op("Where", is, b.number32(float32(math.Inf(-1))), score)
	}
	from := b.op("Unsqueeze", b.set("Gather", axis(0), at.rows, best), b.whole(1))
	weight := b.op("Unsqueeze", b.set("Softmax", axis(1), score), b.whole(2))
	return b.set("ReduceSum", drop, b.op("Mul", b.op("Abs", b.op("Sub", at.rows, from)), weight), b.whole(1))
}

// axisDrop returns the settings of a reduction of one axis that is dropped, where the axis is a number.
func axisDrop(i int) []Attribute {
	return append(axis(i), Attribute{Name: "keepdims", Kind: attrInt, Ints: []int{0}})
}
