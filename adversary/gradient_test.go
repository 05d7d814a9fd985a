package adversary_test

import (
	"math"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
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

// TestThetaGradUnbiased: Eq. 10 is an identity inside the box, summed over every
// game, for both estimators and both losses.
func TestThetaGradUnbiased(t *testing.T) {
	g := exactly(t, check.Thresholds(3, 3))
	theta := []float64{.6, -.35, -.8}
	for _, loss := range game.Losses() {
		all := outcomes(g, loss, theta)
		want := make([]float64, 3)
		g.Flow(check.Wavy{P: g.P}).Grad(want, loss, theta)
		for _, loo := range []bool{false, true} {
			got := meanThetaGrad(all, theta, func(dst, x []float64) { adversary.Baseline(dst, x, 2, loo) })
			if e := check.Farthest(got, want); e > 1e-12 {
				t.Errorf("%v, loo %v: the mean of Eq. 10 is %v, the derivative %v (off by %.2g)", loss, loo, got, want, e)
			}
		}
		mutant := meanThetaGrad(all, theta, func(dst, x []float64) { // the mean of all, its own game included
			for i := range dst {
				dst[i] = x[i] - (x[0]+x[1])/2
			}
		})
		if check.Farthest(mutant, want) < 1e-3 {
			t.Errorf("%v: a baseline that includes the rollout itself passes for unbiased", loss)
		}
	}
}

// TestThetaGradAtTheEdge pins reading 2's bias: at |θ_i| = 1 the impossible
// answer is never drawn and its derivative is missed.
func TestThetaGradAtTheEdge(t *testing.T) {
	g := exactly(t, check.Thresholds(3, 3))
	theta := []float64{1, -.35, -.8}
	all := outcomes(g, game.BestIdentification, theta)
	want := make([]float64, 3)
	g.Flow(check.Wavy{P: g.P}).Grad(want, game.BestIdentification, theta)
	got := meanThetaGrad(all, theta, func(dst, x []float64) { adversary.Baseline(dst, x, 2, false) })
	if math.Abs(got[0]-want[0]) < .01 {
		t.Errorf("Eq. 10 at θ_1 = 1 has mean %v and the derivative is %v: the bias of reading 2 is gone", got[0], want[0])
	}
	if e := check.Farthest(got[1:], want[1:]); e > 1e-12 {
		t.Errorf("coordinates inside are off by %.2g", e)
	}
}

// TestWGradUnbiased: Eq. 9 is an identity, summed over every draw of M = 2
// instances, for both estimators.
func TestWGradUnbiased(t *testing.T) {
	ps := &adversary.Mixture{W: []float64{.3, -.7, 1.1}}
	loss := []float64{.2, .9, .5}
	prob := make([]float64, 3)
	ps.Probabilities(prob)
	var all float64
	for i, p := range prob {
		all += p * loss[i]
	}
	want := make([]float64, 3)
	for i, p := range prob {
		want[i] = p * (loss[i] - all)
	}
	expect := func(share float64, loo bool) []float64 {
		got := make([]float64, 3)
		for a, pa := range prob {
			for b, pb := range prob {
				one, mid := make([]float64, 3), (loss[a]+loss[b])/2
				adversary.WGrad(one, prob, []int{a, b}, []float64{loss[a] - share*mid, loss[b] - share*mid}, loo)
				for i, v := range one {
					got[i] += pa * pb * v
				}
			}
		}
		return got
	}
	for _, loo := range []bool{false, true} {
		if e := check.Farthest(expect(0, loo), want); e > 1e-12 {
			t.Errorf("loo %v: the mean of Eq. 9 is off by %.2g", loo, e)
		}
	}
	if check.Farthest(expect(1, false), want) < 1e-3 {
		t.Error("a baseline that includes the instance itself passes for unbiased")
	}
}

// TestEntropyGrad: the generator's entropy term against central differences.
func TestEntropyGrad(t *testing.T) {
	ps := &adversary.Mixture{W: []float64{.3, -.7, 1.1}}
	prob := make([]float64, 3)
	ps.Probabilities(prob)
	got := make([]float64, 3)
	adversary.EntropyGrad(got, prob, 1)
	for i := range got {
		h := func(by float64) float64 {
			w := append([]float64(nil), ps.W...)
			w[i] += by
			return (&adversary.Mixture{W: w}).Probabilities(make([]float64, 3)) * math.Log(3)
		}
		if want := (h(1e-6) - h(-1e-6)) / 2e-6; math.Abs(got[i]-want) > 1e-8 {
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestBarrierGrad: against central differences of log 𝒞 outside, 0 inside.
func TestBarrierGrad(t *testing.T) {
	p := check.Thresholds(3, 3)
	c := game.RhoTilde(p)
	theta := []float64{.3, .1, -.25}
	r := c.Of(theta) / 2
	got, scratch := make([]float64, 3), make([]float64, 3)
	adversary.BarrierGrad(got, c, theta, r, 1, scratch)
	for i := range theta {
		at := func(by float64) float64 {
			x := append([]float64(nil), theta...)
			x[i] += by
			return adversary.Excess(c.Of(x), r)
		}
		if want := (at(1e-6) - at(-1e-6)) / 2e-6; math.Abs(got[i]-want) > 1e-5 {
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
	clear(got)
	adversary.BarrierGrad(got, c, theta, 4*r, 1, scratch)
	if check.Farthest(got, make([]float64, 3)) != 0 {
		t.Errorf("inside Ω the barrier pushes: %v", got)
	}
}

// A rollout's baseline is the mean of the others of its instance, l − 1 of them, and one that is all alike leaves nothing.
func TestBaseline(t *testing.T) {
	loss := []float64{1, 2, 6, 5, 5, 5}
	got := make([]float64, 6)
	for loo, want := range map[bool][]float64{false: loss, true: {1 - 4, 2 - 3.5, 6 - 1.5, 0, 0, 0}} {
		adversary.Baseline(got, loss, 3, loo)
		if check.Farthest(got, want) > 1e-12 {
			t.Errorf("loo %v: %v, want %v", loo, got, want)
		}
	}
	adversary.Baseline(got, loss, 1, true)
	if check.Farthest(got, loss) != 0 {
		t.Errorf("with one rollout: %v, want the losses", got)
	}
}

// So is an instance's in Eq. 9, of M − 1 others: where all lose the same, w stands still.
func TestWGradBaseline(t *testing.T) {
	prob := []float64{.2, .3, .5}
	got := make([]float64, 3)
	adversary.WGrad(got, prob, []int{0, 0, 2}, []float64{4, 4, 4}, true)
	if check.Farthest(got, make([]float64, 3)) > 1e-12 {
		t.Errorf("of losses that are all alike: %v, want 0", got)
	}
	adversary.WGrad(got, prob, []int{0, 1, 2}, []float64{1, 2, 6}, true)
	if want := []float64{-3. / 3, -1.5 / 3, 4.5 / 3}; check.Farthest(got, want) > 1e-12 {
		t.Errorf("got %v, want %v: the instances' advantages sum to 0, so the distribution's part is 0", got, want)
	}
}

// Where the best hypothesis is not unique, 𝒞 = ∞: the barrier is log 10 and has no slope.
func TestBarrierAtTies(t *testing.T) {
	p := check.Thresholds(3, 3)
	c := game.RhoTilde(p)
	tie := []float64{0, -.5, -.5} // the first two hypotheses score the same
	if rho := c.Of(tie); !math.IsInf(rho, 1) {
		t.Fatalf("the tie's difficulty is %v", rho)
	}
	if got := adversary.Excess(c.Of(tie), 8); got != math.Log(10) {
		t.Errorf("its excess is %v, want log 10", got)
	}
	got := make([]float64, 3)
	adversary.BarrierGrad(got, c, tie, 8, 1, make([]float64, 3))
	if check.Farthest(got, make([]float64, 3)) != 0 {
		t.Errorf("its barrier pushes: %v", got)
	}
	for rho, want := range map[float64]float64{8: 0, 4: 0, 16: math.Ln2, 800: math.Log(100)} {
		if got := adversary.Excess(rho, 8); math.Abs(got-want) > 1e-12 {
			t.Errorf("the excess of %v over 8 is %v, want %v", rho, got, want)
		}
	}
}
