package onnx_test

import (
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/policy/onnx"
	"mapo/policy/rival"
	"mapo/rng"
)

// gates are gated policies, and those with the weights that come with the program, on majorities and rows.
func gates(t testing.TB) (list []sample) {
	t.Helper()
	seen := map[*game.Problem]bool{}
	for _, s := range deciders(t) {
		p := s.c.Problem
		if seen[p] {
			continue
		}
		seen[p] = true
		list = append(list, made(p.Name+" gated", p, rival.InstantNet(p, 0)))
	}
	return list
}

// TestGated: the graph's probabilities are those of a gated policy, also where one row is almost certain.
func TestGated(t *testing.T) {
	states := 1000
	if suite.Reduced() {
		states = 250
	}
	for _, s := range gates(t) {
		t.Run(s.name, func(t *testing.T) {
			g, data := encode(t, s)
			diff, err := onnx.Verify(s.net, s.c, g, states, rng.New(5))
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d bytes, largest difference %.2g, rounding may decide in %d states", len(data), diff.Largest, diff.Near)
			if check.Is[*game.Shares](s.c.Problem) && diff.Largest > 1e-4 {
				t.Errorf("the largest difference on rows is %.2g, more than 1e-4", diff.Largest)
			}
			if most := states / 5; diff.Near > most {
				t.Errorf("rounding may decide in %d of %d states, more than %d", diff.Near, states, most)
			}
		})
	}
}

// TestVerifyFindsGated: other weights are told from the policy's, and probabilities are probabilities in every state.
func TestVerifyFindsGated(t *testing.T) {
	for _, s := range gates(t) {
		g, _ := encode(t, s)
		for name, by := range map[string]float32{"gates.bias": 1.01, "gates.weight": 1.05} {
			other := *g
			other.Constants = slices.Clone(g.Constants)
			at := slices.IndexFunc(g.Constants, func(c onnx.Tensor) bool { return c.Name == name })
			data := slices.Clone(g.Constants[at].Data)
			for i := range data {
				data[i] *= by
			}
			other.Constants[at].Data = data
			if _, err := onnx.Verify(s.net, s.c, &other, 1000, rng.New(1)); err == nil || !strings.Contains(err.Error(), "differs") {
				t.Errorf("%s: other %s give %v", s.name, name, err)
			}
		}
	}
}

// TestCompareUnsure: where rounding may decide, a gated policy's probabilities may be others, and have to sum to 1 all the same.
func TestCompareUnsure(t *testing.T) {
	s := gates(t)[0]
	p := s.c.Problem
	d := p.Queries()
	compare, err := onnx.NewComparer(s.net, s.c)
	if err != nil {
		t.Fatal(err)
	}
	states := onnx.States(p, nn.Policy(p, s.net), 300, rng.New(5))
	probs, decision, unsure := make([]float32, d), make([]float32, p.Hypotheses()), 0
	for b := range states.Len(d) {
		row := states.Row(b, d)
		nn.Policy(p, s.net).Probs(probs, row)
		game.LeastSquares(p).Decide(decision, row)
		if _, near, err := compare.Compare(probs, decision, row); err != nil {
			t.Fatalf("state %d: %v", b, err)
		} else if !near {
			continue
		}
		unsure++
		game.UniformOver(probs, nil, row.Mask)
		if _, _, err := compare.Compare(probs, decision, row); err != nil {
			t.Errorf("state %d: %v", b, err)
		}
		for i := range probs {
			probs[i] *= 1.1
		}
		if _, _, err := compare.Compare(probs, decision, row); err == nil {
			t.Errorf("state %d: probabilities that sum to 1.1 pass", b)
		}
	}
	if unsure == 0 {
		t.Error("rounding decides in no state")
	}
}
