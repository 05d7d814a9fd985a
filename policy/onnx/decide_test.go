package onnx_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/onnx"
	"mapo/rng"
)

// deciders are policies on majorities and on rows of every kind, by both decisions for both losses. Their networks are small.
func deciders(t testing.TB) (list []sample) {
	t.Helper()
	r := rng.New(11)
	once := check.Random(30, 40, 12, r.Name("once").Rand())
	once.AskOnce = true
	coarse := graded("coarse", 12, 40, 12, r.Name("coarse"), func(yes float64) float64 { return float64(int(4*yes+0.5)) / 4 })
	repeated := graded("repeated", 10, 20, 60, r.Name("repeated"), nil)
	repeated.AskOnce = false
	weighted := graded("weighted, other", 16, 30, 16, r.Name("weighted"), nil)
	weighted.Seek.(*game.Shares).Other = true
	for k := range weighted.Seek.(*game.Shares).Weight {
		weighted.Seek.(*game.Shares).Weight[k] = 2 * float64(k+1) / (30 * 31)
	}
	wrong := graded("wrong:0.1", 16, 30, 16, r.Name("wrong"), nil)
	wrong.Seek.(*game.Shares).Wrong = new(float64)
	*wrong.Seek.(*game.Shares).Wrong = 0.1
	exact := graded("exact", 14, 60, 14, r.Name("exact"), func(yes float64) float64 { return float64(int(yes + 0.5)) })
	exact.Seek.(*game.Shares).Wrong, exact.Seek.(*game.Shares).Unknown = new(float64), make([]bool, 14*60)
	for at := 0; at < 14*60; at += 9 {
		exact.Seek.(*game.Shares).Yes[at], exact.Seek.(*game.Shares).Unknown[at] = 0.4, true
	}
	animals := check.GradedFile(t, "../../examples/animals.csv", 20)
	for i, p := range []*game.Problem{
		check.Thresholds(25, 20), check.BestArm(8, 16), once, coarse, repeated, weighted, wrong, exact.Grade(), animals,
	} {
		net := nn.NewMLP(p, []int{4}, r.At(i))
		for _, by := range []string{decision.LeastSquares, decision.Posterior} {
			for _, loss := range game.Losses() {
				s := made(fmt.Sprintf("%s %s %s", p.Name, by, loss), p, net)
				s.c.Decision, s.c.Loss = by, loss.String()
				if by == decision.LeastSquares {
					s.c.Decision = ""
				}
				list = append(list, s)
			}
		}
	}
	return list
}

// graded is a problem of rows whose random shares are passed through f.
func graded(name string, d, n, budget int, key rng.Key, f func(yes float64) float64) *game.Problem {
	p := check.Graded(d, n, budget, key.Rand())
	p.Name, p.AskOnce = name, true
	for at, yes := range p.Seek.(*game.Shares).Yes {
		if f != nil {
			p.Seek.(*game.Shares).Yes[at] = f(yes)
		}
	}
	return p.Grade()
}

// TestDecision: the graph's decision is the policy's own, half answers and contradictions included, and near-ties are few.
func TestDecision(t *testing.T) {
	for _, s := range deciders(t) {
		t.Run(s.name, func(t *testing.T) {
			g, data := encode(t, s)
			diff, err := onnx.Verify(s.net, s.c, g, 1000, rng.New(5))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes, largest difference %.2g, %d near-ties", len(data), diff.Largest, diff.Near)
			if diff.Near > 5 {
				t.Errorf("rounding may decide in %d of 1000 states", diff.Near)
			}
		})
	}
}

// TestVerifyFindsDecision: a file that decides otherwise is told from one that does not.
func TestVerifyFindsDecision(t *testing.T) {
	for _, s := range deciders(t) {
		g, _ := encode(t, s)
		other := *g
		other.Constants = slices.Clone(g.Constants)
		for i, c := range g.Constants {
			if strings.HasPrefix(c.Name, "decision.z") || c.Name == "decision.likely" {
				data := slices.Clone(c.Data)
				slices.Reverse(data[:len(data)/2])
				other.Constants[i].Data = data
			}
		}
		if _, err := onnx.Verify(s.net, s.c, &other, 200, rng.New(1)); err == nil || !strings.Contains(err.Error(), "decision differs") {
			t.Errorf("%s: another decision gives %v", s.name, err)
		}
		if s.c.Decision != "" {
			continue // no ties in some
		}
		all := *g
		all.Nodes = slices.Clone(g.Nodes)
		node(t, &all, onnx.OutDecision).Op = "Mul" // 1 for all that lead instead of a share
		if _, err := onnx.Verify(s.net, s.c, &all, 200, rng.New(1)); err == nil || !strings.Contains(err.Error(), "decision differs") {
			t.Errorf("%s: ties without a share give %v", s.name, err)
		}
	}
}

// TestUnknownDecision: a decision of a later version is refused in one line.
func TestUnknownDecision(t *testing.T) {
	s := samples(t)[0]
	s.c.Decision = "learned"
	if _, err := onnx.Model(s.net, s.c); err == nil || !strings.Contains(err.Error(), `unknown decision "learned"; known are`) {
		t.Error(err)
	}
}
