package onnx

import (
	"fmt"
	"math"

	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/nn"
)

// reading is what the structured policy's features are computed from, each value with its shape. Where nn takes
// the hypotheses with the largest score and the best of those that contradict it at a query, the graph takes the best
// with a 1 and the best with a 0 there. These are the same two numbers without an argmax, so ties need no rule.
type reading struct {
	nn.Features
	p          *game.Problem
	n, s       ref // [B, |X|]
	z          ref // 𝒵 as true and false, [|Z|, |X|]
	scores     ref // 𝒵 transposed, [|X|, |Z|]
	varies     ref // whether hypotheses differ at a query, [|X|]
	mean       ref // s/n, 0 where n is 0, [B, |X|]
	odds       ref // [1, β, 1]
	weight     ref // p_β(z), [B, β, |Z|]
	marginal   ref // Σ_z p_β(z)(2z_i−1), [B, β, |X|]
	score, raw ranking
}

// ranking is what a scoring of the hypotheses says of the queries.
type ranking struct {
	score ref // [B, |Z|]
	top   ref // the largest, [B, 1]
	gap   ref // the best with z_i = 1 less the best with z_i = 0, 0 where all are alike, [B, |X|]
	rest  ref // the smaller of the two, −∞ where all are alike, [B, |X|]
}

// features is how many there are of a query here, and knownFeatures how many more where instances are known; another
// number is another version of the network.
const (
	features      = 24
	knownFeatures = 5
)

// structured returns nn.Structured's logits.
func (b *builder) structured(p *game.Problem, net *nn.Structured, n, s ref) (ref, error) {
	r, err := b.reading(p, net.Features(), n, s)
	if err != nil {
		return "", fmt.Errorf("the network %q %w", net.Arch(), err)
	}
	b.left() // the input before the level
	level := b.input(InLevel, "log2 of the difficulty to be ready for; 0 where unknown, which is what training plays with", Float)
	return b.layers(b.features(r, b.op("Unsqueeze", level, b.whole(1))), nn.Weights(net)), nil
}

// reading computes what features are made of.
func (b *builder) reading(p *game.Problem, f nn.Features, n, s ref) (*reading, error) {
	r := &reading{Features: f, p: p, n: n, s: s}
	want := features
	if r.Known != nil {
		want += knownFeatures
	}
	if r.Count != want {
		return nil, fmt.Errorf("reads %d features of a query, the exporter knows %d", r.Count, want)
	}
	b.tables(r)
	b.part = "score"
	r.mean = b.op("Div", s, b.op("Max", n, b.number32(1)))
	r.score = b.rank(r, r.mean)
	b.part = "raw"
	r.raw = b.rank(r, s)
	b.posteriors(r)
	return r, nil
}

// tables adds the constants of the problem.
func (b *builder) tables(r *reading) {
	d, hyps, bits := r.p.Queries(), r.p.Hypotheses(), nn.Splits(r.p)
	z := Tensor{Name: "z", Type: Bool, Shape: []int{hyps, d}, Data: bits}
	varies := Tensor{Name: "varies", Type: Bool, Shape: []int{d}, Data: make([]float32, d)}
	transposed := make([]float32, d*hyps)
	for k := range hyps {
		for i, v := range bits[k*d : (k+1)*d] {
			transposed[i*hyps+k] = v
			if v != bits[i] {
				varies.Data[i] = 1
			}
		}
	}
	b.Constants = append(b.Constants, z, varies)
	r.z, r.varies = ref(z.Name), ref(varies.Name)
	r.scores = b.constant("z.transposed", transposed, d, hyps)
	r.odds = b.constant("odds", r.Odds, 1, len(r.Odds), 1)
}

// rank scores the hypotheses by v, [B, |X|].
func (b *builder) rank(r *reading, v ref) (k ranking) {
	none := b.number32(float32(math.Inf(-1)))
	k.score = b.op("MatMul", v, r.scores)
	k.top = b.set("ReduceMax", over(1, true), k.score)
	each := b.op("Unsqueeze", k.score, b.whole(2))
	yes := b.set("ReduceMax", over(1, false), b.op("Where", r.z, each, none))
	no := b.set("ReduceMax", over(1, false), b.op("Where", r.z, none, each))
	k.gap = b.op("Where", r.varies, b.op("Sub", yes, no), b.number32(0))
	k.rest = b.op("Min", yes, no)
	return k
}

// posteriors computes p_β(z) ∝ exp(odds·⟨z, S⟩) and their marginals.
func (b *builder) posteriors(r *reading) {
	b.part = "posterior"
	exponent := b.op("Mul", b.op("Unsqueeze", r.raw.score, b.whole(1)), r.odds)
	r.weight = b.set("Softmax", axis(2), exponent)
	signs := b.constant("z.signs", r.Signs, r.p.Hypotheses(), r.p.Queries())
	r.marginal = b.op("MatMul", r.weight, signs)
}

// features returns the network's features, [B, |X|, features], in nn's order. level is the logarithm of the level,
// [B, 1].
func (b *builder) features(r *reading, level ref) ref {
	b.part = "features"
	one, d := b.number32(1), r.p.Queries()
	shape := b.op("Shape", r.n)
	row := func(v ref) ref { return b.op("Expand", v, shape) } // of [B, 1] or [|X|]
	at := func(v ref, j int) ref { return b.set("Gather", axis(1), v, b.whole(j)) }
	side := b.op("Squeeze", at(r.marginal, r.Middle), b.whole(1))
	split := b.set("Transpose", []Attribute{{Name: "perm", Kind: attrInts, Ints: []int{0, 2, 1}}}, b.op("Sub", one, b.op("Abs", r.marginal)))
	asked := b.set("ReduceSum", keep, r.n, b.whole(1))
	second := b.set("ReduceMax", over(1, true), r.score.rest)
	entropy := b.entropy(r)
	left := b.left()
	column := func(v ref) ref { return b.op("Unsqueeze", v, b.whole(1)) }
	quarter, half := b.number32(.25), b.number32(.5)
	near := func(v ref, name string, k []float32) ref {
		return b.op("Mul", b.op("MatMul", v, b.constant(name, k, d, d)), quarter)
	}
	toward := b.toward(r, side)
	local := b.columns(b.op("Mul", r.n, quarter), toward(r.mean), b.op("Div", one, b.op("Add", r.n, one)))
	rest := b.columns(toward(side), b.gain(r, side), b.uncertain(r, second), b.agree(r),
		toward(b.soft(r.score.gap)), b.op("Div", one, b.op("Add", one, b.op("Abs", r.score.gap))), toward(b.soft(b.op("Mul", r.raw.gap, half))),
		near(r.n, "near", r.Near), toward(near(r.s, "signed", r.Signed)), toward(row(b.constant("balance", r.Balance, d))),
		row(b.op("Div", column(left), b.number32(float32(r.p.T)))), row(b.op("Div", asked, b.number32(16))),
		row(at(entropy, r.Lower)), row(at(entropy, r.Upper)), row(b.soft(b.op("Sub", r.score.top, second))),
		row(b.op("Div", level, b.number32(8))))
	all := []ref{local, split, rest}
	if r.Known != nil {
		all = append(all, b.known(r, row, asked))
	}
	return b.set("Concat", axis(2), all...)
}

// known returns the features of the instances that the problem knows: Bayes' rule in logarithms.
func (b *builder) known(r *reading, row func(ref) ref, asked ref) ref {
	k, d := r.Known, r.p.Queries()
	b.part = "known"
	one := b.number32(1)
	score := b.op("Add", b.op("MatMul", r.n, b.constant("known.even", k.Even, d, k.N)),
		b.op("MatMul", r.s, b.constant("known.tilt", k.Tilt, d, k.N)))
	p := b.set("Softmax", axis(1), score)
	mean := b.op("MatMul", p, b.constant("known.mean", k.Mean, k.N, d))
	second := b.op("MatMul", p, b.constant("known.square", k.Square, k.N, d))
	variance := b.op("Max", b.op("Sub", second, b.op("Mul", mean, mean)), b.number32(0))
	spread := b.op("Sqrt", b.op("Add", variance, b.number32(k.Variance)))
	sharp := b.op("Div", b.op("Log", b.set("ReduceMax", over(1, true), p)), b.number32(-k.LogN))
	fit := b.op("Exp", b.op("Div", b.set("ReduceMax", over(1, true), score), b.op("Max", asked, one)))
	return b.columns(mean, b.op("Sub", one, b.op("Abs", mean)), spread, row(sharp), row(fit))
}

// soft returns v/(1+|v|).
func (b *builder) soft(v ref) ref {
	return b.op("Div", v, b.op("Add", b.number32(1), b.op("Abs", v)))
}

// toward multiplies by which answer each query leans to, by its marginal; where instances are known, by 1.
func (b *builder) toward(r *reading, side ref) func(ref) ref {
	if r.Known != nil {
		return func(v ref) ref { return v }
	}
	lean := b.op("Max", b.number32(-1), b.op("Min", b.number32(1), b.op("Mul", b.number32(r.Decided), side)))
	return func(v ref) ref { return b.op("Mul", lean, v) }
}

// gain returns the information of an answer, a series in the square of the marginal.
func (b *builder) gain(r *reading, side ref) ref {
	q := b.op("Mul", side, side)
	v := b.number32(r.Gain[2])
	for _, c := range []float32{r.Gain[1], r.Gain[0], 1} {
		v = b.op("Add", b.number32(c), b.op("Mul", q, v))
	}
	return v
}

// uncertain returns 1 where hypotheses of either kind score within a tie of the best, or of the second best where
// that is further away, and 0 elsewhere.
func (b *builder) uncertain(r *reading, second ref) ref {
	near := b.op("Sub", r.score.top, b.number32(tie))
	from := b.op("Where", b.op("Less", second, near), b.op("Sub", second, b.number32(tie)), near)
	return b.real(b.op("GreaterOrEqual", r.score.rest, from))
}

// agree returns the mean of the answers times the sign of the gap, 0 in a tie.
func (b *builder) agree(r *reading) ref {
	up := b.real(b.op("Greater", r.score.gap, b.number32(tie)))
	down := b.real(b.op("Less", r.score.gap, b.number32(-tie)))
	return b.op("Mul", r.mean, b.op("Sub", up, down))
}

// entropy of each p_β as a share of log|𝒵|, [B, β]: −log of its largest probability plus odds times the mean of
// what z's exponent is below the largest, which follows from the marginals.
func (b *builder) entropy(r *reading) ref {
	half, last := b.number32(.5), b.whole(2)
	answered := b.op("Mul", b.op("Mul", b.op("Add", b.number32(1), r.marginal), half), b.op("Unsqueeze", r.s, b.whole(1)))
	below := b.op("Sub", r.raw.top, b.set("ReduceSum", drop, answered, last))
	share := b.set("ReduceMax", over(2, false), r.weight)
	odds := b.constant("odds.row", r.Odds, 1, len(r.Odds))
	sum := b.op("Sub", b.op("Mul", odds, below), b.op("Log", share))
	return b.op("Div", sum, b.number32(float32(math.Log(float64(r.p.Hypotheses())))))
}

// layers returns the logits, [B, |X|], of features [B, |X|, features].
func (b *builder) layers(x ref, w []nn.Weight) ref {
	b.part = "layer1"
	h := b.leaky(b.linear(x, w[0], w[1]))
	b.part = "layer2"
	units := w[3].Shape[0]
	own := nn.Weight{Name: w[2].Name + ".own", Shape: []int{units, units}, Data: w[2].Data[:units*units]}
	shared := nn.Weight{Name: w[2].Name + ".shared", Shape: own.Shape, Data: w[2].Data[units*units:]}
	context := b.linear(b.set("ReduceMean", over(1, true), h), shared, w[3])
	g := b.leaky(b.op("Add", b.op("MatMul", h, b.constant(own.Name, own.Data, own.Shape...)), context))
	b.part = "layer3"
	return b.op("Squeeze", b.linear(g, w[4], w[5]), b.whole(2))
}

func (b *builder) leaky(v ref) ref {
	return b.set("LeakyRelu", []Attribute{{Name: "alpha", Kind: attrFloat, F: num.Slope}}, v)
}

// real makes 0 and 1 of false and true.
func (b *builder) real(v ref) ref {
	return b.set("Cast", []Attribute{{Name: "to", Kind: attrInt, Ints: []int{int(Float)}}}, v)
}

// ReduceSum alone takes its axes as an input in this opset.
var (
	keep = []Attribute{{Name: "keepdims", Kind: attrInt, Ints: []int{1}}}
	drop = []Attribute{{Name: "keepdims", Kind: attrInt, Ints: []int{0}}}
)
