package onnx

import (
	"fmt"
	"slices"
)

// Run evaluates g on inputs by name, whose first dimensions agree, and returns the outputs by name. It is the
// operators' definitions written as plain loops: a reference, not a runtime. May be called concurrently.
//
// Values that no later node reads are dropped, so that what is held at a time stays within a few of the largest,
// B·|Z|·|X| numbers for a structured policy.
func (g *Graph) Run(inputs map[string]Tensor) (map[string]Tensor, error) {
	values := map[string]Tensor{}
	for _, t := range g.Constants {
		values[t.Name] = t
	}
	for _, p := range g.Inputs {
		t, ok := inputs[p.Name]
		if !ok || t.Type != p.Type || len(t.Shape) != 1+len(p.Shape) || !slices.Equal(t.Shape[1:], p.Shape) || len(t.Data) != size(t.Shape) {
			return nil, fmt.Errorf("input %s has the shape %v, want [%s] and %v of type %d", p.Name, t.Shape, Batch, p.Shape, p.Type)
		}
		values[p.Name] = t
	}
	last := g.lastUse()
	for i, n := range g.Nodes {
		out, err := n.run(values)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.Name, err)
		}
		values[n.Out] = out
		for _, name := range n.In {
			if last[name] == i {
				delete(values, name)
			}
		}
	}
	outputs := map[string]Tensor{}
	for _, p := range g.Outputs {
		t, ok := values[p.Name]
		if !ok {
			return nil, fmt.Errorf("there is no value %s to put out", p.Name)
		}
		outputs[p.Name] = t
	}
	return outputs, nil
}

// lastUse returns the last node that reads each value; a value put out has none.
func (g *Graph) lastUse() map[string]int {
	last := map[string]int{}
	for i, n := range g.Nodes {
		for _, name := range n.In {
			last[name] = i
		}
	}
	for _, p := range g.Outputs {
		delete(last, p.Name)
	}
	return last
}

// run computes the node's value from those it reads.
func (n Node) run(values map[string]Tensor) (Tensor, error) {
	in := make([]Tensor, len(n.In))
	for i, name := range n.In {
		t, ok := values[name]
		if !ok {
			return t, fmt.Errorf("it reads %s, which is not there", name)
		}
		in[i] = t
	}
	op, ok := operators[n.Op]
	if !ok {
		return Tensor{}, fmt.Errorf("there is no operator %s here", n.Op)
	}
	if len(in) != op.inputs && !(op.inputs < 0 && len(in) >= -op.inputs) {
		return Tensor{}, fmt.Errorf("%s has %d inputs, want %d", n.Op, len(in), op.inputs)
	}
	return op.run(n, in)
}

// whole returns the whole number that a setting gives, or what it is where it is not set.
func (n Node) whole(name string, otherwise int) int {
	for _, a := range n.Attributes {
		if a.Name == name && len(a.Ints) > 0 {
			return a.Ints[0]
		}
	}
	return otherwise
}

// axis resolves the one axis of a list, or of the setting, for a tensor of rank dimensions.
func axisOf(i, rank int) (int, error) {
	if i < 0 {
		i += rank
	}
	if i < 0 || i >= rank {
		return 0, fmt.Errorf("axis %d of %d dimensions", i, rank)
	}
	return i, nil
}

// around returns the products of a shape's sizes before an axis and after it.
func around(shape []int, axis int) (outer, inner int) {
	return size(shape[:axis]), size(shape[axis+1:])
}

// broadcast returns the shape that all shapes stretch to: aligned at the end, a 1 stretches to anything.
func broadcast(list ...Tensor) ([]int, error) {
	var out []int
	for _, t := range list {
		for len(out) < len(t.Shape) {
			out = slices.Insert(out, 0, 1)
		}
		for i, s := range t.Shape {
			at := len(out) - len(t.Shape) + i
			switch {
			case out[at] == 1:
				out[at] = s
			case s != 1 && s != out[at]:
				return nil, fmt.Errorf("shapes %v and %v do not go together", out, t.Shape)
			}
		}
	}
	return out, nil
}

// stretched returns t's data laid out in a shape it stretches to.
func stretched(t Tensor, shape []int) []float32 {
	if slices.Equal(t.Shape, shape) {
		return t.Data
	}
	data := t.Data
	padded := append(slices.Repeat([]int{1}, len(shape)-len(t.Shape)), t.Shape...)
	inner := 1 // entries that follow each other at the end of what is laid out so far
	for i := len(shape) - 1; i >= 0; i-- {
		if padded[i] == 1 && shape[i] != 1 {
			out := make([]float32, 0, len(data)*shape[i])
			for from := 0; from < len(data); from += inner {
				for range shape[i] {
					out = append(out, data[from:from+inner]...)
				}
			}
			data = out
		}
		inner *= shape[i]
	}
	return data
}
