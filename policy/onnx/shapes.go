package onnx

import (
	"errors"
	"fmt"
	"slices"
)

// reduce replaces what lies along one axis by f of it. The axis is a setting, or the list of one number.
func reduce(n Node, t Tensor, list *Tensor, f func([]float32) float32) (Tensor, error) {
	i := n.whole("axes", 0)
	if list != nil {
		if len(list.Data) != 1 {
			return Tensor{}, errors.New("one axis at a time is reduced here")
		}
		i = int(list.Data[0])
	}
	axis, err := axisOf(i, len(t.Shape))
	if err != nil {
		return Tensor{}, err
	}
	outer, inner := around(t.Shape, axis)
	along := make([]float32, t.Shape[axis])
	out := Tensor{Type: t.Type, Shape: slices.Clone(t.Shape), Data: make([]float32, outer*inner)}
	for o := range outer {
		for in := range inner {
			for k := range along {
				along[k] = t.Data[(o*len(along)+k)*inner+in]
			}
			out.Data[o*inner+in] = f(along)
		}
	}
	out.Shape[axis] = 1
	if n.whole("keepdims", 1) == 0 {
		out.Shape = slices.Delete(out.Shape, axis, axis+1)
	}
	return out, nil
}

// argMax returns where the largest along an axis is, the first of several.
func argMax(n Node, in []Tensor) (Tensor, error) {
	axis := Attribute{Name: "axes", Ints: []int{n.whole("axis", 0)}}
	n.Attributes = append([]Attribute{axis}, n.Attributes...)
	out, err := reduce(n, in[0], nil, func(v []float32) float32 { return float32(slices.Index(v, largest(v))) })
	out.Type = Int64
	return out, err
}

func shapeOf(_ Node, in []Tensor) (Tensor, error) {
	out := Tensor{Type: Int64, Shape: []int{len(in[0].Shape)}}
	for _, s := range in[0].Shape {
		out.Data = append(out.Data, float32(s))
	}
	return out, nil
}

// wholes returns the numbers of a list as integers.
func wholes(t Tensor) []int {
	list := make([]int, len(t.Data))
	for i, v := range t.Data {
		list[i] = int(v)
	}
	return list
}

func expand(_ Node, in []Tensor) (Tensor, error) {
	shape, err := broadcast(in[0], Tensor{Shape: wholes(in[1])})
	if err != nil {
		return Tensor{}, err
	}
	return Tensor{Type: in[0].Type, Shape: shape, Data: stretched(in[0], shape)}, nil
}

// reshape gives the same data another shape; a −1 stands for what is left.
func reshape(_ Node, in []Tensor) (Tensor, error) {
	shape := wholes(in[1])
	if at := slices.Index(shape, -1); at >= 0 {
		shape[at] = 1
		if s := size(shape); s > 0 {
			shape[at] = len(in[0].Data) / s
		}
	}
	if size(shape) != len(in[0].Data) {
		return Tensor{}, fmt.Errorf("%d numbers in the shape %v", len(in[0].Data), shape)
	}
	return Tensor{Type: in[0].Type, Shape: shape, Data: in[0].Data}, nil
}

// unsqueeze puts a dimension of 1 at one axis.
func unsqueeze(_ Node, in []Tensor) (Tensor, error) {
	axis, err := oneAxis(in[1], len(in[0].Shape)+1)
	if err != nil {
		return Tensor{}, err
	}
	return Tensor{Type: in[0].Type, Shape: slices.Insert(slices.Clone(in[0].Shape), axis, 1), Data: in[0].Data}, nil
}

// squeeze drops a dimension of 1.
func squeeze(_ Node, in []Tensor) (Tensor, error) {
	axis, err := oneAxis(in[1], len(in[0].Shape))
	if err == nil && in[0].Shape[axis] != 1 {
		err = fmt.Errorf("axis %d of %v is not 1", axis, in[0].Shape)
	}
	if err != nil {
		return Tensor{}, err
	}
	return Tensor{Type: in[0].Type, Shape: slices.Delete(slices.Clone(in[0].Shape), axis, axis+1), Data: in[0].Data}, nil
}

func oneAxis(list Tensor, rank int) (int, error) {
	if len(list.Data) != 1 {
		return 0, fmt.Errorf("%d axes, want one", len(list.Data))
	}
	return axisOf(int(list.Data[0]), rank)
}

// concat puts tensors beside each other along an axis.
func concat(n Node, in []Tensor) (Tensor, error) {
	axis, err := axisOf(n.whole("axis", 0), len(in[0].Shape))
	if err != nil {
		return Tensor{}, err
	}
	shape := slices.Clone(in[0].Shape)
	shape[axis] = 0
	for _, t := range in {
		if len(t.Shape) != len(shape) {
			return Tensor{}, fmt.Errorf("shapes %v and %v do not go together", in[0].Shape, t.Shape)
		}
		for i, s := range t.Shape {
			if i != axis && s != shape[i] {
				return Tensor{}, fmt.Errorf("shapes %v and %v do not go together", in[0].Shape, t.Shape)
			}
		}
		shape[axis] += t.Shape[axis]
	}
	out := Tensor{Type: in[0].Type, Shape: shape, Data: make([]float32, 0, size(shape))}
	outer, inner := around(shape, axis)
	for o := range outer {
		for _, t := range in {
			w := t.Shape[axis] * inner
			out.Data = append(out.Data, t.Data[o*w:(o+1)*w]...)
		}
	}
	return out, nil
}

// gather picks entries along an axis by a list of indices.
func gather(n Node, in []Tensor) (Tensor, error) {
	t, list := in[0], in[1]
	axis, err := axisOf(n.whole("axis", 0), len(t.Shape))
	if err != nil || len(list.Shape) != 1 {
		return Tensor{}, fmt.Errorf("indices of shape %v along axis %d of %v", list.Shape, axis, t.Shape)
	}
	outer, inner := around(t.Shape, axis)
	out := Tensor{Type: t.Type, Shape: slices.Clone(t.Shape)}
	out.Shape[axis] = len(list.Data)
	for o := range outer {
		for _, i := range wholes(list) {
			if i < 0 || i >= t.Shape[axis] {
				return Tensor{}, fmt.Errorf("index %d of %d", i, t.Shape[axis])
			}
			at := (o*t.Shape[axis] + i) * inner
			out.Data = append(out.Data, t.Data[at:at+inner]...)
		}
	}
	return out, nil
}

// transpose swaps the last two of three dimensions.
func transpose(n Node, in []Tensor) (Tensor, error) {
	t := in[0]
	if len(n.Attributes) != 1 || !slices.Equal(n.Attributes[0].Ints, []int{0, 2, 1}) || len(t.Shape) != 3 {
		return Tensor{}, errors.New("only the last two of three dimensions are swapped here")
	}
	outer, rows, cols := t.Shape[0], t.Shape[1], t.Shape[2]
	out := Tensor{Type: t.Type, Shape: []int{outer, cols, rows}, Data: make([]float32, len(t.Data))}
	for o := range outer {
		for r := range rows {
			for c := range cols {
				out.Data[(o*cols+c)*rows+r] = t.Data[(o*rows+r)*cols+c]
			}
		}
	}
	return out, nil
}
