package onnx

import (
	"errors"
	"fmt"
	"math"
)

// operator is one of ONNX: how many inputs it has (−n: n or more) and what it does.
type operator struct {
	inputs int
	run    func(n Node, in []Tensor) (Tensor, error)
}

// operators are those that the graphs written here use.
var operators = map[string]operator{
	"Abs":            unary(func(v float32) float32 { return float32(math.Abs(float64(v))) }),
	"Log":            unary(func(v float32) float32 { return float32(math.Log(float64(v))) }),
	"Tanh":           unary(func(v float32) float32 { return float32(math.Tanh(float64(v))) }),
	"Exp":            unary(func(v float32) float32 { return float32(math.Exp(float64(v))) }),
	"Sqrt":           unary(func(v float32) float32 { return float32(math.Sqrt(float64(v))) }),
	"Reciprocal":     unary(func(v float32) float32 { return 1 / v }),
	"Add":            pairs(func(a, b float32) float32 { return a + b }),
	"Sub":            pairs(func(a, b float32) float32 { return a - b }),
	"Mul":            pairs(func(a, b float32) float32 { return a * b }),
	"Div":            pairs(func(a, b float32) float32 { return a / b }),
	"Max":            pairs(func(a, b float32) float32 { return max(a, b) }),
	"Min":            pairs(func(a, b float32) float32 { return min(a, b) }),
	"Less":           compare(func(a, b float32) bool { return a < b }),
	"Greater":        compare(func(a, b float32) bool { return a > b }),
	"GreaterOrEqual": compare(func(a, b float32) bool { return a >= b }),
	"Equal":          compare(func(a, b float32) bool { return a == b }),
	"ArgMax":         {1, argMax},
	"Where":          {3, where},
	"Cast":           {1, cast},
	"LeakyRelu":      {1, leakyRelu},
	"Softmax":        {1, softmax},
	"MatMul":         {2, matMul},
	"ReduceMax":      {1, func(n Node, in []Tensor) (Tensor, error) { return reduce(n, in[0], nil, largest) }},
	"ReduceMean":     {1, func(n Node, in []Tensor) (Tensor, error) { return reduce(n, in[0], nil, mean) }},
	"ReduceSum":      {2, func(n Node, in []Tensor) (Tensor, error) { return reduce(n, in[0], &in[1], sum) }},
	"Shape":          {1, shapeOf},
	"Expand":         {2, expand},
	"Reshape":        {2, reshape},
	"Unsqueeze":      {2, unsqueeze},
	"Squeeze":        {2, squeeze},
	"Concat":         {-1, concat},
	"Gather":         {2, gather},
	"Transpose":      {1, transpose},
}

func unary(f func(float32) float32) operator {
	return operator{1, func(_ Node, in []Tensor) (Tensor, error) {
		out := Tensor{Type: in[0].Type, Shape: in[0].Shape, Data: make([]float32, len(in[0].Data))}
		for i, v := range in[0].Data {
			out.Data[i] = f(v)
		}
		return out, nil
	}}
}

func pairs(f func(a, b float32) float32) operator {
	return operator{2, func(_ Node, in []Tensor) (Tensor, error) {
		shape, err := broadcast(in...)
		if err != nil {
			return Tensor{}, err
		}
		a, b := stretched(in[0], shape), stretched(in[1], shape)
		out := Tensor{Type: in[0].Type, Shape: shape, Data: make([]float32, len(a))}
		for i := range a {
			out.Data[i] = f(a[i], b[i])
		}
		return out, nil
	}}
}

func compare(f func(a, b float32) bool) operator {
	numbers := pairs(func(a, b float32) float32 {
		if f(a, b) {
			return 1
		}
		return 0
	})
	return operator{2, func(n Node, in []Tensor) (Tensor, error) {
		out, err := numbers.run(n, in)
		out.Type = Bool
		return out, err
	}}
}

func where(_ Node, in []Tensor) (Tensor, error) {
	shape, err := broadcast(in...)
	if err != nil {
		return Tensor{}, err
	}
	which, yes, no := stretched(in[0], shape), stretched(in[1], shape), stretched(in[2], shape)
	out := Tensor{Type: in[1].Type, Shape: shape, Data: make([]float32, len(which))}
	for i, w := range which {
		out.Data[i] = no[i]
		if w != 0 {
			out.Data[i] = yes[i]
		}
	}
	return out, nil
}

func cast(n Node, in []Tensor) (Tensor, error) {
	if in[0].Type != Bool || Type(n.whole("to", 0)) != Float {
		return Tensor{}, errors.New("only a Bool is cast here, to a Float")
	}
	return Tensor{Type: Float, Shape: in[0].Shape, Data: in[0].Data}, nil
}

func leakyRelu(n Node, in []Tensor) (Tensor, error) {
	alpha := float32(.01)
	for _, a := range n.Attributes {
		if a.Name == "alpha" {
			alpha = a.F
		}
	}
	return unary(func(v float32) float32 {
		if v < 0 {
			return alpha * v
		}
		return v
	}).run(n, in)
}

// softmax computes the softmax over the last axis, the only one it takes.
func softmax(n Node, in []Tensor) (Tensor, error) {
	t := in[0]
	axis, err := axisOf(n.whole("axis", -1), len(t.Shape))
	if err != nil || axis != len(t.Shape)-1 {
		return Tensor{}, fmt.Errorf("softmax over axis %d of %d, want the last", axis, len(t.Shape))
	}
	d := t.Shape[axis]
	out := Tensor{Type: Float, Shape: t.Shape, Data: make([]float32, len(t.Data))}
	for at := 0; at < len(t.Data); at += d {
		row, dst := t.Data[at:at+d], out.Data[at:at+d]
		top, total := largest(row), float32(0)
		for i, v := range row {
			dst[i] = float32(math.Exp(float64(v - top)))
			total += dst[i]
		}
		for i := range dst {
			dst[i] /= total
		}
	}
	return out, nil
}

// matMul takes a matrix on the right, which every row on the left is multiplied by.
func matMul(_ Node, in []Tensor) (Tensor, error) {
	a, b := in[0], in[1]
	if len(a.Shape) < 2 || len(b.Shape) != 2 || a.Shape[len(a.Shape)-1] != b.Shape[0] {
		return Tensor{}, fmt.Errorf("the product of %v and %v", a.Shape, b.Shape)
	}
	inner, cols := b.Shape[0], b.Shape[1]
	shape := append(append([]int(nil), a.Shape[:len(a.Shape)-1]...), cols)
	out := Tensor{Type: Float, Shape: shape, Data: make([]float32, size(shape))}
	for r := range len(a.Data) / inner {
		dst := out.Data[r*cols : (r+1)*cols]
		for k, v := range a.Data[r*inner : (r+1)*inner] {
			for j, w := range b.Data[k*cols : (k+1)*cols] {
				dst[j] += v * w
			}
		}
	}
	return out, nil
}

func largest(v []float32) float32 {
	top := float32(math.Inf(-1))
	for _, x := range v {
		top = max(top, x)
	}
	return top
}

func sum(v []float32) (total float32) {
	for _, x := range v {
		total += x
	}
	return total
}

func mean(v []float32) float32 { return sum(v) / float32(len(v)) }
