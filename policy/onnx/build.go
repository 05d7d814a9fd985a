package onnx

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mapo/game"
	"mapo/policy/nn"
)

// builder writes a graph operation by operation. Names say in which part of the computation a value is.
type builder struct {
	Graph
	part   string
	number int
	scalar map[float32]ref
}

// ref names a value in the graph.
type ref string

// The inputs and the first output of every graph.
const (
	InN     = "n"     // answers to each query so far
	InS     = "s"     // their sums
	InMask  = "mask"  // true where a query may not be asked
	InLeft  = "left"  // answers left in the game
	InLevel = "level" // log₂ of the difficulty to be ready for
	OutP    = "probs" // π(s)
)

// docLeft says what InLeft is.
const docLeft = "answers left in the game: the budget less the answers so far, and less what was skipped if that uses budget"

// Model returns net as a graph from states to probabilities, and to the policy's decision. Only the networks of
// this program are known.
func Model(net nn.Net, c *nn.Contract) (*Graph, error) {
	p := c.Problem
	d := p.Queries()
	if err := formless(p, net); err != nil {
		return nil, err
	}
	b := &builder{Graph: Graph{Name: c.Name, Doc: fmt.Sprintf("a policy (%s) for %s: which of %d queries to ask next", c.Arch, p.Name, d)},
		scalar: map[float32]ref{}}
	b.Meta = []Meta{{"mapo.arch", net.Arch()}, {"mapo.hash", c.Hash}, {"mapo.version", c.Version}}
	n := b.input(InN, "answers to each query so far", Float, d)
	s := b.input(InS, "the sum of those answers, each "+p.Answer().Counts(), Float, d)
	var logits ref
	switch net := net.(type) {
	case *nn.MLP:
		logits = b.mlp(nn.Weights(net), n, s, d)
	case *nn.Structured:
		var err error
		if logits, err = b.structured(p, net, n, s); err != nil {
			return nil, err
		}
	case *nn.Gated:
		logits = b.gated(p, net, n, s)
	default:
		return nil, fmt.Errorf("the network %q has no form in ONNX yet", net.Arch())
	}
	b.probabilities(logits, d)
	if err := b.decide(c, n, s); err != nil {
		return nil, err
	}
	return &b.Graph, nil
}

// formless reports why net has no form in ONNX on p.
func formless(p *game.Problem, net nn.Net) error {
	_, reads := net.(*nn.Structured)
	switch p.Goal().(type) {
	case *game.Labels:
		return errors.New("policies over a pool of items have no form in ONNX yet; mapo serve asks them over HTTP")
	case *game.Vectors:
		if reads {
			return errors.New("a policy for queries that are vectors has no form in ONNX yet: use the policy file itself")
		}
	}
	return nil
}

// probabilities adds the softmax of logits over what the mask leaves, as the output.
func (b *builder) probabilities(logits ref, d int) {
	b.part = "policy"
	mask := b.input(InMask, "true where a query may not be asked; in an ask-once game, everywhere it has been asked", Bool, d)
	left := b.op("Where", mask, b.number32(float32(math.Inf(-1))), logits)
	p := b.set("Softmax", axis(1), left)
	b.Nodes = append(b.Nodes, Node{Op: "Where", Name: "policy/probs", In: []string{string(mask), string(b.number32(0)), string(p)}, Out: OutP})
	b.Outputs = []Port{{Name: OutP, Doc: "the probability with which each query is asked next", Type: Float, Shape: []int{d}}}
}

// mlp returns App. B's logits: features n, 1/n (0 where n is 0) and s of each query in turn, then layers.
func (b *builder) mlp(weights []nn.Weight, n, s ref, d int) ref {
	b.part = "features"
	zero := b.number32(0)
	inverse := b.op("Where", b.op("Greater", n, zero), b.op("Reciprocal", n), zero)
	x := b.columns(n, inverse, s)
	x = b.op("Reshape", x, b.whole(-1, 3*d))
	for i := 0; i+1 < len(weights); i += 2 {
		b.part = "layer" + strconv.Itoa(i/2)
		if i > 0 {
			x = b.leaky(x)
		}
		x = b.linear(x, weights[i], weights[i+1])
	}
	return x
}

// linear returns x·W + b.
func (b *builder) linear(x ref, w, bias nn.Weight) ref {
	return b.op("Add", b.op("MatMul", x, b.constant(w.Name, w.Data, w.Shape...)), b.constant(bias.Name, bias.Data, bias.Shape...))
}

// columns puts values [B, |X|] beside each other: [B, |X|, len(list)].
func (b *builder) columns(list ...ref) ref {
	for i, v := range list {
		list[i] = b.op("Unsqueeze", v, b.whole(2))
	}
	return b.set("Concat", axis(2), list...)
}

// left declares how many answers are left, once.
func (b *builder) left() ref {
	if !slices.ContainsFunc(b.Inputs, func(in Port) bool { return in.Name == InLeft }) {
		b.input(InLeft, docLeft, Float)
	}
	return InLeft
}

// input declares an input [B, shape…].
func (b *builder) input(name, doc string, t Type, shape ...int) ref {
	b.Inputs = append(b.Inputs, Port{name, doc, t, shape})
	return ref(name)
}

// op adds an operation without settings.
func (b *builder) op(kind string, in ...ref) ref { return b.set(kind, nil, in...) }

// set adds an operation with settings.
func (b *builder) set(kind string, attributes []Attribute, in ...ref) ref {
	name := b.name(kind)
	node := Node{Op: kind, Name: name, Out: name, Attributes: attributes}
	for _, v := range in {
		node.In = append(node.In, string(v))
	}
	b.Nodes = append(b.Nodes, node)
	return ref(name)
}

// name returns a name that is not in use yet.
func (b *builder) name(kind string) string {
	b.number++
	return fmt.Sprintf("%s/%s_%d", b.part, kind, b.number)
}

// constant adds a named array of numbers.
func (b *builder) constant(name string, data []float32, shape ...int) ref {
	b.Constants = append(b.Constants, Tensor{Name: name, Type: Float, Shape: shape, Data: data})
	return ref(name)
}

// has reports whether there is an array of that name.
func (b *builder) has(name string) bool {
	return slices.ContainsFunc(b.Constants, func(t Tensor) bool { return t.Name == name })
}

// number32 returns a constant of a single number, added once.
func (b *builder) number32(v float32) ref {
	if r, ok := b.scalar[v]; ok {
		return r
	}
	r := b.constant(strconv.FormatFloat(float64(v), 'g', -1, 32), []float32{v})
	b.scalar[v] = r
	return r
}

// whole adds a list of whole numbers: sizes, axes or indices.
func (b *builder) whole(list ...int) ref {
	t := Tensor{Name: b.name("list"), Type: Int64, Shape: []int{len(list)}}
	for _, v := range list {
		t.Data = append(t.Data, float32(v))
	}
	b.Constants = append(b.Constants, t)
	return ref(t.Name)
}

// axis returns the setting of that name.
func axis(i int) []Attribute { return []Attribute{{Name: "axis", Kind: attrInt, Ints: []int{i}}} }

// over returns the settings of a reduction over an axis, which is left at size 1 or dropped.
func over(i int, keep bool) []Attribute {
	k := Attribute{Name: "keepdims", Kind: attrInt, Ints: []int{0}}
	if keep {
		k.Ints[0] = 1
	}
	return []Attribute{{Name: "axes", Kind: attrInts, Ints: []int{i}}, k}
}

// tie is how close to the best a score counts as one with it, as float32 arithmetic has it.
const tie = float32(game.Tie)
