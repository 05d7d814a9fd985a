package paper_test

import (
	"math"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/train"
)

func exactly(t *testing.T, p *game.Problem) *exact.Game {
	t.Helper()
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// outcome is one rollout with what Eq. 10 reads of it.
type outcome struct {
	prob, loss float64
	n, s       []float32
	direct     []float64
}

func outcomes(g *exact.Game, loss game.Loss, theta []float64) []outcome {
	p := g.P
	in := p.Instance(theta)
	scores := make([]float32, p.Hypotheses())
	var all []outcome
	g.Each(check.Wavy{P: g.P}, theta, func(r *exact.Rollout) {
		o := outcome{prob: r.P(), direct: make([]float64, p.Queries())}
		if o.prob == 0 {
			return
		}
		o.n, o.s = append(o.n, r.N...), append(o.s, r.S...)
		p.Scores(scores, o.n, o.s)
		tie := check.Tie(len(scores), game.Recommend(nil, scores))
		o.loss = loss.Of(in, tie)
		loss.AddGrad(o.direct, p, in, tie, 1)
		all = append(all, o)
	})
	return all
}

// meanThetaGrad is the exact expectation of Eq. 10's estimate over all pairs of
// rollouts (L = 2), with whatever weights baseline makes of their losses.
func meanThetaGrad(all []outcome, theta []float64, baseline func(dst, loss []float64)) []float64 {
	d := len(theta)
	sum := make([]float64, d)
	weight, loss := make([]float64, 2), make([]float64, 2)
	n, s := make([]float32, 2*d), make([]float32, 2*d)
	for _, a := range all {
		for _, b := range all {
			loss[0], loss[1] = a.loss, b.loss
			baseline(weight, loss)
			copy(n, a.n)
			copy(n[d:], b.n)
			copy(s, a.s)
			copy(s[d:], b.s)
			prob := a.prob * b.prob
			adversary.ThetaGrad(sum, theta, weight, new(game.Problem), n, s, prob/2)
			for i := range sum {
				sum[i] += prob / 2 * (a.direct[i] + b.direct[i])
			}
		}
	}
	return sum
}

func testPsiGradUnbiased(t *testing.T, g *exact.Game) {
	t.Helper()
	p := g.P
	for _, theta := range [][]float64{{.6, -.35, -.8}, {1, -.35, -1}} {
		for _, loss := range game.Losses() {
			v := g.Value(check.Wavy{P: p}, loss, theta)
			want := make([]float64, len(v.Q))
			v.AddLogits(want, 1)
			all := rollouts(g, loss, theta)
			for _, loo := range []bool{false, true} {
				got := meanPsiGrad(all, v.Probs, 3, func(dst, x []float64) { adversary.Baseline(dst, x, 2, loo) })
				if e := check.Farthest(got, want); e > 1e-6 {
					t.Errorf("θ %v, %v, loo %v: the mean of Eq. 11 is off by %.2g", theta, loss, loo, e)
				}
			}
			mutant := meanPsiGrad(all, v.Probs, 3, func(dst, x []float64) {
				for i := range dst {
					dst[i] = x[i] - (x[0]+x[1])/2
				}
			})
			if check.Farthest(mutant, want) < 1e-4 {
				t.Errorf("θ %v, %v: a biased baseline passes for unbiased", theta, loss)
			}
		}
	}
}

// rollout is what Eq. 11 reads of a game.
type rollout struct {
	prob, loss float64
	asked      []int32
	state      []int
}

func rollouts(g *exact.Game, loss game.Loss, theta []float64) []rollout {
	in := g.P.Instance(theta)
	var all []rollout
	g.Each(check.Wavy{P: g.P}, theta, func(r *exact.Rollout) {
		if r.P() == 0 {
			return
		}
		o := rollout{prob: r.P(), loss: loss.Of(in, g.Decision(r.State[len(r.Asked)])), state: append([]int(nil), r.State...)}
		for _, x := range r.Asked {
			o.asked = append(o.asked, int32(x))
		}
		all = append(all, o)
	})
	return all
}

// meanPsiGrad is the expectation over pairs of what PsiGrad says of each state.
// By symmetry the second game of a pair counts as the first does.
func meanPsiGrad(all []rollout, probs []float64, d int, baseline func(dst, loss []float64)) []float64 {
	sum := make([]float64, len(probs))
	weight := make([]float64, 2)
	dlogits, row := make([]float32, d), make([]float32, d)
	var scratch train.RowScratch
	for _, a := range all {
		var mean float64 // of the first game's weight over its partners
		for _, b := range all {
			baseline(weight, []float64{a.loss, b.loss})
			mean += b.prob * weight[0]
		}
		for t, x := range a.asked {
			at := a.state[t] * d
			for i := range row {
				row[i] = float32(probs[at+i])
				dlogits[i] = float32(math.Log(probs[at+i]))
			}
			train.PsiGrad(dlogits, row, []int32{0}, []int32{x}, []float64{mean}, 1, 0, &scratch)
			for i, v := range dlogits {
				sum[at+i] += a.prob * float64(v)
			}
		}
	}
	return sum
}
