package onnx

// What every file says of itself.
const (
	Opset     = 17 // of ai.onnx
	irVersion = 8  // the one opset 17 came with
	producer  = "mapo"
)

// Batch is the name of the free dimension.
const Batch = "B"

// Graph is the part of ONNX that a policy needs.
type Graph struct {
	Name      string
	Doc       string
	Inputs    []Port
	Outputs   []Port
	Constants []Tensor // named
	Nodes     []Node   // in an order in which each reads what is there already
	Meta      []Meta   // of the model
}

// Port is an input or an output. Its first dimension is free, the others are Shape.
type Port struct {
	Name, Doc string
	Type      Type
	Shape     []int
}

// Node is one operation.
type Node struct {
	Op, Name   string
	In         []string
	Out        string // every operation used here has one result
	Attributes []Attribute
}

// Attribute is a setting of a node: a list of whole numbers, one, or one real number.
type Attribute struct {
	Name string
	Kind int // attrFloat, attrInt or attrInts
	Ints []int
	F    float32
}

// The kinds of attributes, numbered as in ONNX.
const (
	attrFloat = 1
	attrInt   = 2
	attrInts  = 7
)

// Meta is one property of the model.
type Meta struct{ Key, Value string }

// Type is an element type, numbered as in ONNX.
type Type int

// The element types used here.
const (
	Float Type = 1
	Int64 Type = 7
	Bool  Type = 9
)

// Tensor is an array of any of the types. Data holds them all: a Bool is 0 or 1, an Int64 a whole number
// below 2²⁴, as sizes are.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int // none: a single number
	Data  []float32
}
