package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Decode reads what Encode writes. It is not a reader of any ONNX file: what this package never writes is
// refused, or passed over where it does not matter to the result.
func Decode(data []byte) (*Graph, error) {
	g := &Graph{}
	from := ""
	err := fields(data, func(f field) error {
		switch f.number {
		case modelProducer:
			from = string(f.bytes)
		case modelOpset:
			return each(f, func(f field) error {
				if f.number == opsetVersion && f.value != Opset {
					return fmt.Errorf("opset %d, want %d", f.value, Opset)
				}
				return nil
			})
		case modelMeta:
			g.Meta = append(g.Meta, Meta{})
			m := &g.Meta[len(g.Meta)-1]
			return each(f, texts(map[protowire.Number]*string{metaKey: &m.Key, metaValue: &m.Value}))
		case modelGraph:
			return each(f, g.decode)
		}
		return nil
	})
	if err == nil && (from != producer || len(g.Outputs) == 0) {
		err = fmt.Errorf("it was written by %q and has %d outputs", from, len(g.Outputs))
	}
	if err != nil {
		return nil, fmt.Errorf("not an ONNX file of this program's: %w", err)
	}
	return g, nil
}

// decode takes in one field of a graph.
func (g *Graph) decode(f field) error {
	switch f.number {
	case graphName:
		g.Name = string(f.bytes)
	case graphDoc:
		g.Doc = string(f.bytes)
	case graphNode:
		var n Node
		err := each(f, n.decode)
		g.Nodes = append(g.Nodes, n)
		return err
	case graphConst:
		t, err := decodeTensor(f)
		g.Constants = append(g.Constants, t)
		return err
	case graphInput, graphOutput:
		p, err := decodePort(f)
		if f.number == graphInput {
			g.Inputs = append(g.Inputs, p)
		} else {
			g.Outputs = append(g.Outputs, p)
		}
		return err
	}
	return nil
}

// decode takes in one field of a node.
func (n *Node) decode(f field) error {
	switch f.number {
	case nodeInput:
		n.In = append(n.In, string(f.bytes))
	case nodeAttribute:
		var a Attribute
		err := each(f, a.decode)
		n.Attributes = append(n.Attributes, a)
		return err
	}
	return texts(map[protowire.Number]*string{nodeOutput: &n.Out, nodeName: &n.Name, nodeOp: &n.Op})(f)
}

// decode takes in one field of an attribute.
func (a *Attribute) decode(f field) error {
	switch f.number {
	case attrName:
		a.Name = string(f.bytes)
	case attrType:
		a.Kind = int(f.value)
	case attrF:
		a.F = math.Float32frombits(uint32(f.value))
	case attrI, attrList:
		a.Ints = append(a.Ints, int(int64(f.value)))
	default:
		return fmt.Errorf("attribute %s is of a kind that is not written here", a.Name)
	}
	return nil
}

func decodeTensor(f field) (t Tensor, err error) {
	var raw []byte
	err = each(f, func(f field) error {
		switch f.number {
		case tensorDims:
			t.Shape = append(t.Shape, int(f.value))
		case tensorType:
			t.Type = Type(f.value)
		case tensorName:
			t.Name = string(f.bytes)
		case tensorRaw:
			raw = f.bytes
		default:
			return fmt.Errorf("constant %s has a field %d, which is not written here", t.Name, f.number)
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	width, ok := map[Type]int{Float: 4, Int64: 8, Bool: 1}[t.Type]
	entries := 1
	for _, s := range t.Shape {
		if s < 1 || s > len(raw) { // as long as no product is above the data's length, none overflows
			ok = false
			break
		}
		if entries *= s; entries > len(raw) {
			ok = false
			break
		}
	}
	if !ok || len(raw) != width*entries {
		return t, fmt.Errorf("constant %s of type %d and shape %v has %d bytes", t.Name, t.Type, t.Shape, len(raw))
	}
	t.Data = make([]float32, len(raw)/width)
	for i := range t.Data {
		switch at := raw[i*width:]; t.Type {
		case Float:
			t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(at))
		case Int64:
			t.Data[i] = float32(int64(binary.LittleEndian.Uint64(at)))
		case Bool:
			t.Data[i] = float32(at[0])
		}
	}
	return t, nil
}

func decodePort(f field) (p Port, err error) {
	dim := func(f field) error {
		if f.number == dimValue {
			p.Shape = append(p.Shape, int(f.value))
		}
		return nil
	}
	tensor := func(f field) error {
		switch f.number {
		case typeElem:
			p.Type = Type(f.value)
		case typeShape:
			return each(f, func(f field) error { return each(f, dim) })
		}
		return nil
	}
	err = each(f, func(f field) error {
		if f.number == portType {
			return each(f, func(f field) error { return each(f, tensor) })
		}
		return texts(map[protowire.Number]*string{portName: &p.Name, portDoc: &p.Doc})(f)
	})
	return p, err
}

// field is one field of a message: bytes, or a number in value.
type field struct {
	number protowire.Number
	value  uint64
	bytes  []byte
}

// each calls do for every field of the message that f holds.
func each(f field, do func(field) error) error { return fields(f.bytes, do) }

// texts puts fields that are texts in their places.
func texts(places map[protowire.Number]*string) func(field) error {
	return func(f field) error {
		if s := places[f.number]; s != nil {
			*s = string(f.bytes)
		}
		return nil
	}
}

// fields calls do for every field of a message.
func fields(data []byte, do func(field) error) error {
	for len(data) > 0 {
		number, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		f := field{number: number}
		switch typ {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(data)
			f.value = uint64(v)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		default:
			return fmt.Errorf("field %d is of wire type %d", number, typ)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}
