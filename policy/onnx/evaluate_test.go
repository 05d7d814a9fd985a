package onnx

import (
	"fmt"
	"math"
	"slices"
)

// Run evaluates g on inputs by name, whose first dimensions agree, and returns the outputs by name: the operators' definitions as
// plain loops. What no graph here has is a panic.
//
// Values that no later node reads are dropped, as the largest have B·|Z|·|X| numbers.
func (g *Graph) Run(inputs map[string]Tensor) map[string]Tensor {
	values := map[string]Tensor{}
	for _, t := range g.Constants {
		values[t.Name] = t
	}
	for _, p := range g.Inputs {
		if t := inputs[p.Name]; t.Type != p.Type || !slices.Equal(t.Shape[1:], p.Shape) || len(t.Data) != size(t.Shape) {
			panic(fmt.Sprintf("input %s has the shape %v", p.Name, t.Shape))
		}
		values[p.Name] = inputs[p.Name]
	}
	last := map[string]int{}
	for i, n := range g.Nodes {
		for _, name := range n.In {
			last[name] = i
		}
	}
	outputs := map[string]Tensor{}
	for _, p := range g.Outputs {
		delete(last, p.Name)
	}
	for i, n := range g.Nodes {
		in := make([]Tensor, len(n.In))
		for k, name := range n.In {
			t, ok := values[name]
			if !ok {
				panic(fmt.Sprintf("node %s reads %s, which is not there", n.Name, name))
			}
			in[k] = t
		}
		values[n.Out] = operators[n.Op](n, in)
		for _, name := range n.In {
			if at, ok := last[name]; ok && at == i {
				delete(values, name)
			}
		}
	}
	for _, p := range g.Outputs {
		outputs[p.Name] = values[p.Name]
	}
	return outputs
}

// operator computes a node's value from those it reads.
type operator func(n Node, in []Tensor) Tensor

// operators are those that the graphs written here use.
var operators = map[string]operator{
	"Abs":            unary(math.Abs),
	"Log":            unary(math.Log),
	"Tanh":           unary(math.Tanh),
	"Exp":            unary(math.Exp),
	"Sqrt":           unary(math.Sqrt),
	"Reciprocal":     unary(func(v float64) float64 { return 1 / v }),
	"Add":            pairs(func(a, b float32) float32 { return a + b }),
	"Sub":            pairs(func(a, b float32) float32 { return a - b }),
	"Mul":            pairs(func(a, b float32) float32 { return a * b }),
	"Div":            pairs(func(a, b float32) float32 { return a / b }),
	"Max":            pairs(func(a, b float32) float32 { return max(a, b) }),
	"Min":            pairs(func(a, b float32) float32 { return min(a, b) }),
	"Less":           compared(func(a, b float32) bool { return a < b }),
	"Greater":        compared(func(a, b float32) bool { return a > b }),
	"GreaterOrEqual": compared(func(a, b float32) bool { return a >= b }),
	"Equal":          compared(func(a, b float32) bool { return a == b }),
	"ArgMax": reduce("axis", func(v []float32) float32 {
		return float32(slices.Index(v, slices.Max(v)))
	}),
	"ReduceMax":  reduce("axes", slices.Max),
	"ReduceMean": reduce("axes", func(v []float32) float32 { return sum(v) / float32(len(v)) }),
	"ReduceSum":  reduce("", sum),
	"Where":      where,
	"Cast":       func(_ Node, in []Tensor) Tensor { return Tensor{Type: Float, Shape: in[0].Shape, Data: in[0].Data} },
	"LeakyRelu": func(n Node, in []Tensor) Tensor {
		alpha := n.Attributes[0].F
		return each(in[0], func(v float32) float32 {
			if v < 0 {
				return alpha * v
			}
			return v
		})
	},
	"Softmax": softmax,
	"MatMul":  matMul,
	"Shape": func(_ Node, in []Tensor) Tensor {
		out := Tensor{Type: Int64, Shape: []int{len(in[0].Shape)}}
		for _, s := range in[0].Shape {
			out.Data = append(out.Data, float32(s))
		}
		return out
	},
	"Expand": func(_ Node, in []Tensor) Tensor {
		shape := broadcast(in[0], Tensor{Shape: wholes(in[1])})
		return Tensor{Type: in[0].Type, Shape: shape, Data: stretched(in[0], shape)}
	},
	"Reshape": func(_ Node, in []Tensor) Tensor { // a −1 stands for what is left
		shape := wholes(in[1])
		if at := slices.Index(shape, -1); at >= 0 {
			shape[at] = len(in[0].Data) / -size(shape)
		}
		return Tensor{Type: in[0].Type, Shape: shape, Data: in[0].Data}
	},
	"Unsqueeze": func(_ Node, in []Tensor) Tensor {
		return Tensor{Type: in[0].Type, Shape: slices.Insert(slices.Clone(in[0].Shape), wholes(in[1])[0], 1), Data: in[0].Data}
	},
	"Squeeze": func(_ Node, in []Tensor) Tensor {
		at := wholes(in[1])[0]
		return Tensor{Type: in[0].Type, Shape: slices.Delete(slices.Clone(in[0].Shape), at, at+1), Data: in[0].Data}
	},
	"Concat":    concat,
	"Gather":    gather,
	"Transpose": transpose,
}

// whole returns the whole number that a setting gives, or what it is where it is not set.
func (n Node) whole(name string, otherwise int) int {
	for _, a := range n.Attributes {
		if a.Name == name {
			return a.Ints[0]
		}
	}
	return otherwise
}

// wholes returns the numbers of a list as integers.
func wholes(t Tensor) (list []int) {
	for _, v := range t.Data {
		list = append(list, int(v))
	}
	return list
}

// size returns the number of entries of a shape.
func size(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// around returns the products of a shape's sizes before an axis and after it.
func around(shape []int, axis int) (outer, inner int) {
	return size(shape[:axis]), size(shape[axis+1:])
}

// broadcast returns the shape that all shapes stretch to: aligned at the end, a 1 stretches to anything.
func broadcast(list ...Tensor) (out []int) {
	for _, t := range list {
		for len(out) < len(t.Shape) {
			out = slices.Insert(out, 0, 1)
		}
		for i, s := range t.Shape {
			at := len(out) - len(t.Shape) + i
			if s != 1 && out[at] != 1 && s != out[at] {
				panic(fmt.Sprintf("shapes %v and %v do not go together", out, t.Shape))
			}
			out[at] *= s / min(s, out[at])
		}
	}
	return out
}

// stretched returns t's data laid out in a shape it stretches to.
func stretched(t Tensor, shape []int) []float32 {
	data := t.Data
	padded := append(slices.Repeat([]int{1}, len(shape)-len(t.Shape)), t.Shape...)
	inner := 1 // entries that follow each other at the end of what is laid out so far
	for i := len(shape) - 1; i >= 0; i-- {
		if padded[i] == 1 && shape[i] != 1 {
			out := make([]float32, 0, len(data)*shape[i])
			for from := 0; from < len(data); from += inner {
				out = append(out, slices.Repeat(data[from:from+inner], shape[i])...)
			}
			data = out
		}
		inner *= shape[i]
	}
	return data
}

// each returns f of every entry.
func each(t Tensor, f func(float32) float32) Tensor {
	out := Tensor{Type: t.Type, Shape: t.Shape, Data: make([]float32, len(t.Data))}
	for i, v := range t.Data {
		out.Data[i] = f(v)
	}
	return out
}

func unary(f func(float64) float64) operator {
	return func(_ Node, in []Tensor) Tensor {
		return each(in[0], func(v float32) float32 { return float32(f(float64(v))) })
	}
}

func pairs(f func(a, b float32) float32) operator {
	return func(_ Node, in []Tensor) Tensor {
		shape := broadcast(in...)
		b, i := stretched(in[1], shape), -1
		return each(Tensor{Type: in[0].Type, Shape: shape, Data: stretched(in[0], shape)}, func(a float32) float32 {
			i++
			return f(a, b[i])
		})
	}
}

func compared(f func(a, b float32) bool) operator {
	numbers := pairs(func(a, b float32) float32 { return map[bool]float32{true: 1}[f(a, b)] })
	return func(n Node, in []Tensor) Tensor {
		out := numbers(n, in)
		out.Type = Bool
		return out
	}
}

func where(_ Node, in []Tensor) Tensor {
	shape := broadcast(in...)
	which, yes, no := stretched(in[0], shape), stretched(in[1], shape), stretched(in[2], shape)
	out := Tensor{Type: in[1].Type, Shape: shape, Data: slices.Clone(no)}
	for i, w := range which {
		if w != 0 {
			out.Data[i] = yes[i]
		}
	}
	return out
}

// softmax computes the softmax over the last axis, the only one that graphs ask for.
func softmax(_ Node, in []Tensor) Tensor {
	t := in[0]
	out := Tensor{Type: Float, Shape: t.Shape, Data: slices.Clone(t.Data)}
	for row := range slices.Chunk(out.Data, t.Shape[len(t.Shape)-1]) {
		top := slices.Max(row)
		for i, v := range row {
			row[i] = float32(math.Exp(float64(v - top)))
		}
		total := sum(row)
		for i := range row {
			row[i] /= total
		}
	}
	return out
}

// matMul takes a matrix on the right, which every row on the left is multiplied by.
func matMul(_ Node, in []Tensor) Tensor {
	a, b := in[0], in[1]
	inner, cols := b.Shape[0], b.Shape[1]
	if len(b.Shape) != 2 || a.Shape[len(a.Shape)-1] != inner {
		panic(fmt.Sprintf("the product of %v and %v", a.Shape, b.Shape))
	}
	shape := append(slices.Clone(a.Shape[:len(a.Shape)-1]), cols)
	out := Tensor{Type: Float, Shape: shape, Data: make([]float32, size(shape))}
	for r := range len(a.Data) / inner {
		dst := out.Data[r*cols : (r+1)*cols]
		for k, v := range a.Data[r*inner : (r+1)*inner] {
			for j, w := range b.Data[k*cols : (k+1)*cols] {
				dst[j] += v * w
			}
		}
	}
	return out
}

func sum(v []float32) (total float32) {
	for _, x := range v {
		total += x
	}
	return total
}

// reduce replaces what lies along one axis by f of it. The axis is a setting of that name, or else the second input.
func reduce(name string, f func([]float32) float32) operator {
	return func(n Node, in []Tensor) Tensor {
		t, axis := in[0], n.whole(name, 0)
		if name == "" {
			axis = wholes(in[1])[0]
		}
		outer, inner := around(t.Shape, axis)
		along := make([]float32, t.Shape[axis])
		out := Tensor{Type: t.Type, Shape: slices.Clone(t.Shape), Data: make([]float32, outer*inner)}
		for at := range out.Data {
			for k := range along {
				along[k] = t.Data[(at/inner*len(along)+k)*inner+at%inner]
			}
			out.Data[at] = f(along)
		}
		out.Shape[axis] = 1
		if n.whole("keepdims", 1) == 0 {
			out.Shape = slices.Delete(out.Shape, axis, axis+1)
		}
		return out
	}
}

// concat puts tensors beside each other along an axis.
func concat(n Node, in []Tensor) Tensor {
	axis := n.whole("axis", 0)
	outer, inner := around(in[0].Shape, axis)
	out := Tensor{Type: in[0].Type, Shape: slices.Clone(in[0].Shape)}
	out.Shape[axis] = 0
	for _, t := range in {
		out.Shape[axis] += t.Shape[axis]
	}
	for o := range outer {
		for _, t := range in {
			w := t.Shape[axis] * inner
			out.Data = append(out.Data, t.Data[o*w:(o+1)*w]...)
		}
	}
	return out
}

// gather picks entries along an axis by a list of indices.
func gather(n Node, in []Tensor) Tensor {
	t, list, axis := in[0], wholes(in[1]), n.whole("axis", 0)
	outer, inner := around(t.Shape, axis)
	out := Tensor{Type: t.Type, Shape: slices.Clone(t.Shape)}
	out.Shape[axis] = len(list)
	for o := range outer {
		for _, i := range list {
			at := (o*t.Shape[axis] + i) * inner
			out.Data = append(out.Data, t.Data[at:at+inner]...)
		}
	}
	return out
}

// transpose swaps the last two of three dimensions.
func transpose(_ Node, in []Tensor) Tensor {
	t := in[0]
	outer, rows, cols := t.Shape[0], t.Shape[1], t.Shape[2]
	out := Tensor{Type: t.Type, Shape: []int{outer, cols, rows}}
	for o := range outer {
		for c := range cols {
			for r := range rows {
				out.Data = append(out.Data, t.Data[(o*rows+r)*cols+c])
			}
		}
	}
	return out
}
