package onnx_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/policy/nn"
	"mapo/policy/onnx"
	"mapo/record"
	"mapo/rng"
)

// TestOperators: what each operator makes of small inputs, worked out by hand from ONNX's text.
func TestOperators(t *testing.T) {
	inf := float32(math.Inf(1))
	f := func(shape []int, data ...float32) onnx.Tensor {
		return onnx.Tensor{Type: onnx.Float, Shape: shape, Data: data}
	}
	list := func(v ...float32) onnx.Tensor {
		return onnx.Tensor{Type: onnx.Int64, Shape: []int{len(v)}, Data: v}
	}
	ints := func(name string, v ...int) onnx.Attribute {
		return onnx.Attribute{Name: name, Kind: map[bool]int{true: 2, false: 7}[len(v) == 1 && name != "axes"], Ints: v}
	}
	six := f([]int{1, 2, 3}, 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		op    string
		set   []onnx.Attribute
		in    []onnx.Tensor
		shape []int
		want  []float32
	}{
		{"Abs", nil, []onnx.Tensor{f([]int{1, 2}, -3, 2)}, []int{1, 2}, []float32{3, 2}},
		{"Log", nil, []onnx.Tensor{f([]int{1, 2}, 1, 0)}, []int{1, 2}, []float32{0, -inf}},
		{"Tanh", nil, []onnx.Tensor{f([]int{1, 3}, 0, inf, -inf)}, []int{1, 3}, []float32{0, 1, -1}},
		{"Reciprocal", nil, []onnx.Tensor{f([]int{1, 2}, 4, 0)}, []int{1, 2}, []float32{.25, inf}},
		{"Add", nil, []onnx.Tensor{f([]int{1, 2}, 1, 2), f([]int{3, 1}, 10, 20, 30)}, []int{3, 2}, []float32{11, 12, 21, 22, 31, 32}},
		{"Sub", nil, []onnx.Tensor{f(nil, 1), f([]int{1, 2}, 3, 4)}, []int{1, 2}, []float32{-2, -3}},
		{"Mul", nil, []onnx.Tensor{six, f([]int{3}, 1, 0, -1)}, []int{1, 2, 3}, []float32{1, 0, -3, 4, 0, -6}},
		{"Div", nil, []onnx.Tensor{f([]int{1, 2}, 1, 3), f([]int{1, 2}, 2, 4)}, []int{1, 2}, []float32{.5, .75}},
		{"Max", nil, []onnx.Tensor{f([]int{1, 2}, 0, 3), f(nil, 1)}, []int{1, 2}, []float32{1, 3}},
		{"Min", nil, []onnx.Tensor{f([]int{1, 2}, -inf, 3), f(nil, 1)}, []int{1, 2}, []float32{-inf, 1}},
		{"Less", nil, []onnx.Tensor{f([]int{1, 2}, 1, 2), f(nil, 2)}, []int{1, 2}, []float32{1, 0}},
		{"Greater", nil, []onnx.Tensor{f([]int{1, 2}, 3, 2), f(nil, 2)}, []int{1, 2}, []float32{1, 0}},
		{"GreaterOrEqual", nil, []onnx.Tensor{f([]int{1, 2}, 1, 2), f(nil, 2)}, []int{1, 2}, []float32{0, 1}},
		{"Equal", nil, []onnx.Tensor{f([]int{1, 2}, 1, 2), f(nil, 2)}, []int{1, 2}, []float32{0, 1}},
		{"ArgMax", []onnx.Attribute{ints("axis", 1), ints("keepdims", 0)}, []onnx.Tensor{f([]int{2, 3}, 1, 3, 3, 5, 4, 5)}, []int{2}, []float32{1, 0}},
		{"LeakyRelu", []onnx.Attribute{{Name: "alpha", Kind: 1, F: .5}}, []onnx.Tensor{f([]int{1, 2}, -4, 2)}, []int{1, 2}, []float32{-2, 2}},
		{"Softmax", []onnx.Attribute{ints("axis", -1)}, []onnx.Tensor{f([]int{1, 3}, 7, 7, -inf)}, []int{1, 3}, []float32{.5, .5, 0}},
		{"MatMul", nil, []onnx.Tensor{six, f([]int{3, 2}, 1, 0, 0, 1, 1, 1)}, []int{1, 2, 2}, []float32{4, 5, 10, 11}},
		{"ReduceMax", []onnx.Attribute{ints("axes", 1), ints("keepdims", 0)}, []onnx.Tensor{six}, []int{1, 3}, []float32{4, 5, 6}},
		{"ReduceMean", []onnx.Attribute{ints("axes", 2)}, []onnx.Tensor{six}, []int{1, 2, 1}, []float32{2, 5}},
		{"ReduceSum", []onnx.Attribute{ints("keepdims", 1)}, []onnx.Tensor{six, list(1)}, []int{1, 1, 3}, []float32{5, 7, 9}},
		{"Shape", nil, []onnx.Tensor{six}, []int{3}, []float32{1, 2, 3}},
		{"Expand", nil, []onnx.Tensor{f([]int{2, 1}, 1, 2), list(1, 2, 2)}, []int{1, 2, 2}, []float32{1, 1, 2, 2}},
		{"Reshape", nil, []onnx.Tensor{six, list(-1, 2)}, []int{3, 2}, six.Data},
		{"Unsqueeze", nil, []onnx.Tensor{f([]int{1, 2}, 1, 2), list(2)}, []int{1, 2, 1}, []float32{1, 2}},
		{"Squeeze", nil, []onnx.Tensor{f([]int{1, 2, 1}, 1, 2), list(2)}, []int{1, 2}, []float32{1, 2}},
		{"Concat", []onnx.Attribute{ints("axis", 2)}, []onnx.Tensor{six, f([]int{1, 2, 1}, 8, 9)}, []int{1, 2, 4}, []float32{1, 2, 3, 8, 4, 5, 6, 9}},
		{"Gather", []onnx.Attribute{ints("axis", 2)}, []onnx.Tensor{six, list(2, 0)}, []int{1, 2, 2}, []float32{3, 1, 6, 4}},
		{"Transpose", []onnx.Attribute{ints("perm", 0, 2, 1)}, []onnx.Tensor{six}, []int{1, 3, 2}, []float32{1, 4, 2, 5, 3, 6}},
		{"Where", nil, []onnx.Tensor{{Type: onnx.Bool, Shape: []int{1, 2}, Data: []float32{1, 0}}, f(nil, 5), f([]int{1, 2}, 1, 2)}, []int{1, 2}, []float32{5, 2}},
		{"Cast", []onnx.Attribute{ints("to", 1)}, []onnx.Tensor{{Type: onnx.Bool, Shape: []int{1, 2}, Data: []float32{1, 0}}}, []int{1, 2}, []float32{1, 0}},
	} {
		n := onnx.Node{Op: c.op, Name: c.op, Out: "out", Attributes: c.set}
		g := &onnx.Graph{Outputs: []onnx.Port{{Name: "out"}}}
		for i, in := range c.in {
			in.Name = string(rune('a' + i))
			g.Constants, n.In = append(g.Constants, in), append(n.In, in.Name)
		}
		g.Nodes = []onnx.Node{n}
		if out := g.Run(nil)["out"]; !slices.Equal(out.Shape, c.shape) || !slices.Equal(out.Data, c.want) {
			t.Errorf("%s: %v %v; want %v %v", c.op, out.Shape, out.Data, c.shape, c.want)
		}
	}
}

// TestEncode: the bytes of a file by onnx.proto3 and protocol buffers' rules, worked out by hand, and no others.
func TestEncode(t *testing.T) {
	g := &onnx.Graph{
		Name: "g", Doc: "d", Meta: []onnx.Meta{{Key: "k", Value: "v"}},
		Inputs:  []onnx.Port{{Name: "x", Doc: "i", Type: onnx.Float, Shape: []int{2}}},
		Outputs: []onnx.Port{{Name: "y", Type: onnx.Bool}},
		Constants: []onnx.Tensor{
			{Name: "b", Type: onnx.Bool, Shape: []int{2}, Data: []float32{0, 1}},
			{Name: "f", Type: onnx.Float, Data: []float32{-2}}, {Name: "l", Type: onnx.Int64, Shape: []int{1}, Data: []float32{-1}},
		},
		Nodes: []onnx.Node{{Op: "Op", Name: "n", In: []string{"b", "x"}, Out: "y", Attributes: []onnx.Attribute{
			{Name: "f", Kind: 1, F: 1}, {Name: "i", Kind: 2, Ints: []int{-1}}, {Name: "l", Kind: 7, Ints: []int{1, 300}},
		}}},
	}
	want := strings.Join([]string{
		"0808", "12046d61706f", "3a9d01", // version, producer, graph:
		"0a3d", "0a0162", "0a0178", "120179", "1a016e", "22024f70", // a node with its inputs, its output, its name and its operator,
		"2a0b0a0166150000803fa00101", "2a110a016918ffffffffffffffffff01a00102", "2a0b0a016c400140ac02a00107", // and settings
		"120167",                                                                                             // the name
		"2a0b080210094201624a020001", "2a0b10014201664a04000000c0", "2a110801100742016c4a08ffffffffffffffff", // constants
		"520164", // what it is
		"5a170a0178120f0a0d080112090a031201420a0208021a0169", "62100a0179120b0a09080912050a03120142", // input, output
		"42021011", "72060a016b120176", // opset, property
	}, "")
	if got := fmt.Sprintf("%x", g.Encode()); got != want {
		t.Errorf("the file is\n%s, want\n%s", got, want)
	}
	for _, s := range samples(t) {
		g, data := encode(t, s)
		if !onnx.IsGraph(data) || g.Name != s.name || !slices.Contains(g.Meta, onnx.Meta{Key: "mapo.arch", Value: s.net.Arch()}) {
			t.Errorf("%s: the file is of %q, %v", s.name, g.Name, g.Meta)
		}
	}
	if onnx.IsGraph([]byte("not a file")) {
		t.Error("any text is taken for a file")
	}
}

// TestVerifyFinds: a file that is not the policy's is told from one that is.
func TestVerifyFinds(t *testing.T) {
	for _, s := range samples(t)[:2] {
		g, _ := encode(t, s)
		w := nn.Weights(s.net)
		last := w[len(w)-2].Data
		last[0] += .01
		if _, err := onnx.Verify(s.net, s.c, g, 200, rng.New(1)); err == nil || !strings.Contains(err.Error(), "differs") {
			t.Errorf("%s: another weight gives %v", s.name, err)
		}
		last[0] -= .01
		leak := *g
		leak.Nodes = slices.Clone(g.Nodes)
		final := node(t, &leak, onnx.OutP) // Where(mask, 0, p): let p through
		final.In = []string{final.In[0], final.In[2], final.In[2]}
		for i, n := range leak.Nodes {
			if n.Op == "Where" && n.Name != "policy/probs" && n.In[0] == onnx.InMask { // and into the softmax
				leak.Nodes[i].In = []string{n.In[0], n.In[2], n.In[2]}
			}
		}
		if _, err := onnx.Verify(s.net, s.c, &leak, 200, rng.New(1)); err == nil || !strings.Contains(err.Error(), "masked") {
			t.Errorf("%s: a mask without effect gives %v", s.name, err)
		}
	}
}

// node is the one of g that puts a value out.
func node(t *testing.T, g *onnx.Graph, out string) *onnx.Node {
	t.Helper()
	at := slices.IndexFunc(g.Nodes, func(n onnx.Node) bool { return n.Out == out })
	if at < 0 {
		t.Fatalf("no node puts %s out", out)
	}
	return &g.Nodes[at]
}

// TestDocument: it is the contract with a chapter on the file.
func TestDocument(t *testing.T) {
	s := samples(t)[1]
	s.c.Levels = []nn.Level{{Worst: record.Worst{Level: 8, Estimate: record.Estimate{Mean: .25}}}}
	g, data := encode(t, s)
	doc, err := onnx.Document(s.c, g, "a.onnx", data)
	if err != nil {
		t.Fatal(err)
	}
	var c nn.Contract
	if err := json.Unmarshal(doc, &c); err != nil || c.Problem.Queries() != 25 || len(c.Levels) != 1 {
		t.Errorf("the contract is not whole: %v, %+v", err, c)
	}
	var beside struct {
		ONNX struct {
			File, SHA256 string
			Inputs       []struct {
				Name, Type string
				Shape      []any
			}
		}
	}
	if err := json.Unmarshal(doc, &beside); err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for _, in := range beside.ONNX.Inputs {
		inputs = append(inputs, in.Name+" "+in.Type)
	}
	if got := strings.Join(inputs, ", "); got != "n float32, s float32, left float32, level float32, mask bool" {
		t.Errorf("inputs %s", got)
	}
	if o := beside.ONNX; o.File != "a.onnx" || len(o.SHA256) != 64 || len(o.Inputs[0].Shape) != 2 || o.Inputs[0].Shape[1] != 25. {
		t.Errorf("the file is said to be %+v", o)
	}
}

// TestStates: they are a game's, one query is left in each, and each is masked in some.
func TestStates(t *testing.T) {
	for _, s := range samples(t) {
		p := s.c.Problem
		d := p.Queries()
		st := onnx.States(p, nn.Policy(p, s.net), 500, rng.New(3))
		masked, asked := make([]int, d), 0
		for b := range st.Len(d) {
			row := st.Row(b, d)
			if !slices.Contains(row.Mask, false) {
				t.Fatalf("%s: state %d has no query left", s.name, b)
			}
			for i, n := range row.N {
				if n > 0 {
					asked++
				}
				if row.Mask[i] {
					masked[i]++
				} else if p.AskOnce && n > 0 {
					t.Fatalf("%s: state %d may ask query %d again", s.name, b, i)
				}
			}
		}
		if slices.Contains(masked, 0) || asked == 0 {
			t.Errorf("%s: each query is masked in %d states, %d are asked", s.name, masked, asked)
		}
	}
}

// TestVerifyNaN: a probability that is not a number differs from every other.
func TestVerifyNaN(t *testing.T) {
	for _, s := range samples(t)[2:4] {
		g, _ := encode(t, s)
		broken := *g
		broken.Nodes = slices.Clone(g.Nodes)
		final := node(t, &broken, onnx.OutP) // Where(mask, 0, p)
		broken.Constants = append(slices.Clone(g.Constants), onnx.Tensor{Name: "nan", Type: onnx.Float, Data: []float32{float32(math.NaN())}})
		final.In = []string{final.In[0], final.In[1], "nan"}
		if _, err := onnx.Verify(s.net, s.c, &broken, 20, rng.New(1)); err == nil || !strings.Contains(err.Error(), "not a number") {
			t.Errorf("%s: probabilities that are not numbers give %v", s.name, err)
		}
	}
}
