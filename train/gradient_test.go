package train_test

import (
	"math"
	"slices"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/train"
)

// rollout is what Eq. 11 reads of a game.
type rollout struct {
	prob, loss float64
	asked      []int32
	state      []int
}

// TestPsiGradUnbiased: Eq. 11 is an identity in every state's logits, summed
// over every pair of games (L = 2), for both estimators, also at |θ_i| = 1; a
// baseline that includes the rollout itself fails.
func TestPsiGradUnbiased(t *testing.T) {
	p := check.Thresholds(3, 3)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	testPsiGradUnbiased(t, g)
	testPsiGradUnbiased(t, g.Stopped(check.Lead{P: p, Sum: 2, After: 3}))
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

// TestPsiGradOver: games that are over count for nothing, in the gradient and in the entropy.
func TestPsiGradOver(t *testing.T) {
	probs, start := make([]float32, 6), []float32{.3, -.8, 1.2, 2, .1, -1}
	for u := range 2 {
		game.Softmax(probs[u*3:(u+1)*3], start[u*3:(u+1)*3], nil)
	}
	got, want := append([]float32(nil), start...), append([]float32(nil), start...)
	h := train.PsiGrad(got, probs, []int32{-1, 1, 0, -1}, []int32{-1, 2, 0, -1}, []float64{5, .3, -.4, 7}, .1, .2, new(train.RowScratch))
	if only := train.PsiGrad(want, probs, []int32{1, 0}, []int32{2, 0}, []float64{.3, -.4}, .1, .2, new(train.RowScratch)); h != only || !slices.Equal(got, want) {
		t.Errorf("with two games over the entropy is %v, the gradient %v; without them %v, %v", h, got, only, want)
	}
	if h := train.PsiGrad(got, probs, []int32{-1}, []int32{-1}, []float64{5}, .1, .2, new(train.RowScratch)); h != 0 || !slices.Equal(got, want) {
		t.Errorf("with all games over the entropy is %v, the gradient %v", h, got)
	}
}

// TestPsiGradEntropy: the entropy's direct gradient against central differences.
func TestPsiGradEntropy(t *testing.T) {
	logits := []float32{.3, -.8, 1.2}
	probs, got := make([]float32, 3), make([]float32, 3)
	game.Softmax(probs, logits, nil)
	copy(got, logits)
	train.PsiGrad(got, probs, []int32{0}, []int32{1}, []float64{0}, 1, 1, new(train.RowScratch))
	for i := range logits {
		h := func(by float32) float64 {
			x := append([]float32(nil), logits...)
			x[i] += by
			p := make([]float32, 3)
			game.Softmax(p, x, nil)
			var h float64
			for _, v := range p {
				h -= float64(v) * math.Log(float64(v))
			}
			return h
		}
		if want := -(h(1e-2) - h(-1e-2)) / 2e-2; math.Abs(float64(got[i])-want) > 1e-3 {
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
}
