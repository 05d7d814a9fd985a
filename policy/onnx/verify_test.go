package onnx

import (
	"fmt"

	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/nn"
	"mapo/rng"
)

// How far a probability may be from the program's own: what float32 sums in another order differ by. Those of gated policies
// differ by more, as they depend on logarithms of ratios of gains.
const (
	Tolerance      = 1e-5
	GatedTolerance = 1e-3
)

// entriesAtOnce bounds B·|Z|·|X|, the entries of the largest arrays in a graph.
const entriesAtOnce = 1 << 22

// Difference is what [Verify] found.
type Difference struct {
	States  int
	Largest float64 // of all probabilities, those of the decision included
	Near    int     // states in which rounding may decide
}

// Verify compares what a graph puts out with net's policy in so many states, those of [States]. It is an error that a probability
// of a query or of the decision differs by more than the tolerance, or that a masked query has any. Where rounding may decide,
// see [Comparer], less is compared.
func Verify(net nn.Net, c *nn.Contract, g *Graph, states int, key rng.Key) (Difference, error) {
	diff := Difference{States: states}
	compare, err := NewComparer(net, c)
	if err != nil {
		return diff, err
	}
	p := c.Problem
	d := p.Queries()
	s := States(p, nn.Policy(p, net), states, key)
	most := max(1, entriesAtOnce/len(p.Z))
	for lo, b := 0, 1; lo < states; lo, b = lo+b, min(b%61+7, most) { // batches of many sizes
		hi := min(states, lo+b)
		out := g.Run(g.Feed(s, lo, hi, d))
		for _, name := range []string{OutP, OutDecision} {
			if t := out[name]; len(t.Shape) != 2 || t.Shape[0] != hi-lo {
				return diff, fmt.Errorf("%s has the shape %v for %d states", name, t.Shape, hi-lo)
			}
		}
		for at := range hi - lo {
			probs, decision := entry(out[OutP].Data, at, hi-lo), entry(out[OutDecision].Data, at, hi-lo)
			far, near, err := compare.Compare(probs, decision, s.Row(lo+at, d))
			if err != nil {
				return diff, fmt.Errorf("state %d: %w", lo+at, err)
			}
			diff.Largest = max(diff.Largest, far)
			if near {
				diff.Near++
			}
		}
	}
	return diff, nil
}

// entry returns row number at of so many.
func entry(v []float32, at, rows int) []float32 {
	width := len(v) / rows
	return v[at*width : (at+1)*width]
}

// Feed returns states lo…hi−1 as inputs of g. Mask, Left and Level must be there where g reads them.
func (g *Graph) Feed(s game.States, lo, hi, d int) map[string]Tensor {
	in := map[string]Tensor{}
	for _, p := range g.Inputs {
		t := Tensor{Type: p.Type, Shape: append([]int{hi - lo}, p.Shape...)}
		switch p.Name {
		case InN:
			t.Data = s.N[lo*d : hi*d]
		case InS:
			t.Data = s.S[lo*d : hi*d]
		case InLeft:
			t.Data = s.Left[lo:hi]
		case InLevel:
			t.Data = s.Level[lo:hi]
		case InMask:
			t.Data = make([]float32, (hi-lo)*d)
			for i, masked := range s.Mask[lo*d : hi*d] {
				if masked {
					t.Data[i] = 1
				}
			}
		}
		in[p.Name] = t
	}
	return in
}

// States returns states of games that policy plays: the first is the empty one, where every game begins, and the
// others are random ones on random instances. Half of these have queries masked at random, answers lost to skips, and
// levels (0: unknown). In ask-once games, a quarter have half answers, as people give them. They depend on key alone.
func States(p *game.Problem, policy game.Policy, states int, key rng.Key) game.States {
	d := p.Queries()
	met := games(p, policy, states, key)
	out := game.States{N: make([]float32, 0, states*d), S: make([]float32, 0, states*d), Mask: make([]bool, states*d)}
	r := key.Name("choice").Rand()
	for b := range states {
		at := 0 // all games begin in one state
		if b > 0 {
			at = r.IntN(met.Len(d))
		}
		from := met.Row(at, d)
		out.N, out.S = append(out.N, from.N...), append(out.S, from.S...)
		if b > 0 && p.AskOnce && r.IntN(4) == 0 {
			halve(out.S[b*d:], r.IntN)
		}
		mask := out.Mask[b*d : (b+1)*d]
		copy(mask, from.Mask)
		left, level := from.Left[0], float32(0)
		if b > 0 && r.IntN(2) == 0 {
			left = float32(r.IntN(int(left) + 1))
			level = float32(8 * r.Float64())
			hide(mask, r.Float64(), r.Float64)
		}
		out.Left, out.Level = append(out.Left, left), append(out.Level, level)
	}
	return out
}

// halve makes half answers of about half the answers.
func halve(s []float32, draw func(n int) int) {
	for i := range s {
		if draw(2) == 0 {
			s[i] /= 2
		}
	}
}

// hide masks each query with a probability, and leaves one.
func hide(mask []bool, share float64, draw func() float64) {
	last, open := -1, false
	for i := range mask {
		switch {
		case mask[i]:
		case draw() < share:
			mask[i], last = true, i
		default:
			open = true
		}
	}
	if !open && last >= 0 { // all are masked now
		mask[last] = false
	}
}

// games returns the states of enough games on random instances to choose from.
func games(p *game.Problem, policy game.Policy, states int, key rng.Key) game.States {
	d := p.Queries()
	instances := max(8, min(states, 4*states/p.T))
	b := &sim.Block{P: p, L: 1, Theta: make([]float64, instances*d)}
	r := key.Name("theta").Rand()
	for i := range b.Theta {
		b.Theta[i] = 2*r.Float64() - 1
	}
	var met game.States
	for b.Begin(key.Name("games"), 0); b.Ask(); b.Answer() {
		s := b.States
		policy.Probs(b.Probs, s)
		met.N, met.S, met.Left = append(met.N, s.N...), append(met.S, s.S...), append(met.Left, s.Left...)
		mask := s.Mask
		if mask == nil {
			mask = make([]bool, len(s.N))
		}
		met.Mask = append(met.Mask, mask...)
	}
	return met
}
