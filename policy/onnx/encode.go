package onnx

import (
	"bytes"
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of the messages in onnx.proto3 that are written here.
const (
	modelIR, modelProducer, modelGraph, modelOpset, modelMeta           = 1, 2, 7, 8, 14
	opsetVersion                                                        = 2
	metaKey, metaValue                                                  = 1, 2
	graphNode, graphName, graphConst, graphDoc, graphInput, graphOutput = 1, 2, 5, 10, 11, 12
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute              = 1, 2, 3, 4, 5
	attrName, attrF, attrI, attrList, attrType                          = 1, 2, 3, 8, 20
	tensorDims, tensorType, tensorName, tensorRaw                       = 1, 2, 8, 9
	portName, portType, portDoc                                         = 1, 2, 3
	typeTensor, typeElem, typeShape                                     = 1, 1, 2
	shapeDim, dimValue, dimName                                         = 1, 1, 2
)

// message is a protocol buffer in the making. Zero values are not written: that is what their absence means.
type message []byte

func (m message) text(field protowire.Number, s string) message {
	if s == "" {
		return m
	}
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) number(field protowire.Number, v int) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(int64(v)))
}

func (m message) real(field protowire.Number, v float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

func (m message) bytes(field protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

// head returns what every file begins with.
func head() message { return message(nil).number(modelIR, irVersion).text(modelProducer, producer) }

// IsGraph reports whether data begins as what [Graph.Encode] writes.
func IsGraph(data []byte) bool { return bytes.HasPrefix(data, head()) }

// Encode returns the ONNX file of g. The same graph gives the same bytes.
func (g *Graph) Encode() []byte {
	m := head().bytes(modelGraph, g.encodeGraph())
	m = m.bytes(modelOpset, message(nil).number(opsetVersion, Opset)) // of the domain "", which is ai.onnx
	for _, p := range g.Meta {
		m = m.bytes(modelMeta, message(nil).text(metaKey, p.Key).text(metaValue, p.Value))
	}
	return m
}

func (g *Graph) encodeGraph() message {
	var m message
	for _, n := range g.Nodes {
		m = m.bytes(graphNode, n.encodeNode())
	}
	m = m.text(graphName, g.Name)
	for _, t := range g.Constants {
		m = m.bytes(graphConst, t.encodeTensor())
	}
	m = m.text(graphDoc, g.Doc)
	for _, p := range g.Inputs {
		m = m.bytes(graphInput, p.encodePort())
	}
	for _, p := range g.Outputs {
		m = m.bytes(graphOutput, p.encodePort())
	}
	return m
}

func (n Node) encodeNode() message {
	var m message
	for _, name := range n.In {
		m = m.text(nodeInput, name)
	}
	m = m.text(nodeOutput, n.Out).text(nodeName, n.Name).text(nodeOp, n.Op)
	for _, a := range n.Attributes {
		m = m.bytes(nodeAttribute, a.encodeAttribute())
	}
	return m
}

func (a Attribute) encodeAttribute() message {
	m := message(nil).text(attrName, a.Name)
	switch a.Kind {
	case attrFloat:
		m = m.real(attrF, a.F)
	case attrInt:
		m = m.number(attrI, a.Ints[0])
	case attrInts:
		for _, v := range a.Ints {
			m = m.number(attrList, v)
		}
	}
	return m.number(attrType, a.Kind)
}

func (t Tensor) encodeTensor() message {
	var m message
	for _, s := range t.Shape {
		m = m.number(tensorDims, s)
	}
	return m.number(tensorType, int(t.Type)).text(tensorName, t.Name).bytes(tensorRaw, t.raw())
}

// raw returns the data as ONNX lays it out: little-endian, in the element's own size.
func (t Tensor) raw() (b []byte) {
	for _, v := range t.Data {
		switch t.Type {
		case Float:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		case Int64:
			b = binary.LittleEndian.AppendUint64(b, uint64(int64(v)))
		case Bool:
			b = append(b, byte(v))
		}
	}
	return b
}

func (p Port) encodePort() message {
	shape := message(nil).bytes(shapeDim, message(nil).text(dimName, Batch))
	for _, s := range p.Shape {
		shape = shape.bytes(shapeDim, message(nil).number(dimValue, s))
	}
	tensor := message(nil).number(typeElem, int(p.Type)).bytes(typeShape, shape)
	typ := message(nil).bytes(typeTensor, tensor)
	return message(nil).text(portName, p.Name).bytes(portType, typ).text(portDoc, p.Doc)
}
