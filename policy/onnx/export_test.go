package onnx_test

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/policy/onnx"
	"mapo/rng"
)

// sample is a policy on a problem with something of its own.
type sample struct {
	name string
	net  nn.Net
	c    *nn.Contract
}

// samples are both networks on games with repeats and without, with weights of a trained network's size.
func samples(t testing.TB) []sample {
	t.Helper()
	r := rng.New(7)
	once := check.Random(116, 126, 20, r.Name("once").Rand()) // of the size of examples/animals.csv
	once.AskOnce = true
	for _, z := range once.Z {
		once.Known = append(once.Known, .7*(2*z-1))
	}
	problems := []*game.Problem{check.Thresholds(25, 20), check.BestArm(8, 16), check.Thresholds(3, 5), once, alike(),
		graded("rows", 30, 40, 12, r.Name("rows"), nil)}
	var list []sample
	for i, p := range problems {
		list = append(list,
			made(p.Name+" mlp", p, lively(nn.NewMLP(p, []int{32, 32}, r.At(i)), r.At(i).Name("mlp"))),
			made(p.Name+" structured", p, lively(nn.NewStructured(p, 16, r.At(i)), r.At(i).Name("structured"))))
	}
	return list
}

// alike has a query about which all hypotheses agree.
func alike() *game.Problem {
	p := check.Thresholds(6, 8)
	p.Name = "alike"
	for k := range p.Hypotheses() {
		p.Row(k)[2] = 1
	}
	p.Names, p.Z = append(p.Names[:2:2], p.Names[3:]...), append(p.Z[:2*6:2*6], p.Z[3*6:]...)
	return p
}

func made(name string, p *game.Problem, net nn.Net) sample {
	return sample{name, net, &nn.Contract{Name: name, Arch: net.Arch(), Problem: p, Loss: "best-identification"}}
}

// lively gives a network weights with which its probabilities are far from uniform.
func lively(net nn.Net, key rng.Key) nn.Net {
	r := key.Rand()
	for _, w := range nn.Weights(net) {
		std := .5
		if len(w.Shape) == 2 {
			std = math.Sqrt(2 / float64(w.Shape[0]))
		}
		for i := range w.Data {
			w.Data[i] = float32(std * r.NormFloat64())
		}
	}
	return net
}

func encode(t testing.TB, s sample) (*onnx.Graph, []byte) {
	t.Helper()
	if err := s.c.Problem.Check(); err != nil {
		t.Fatal(err)
	}
	g, err := onnx.Model(s.net, s.c)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range g.Constants {
		g.Constants[i].Data = slices.Clone(c.Data) // as a file has them, whatever becomes of the network
	}
	return g, g.Encode()
}

// TestVerify: the graph's probabilities are the policy's.
func TestVerify(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			g, data := encode(t, s)
			diff, err := onnx.Verify(s.net, s.c, g, 1000, rng.New(1))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes, largest difference %.2g", len(data), diff.Largest)
		})
	}
}

// skewed is a network that leans to its first query in the empty state alone.
type skewed struct{ nn.Net }

func (k skewed) Forward(logits []float32, tape nn.Tape, s game.States) {
	k.Net.Forward(logits, tape, s)
	d := len(logits) / len(s.Left)
	for b := range s.Left {
		if !slices.ContainsFunc(s.N[b*d:(b+1)*d], func(n float32) bool { return n > 0 }) {
			logits[b*d] += 3
		}
	}
}

// TestVerifyTheEmptyState: where every game begins is always among the states compared, as games have it, however few they
// are. A policy that the file differs from there alone is refused.
func TestVerifyTheEmptyState(t *testing.T) {
	for _, s := range samples(t) {
		g, _ := encode(t, s)
		d := s.c.Problem.Queries()
		for i, states := range []int{1, 2, 40} {
			first := onnx.States(s.c.Problem, nn.Policy(s.c.Problem, s.net), states, rng.New(uint64(i))).Row(0, d)
			empty := make([]float32, d)
			if !slices.Equal(first.N, empty) || !slices.Equal(first.S, empty) || slices.Contains(first.Mask, true) || first.Left[0] != float32(s.c.Problem.T) || first.Level[0] != 0 {
				t.Fatalf("%s: the first of %d states is %+v", s.name, states, first)
			}
			if _, err := onnx.Verify(s.net, s.c, g, states, rng.New(uint64(i))); err != nil {
				t.Errorf("%s, %d states: %v", s.name, states, err)
			}
			if diff, err := onnx.Verify(skewed{s.net}, s.c, g, states, rng.New(uint64(i))); err == nil {
				t.Errorf("%s, %d states: a policy that differs in the empty state passes, by %v", s.name, states, diff.Largest)
			}
		}
	}
}

// TestGaussianInput: where answers are numbers, the document says in which unit their sums are.
func TestGaussianInput(t *testing.T) {
	p := check.BestArm(4, 8)
	p.Reply = game.Answers{Sigma: 1, Bound: 2.5}
	s := made("arms", p, nn.NewStructured(p, 8, rng.New(1)))
	g, err := onnx.Model(s.net, s.c)
	if err != nil {
		t.Fatal(err)
	}
	const want = "the sum of those answers, each a number divided by 2.5, the bound of means"
	if at := slices.IndexFunc(g.Inputs, func(in onnx.Port) bool { return in.Name == onnx.InS }); g.Inputs[at].Doc != want {
		t.Errorf("%q, want %q", g.Inputs[at].Doc, want)
	}
}
