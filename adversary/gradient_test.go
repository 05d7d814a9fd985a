package adversary_test

import (
	"math"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/internal/check"
)

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
