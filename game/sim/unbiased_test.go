package sim_test

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// few is a policy that asks up to four of the queries that may be asked, the last one so seldom that it is not looked at. Which
// ones they are changes with every answer.
type few struct{ p *game.Problem }

func (q few) Probs(dst []float32, s game.States) {
	d := q.p.Queries()
	clear(dst)
	for u := range s.Len(d) {
		row, sum := dst[u*d:(u+1)*d], float32(0)
		weights := []float32{.5, .3, .1875, .0125}
		for j := range d {
			i := (q.p.T - int(s.Left[u]) + j) % d
			if len(weights) == 0 || s.Mask != nil && s.Mask[u*d+i] {
				continue
			}
			row[i], weights = weights[0], weights[1:]
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
}

// TestControlVariateIsUnbiased: in a state the variate's expectation over the queries of π and the answers of θ is 0. This is
// an identity, whatever the state, the hypothesis that an instance was drawn with, the loss and the lines. It is checked in all
// states where the games met every query and answer that may come. So a loss less its variate has the loss's mean, whatever the decision.
// Games that end early have no variate behind their end.
func TestControlVariateIsUnbiased(t *testing.T) {
	for _, p := range append(problems(), rows(), check.Pool(9, 5, 2, 4, false, rng.New(1).Rand())) {
		testUnbiased(t, p, nil)
		testUnbiased(t, p, early(p))
	}
}

func testUnbiased(t *testing.T, p *game.Problem, by game.Stopper) {
	t.Helper()
	for _, loss := range game.Losses() {
		theta := hard(p.Queries())
		b := &sim.Block{P: p, L: 4000, Theta: theta, Drawn: withHypotheses, Stopper: by}
		b.Variate = &sim.ControlVariate{P: p, Loss: loss, Lines: lines(p), Steps: &sim.Steps{Weight: make([]float64, len(withHypotheses))}}
		probs := make([][]float32, p.T)
		playBlock(b, rng.New(3), 0, func(step int, to []float32, s game.States) {
			few{p}.Probs(to, s)
			probs[step] = append([]float32(nil), to...)
		})
		checked := 0
		for step := range p.T {
			checked += unbiased(t, b, step, probs[step])
		}
		if checked < 40 {
			t.Errorf("%s, %v, stopping %v: only %d states met every query and answer", p.Name, loss, by != nil, checked)
		}
	}
}

// outcome is what may come of a step.
type outcome struct {
	m, state, query int
	yes             bool
}

// unbiased checks a step's variates, with what the policy did in its states, and returns in how many it could.
func unbiased(t *testing.T, b *sim.Block, step int, probs []float32) (checked int) {
	t.Helper()
	d, games, came := b.P.Queries(), b.Games(), map[outcome]float64{}
	for g := range games {
		at := step*games + g
		if b.Row[at] < 0 {
			if v := b.Variate.Steps.Variate[at]; v != 0 {
				t.Fatalf("step %d: game %d is over and has the variate %v", step, g, v)
			}
			continue
		}
		o, v := outcome{g / b.L, int(b.Row[at]), int(b.Asked[at]), b.Yes[at]}, b.Variate.Steps.Variate[at]
		if first, ok := came[o]; ok && first != v {
			t.Fatalf("step %d: the variate of %v is %v and %v", step, o, first, v)
		}
		came[o] = v
	}
	for m := range games / b.L {
	states:
		for u := range len(probs) / d {
			var mean float64
			for i, p := range probs[u*d : (u+1)*d] {
				for _, yes := range []bool{false, true} {
					sign := -1.
					if yes {
						sign = 1
					}
					chance := float64(p) * (1 + sign*b.Theta[m*d+i]) / 2
					v, ok := came[outcome{m, u, i, yes}]
					if !ok && chance > 0 {
						continue states
					}
					mean += chance * v
				}
			}
			if math.Abs(mean) > 1e-6 {
				t.Errorf("%s, %v, step %d, instance %d: the variate's expectation is %v, want 0", b.P.Name, b.Variate.Loss, step, m, mean)
			}
			checked++
		}
	}
	return checked
}
