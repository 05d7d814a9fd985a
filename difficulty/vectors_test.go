package difficulty

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestSoare: in Soare's example (Soare, Lazaric and Munos 2014) with ω = 0.1 and θ = e₁ the competitor alone has
// ρ_* = ‖a‖₁²/gap² = 440.3, the most of it to be asked of e₂.
func TestSoare(t *testing.T) {
	near := []float64{math.Cos(0.1), math.Sin(0.1)}
	p := check.Vectors([][]float64{{1, 0}, {0, 1}, near}, [][]float64{{1, 0}, near}, 1)
	theta := []float64{1, 0, near[0]}
	rho, lambda, gap, err := Star(p, theta)
	if err != nil || gap > Gap || math.Abs(rho-440.3) > 440.3*2*Gap || !(lambda[1] > 0.9) {
		t.Errorf("ρ_* is %v ± %v at %v (%v), want 440.3", rho, gap, lambda, err)
	}
	if got := game.RhoTilde(p).Of(theta); math.Abs(got-440.3) > 0.1 {
		t.Errorf("ρ̃ is %v, want 440.3", got)
	}
}

// TestStarOfTwo: with two hypotheses ρ_* = ρ̃ = ‖a‖₁²/gap², a of least norm.
func TestStarOfTwo(t *testing.T) {
	r := rng.New(1).Rand()
	for range 20 {
		p := check.RandomVectors(3, 7, 2, 1, r)
		theta := check.Admitted(p, r)
		of, _ := p.Difference(0, 1)
		in := p.Instance(theta)
		gap := in.Value[0] - in.Value[1]
		want := of.Norm * of.Norm / gap / gap
		rho, _, slack, err := Star(p, theta)
		if err != nil || slack > Gap || !within(rho, want*(1-2e-7)) || math.Abs(game.RhoTilde(p).Of(theta)-want) > 1e-9*want {
			t.Errorf("ρ_* is %v, ρ̃ %v, want %v (%v)", rho, game.RhoTilde(p).Of(theta), want, err)
		}
	}
}

// TestVectorStar: ρ_* is at most ρ̃, at least the largest ‖a‖₁²/gap², the same in other coordinates, and that of the standard
// basis for unit vectors; its gradient is right.
func TestVectorStar(t *testing.T) {
	r := rng.New(2).Rand()
	for range 20 {
		p := check.RandomVectors(4, 9, 5*r.IntN(2), 1, r)
		theta := check.Admitted(p, r)
		rho, lambda, gap, err := Star(p, theta)
		if err != nil || gap > Gap {
			t.Fatal(gap, err)
		}
		in, least, sum := p.Instance(theta), 0.0, 0.0
		for k, v := range in.Value {
			if k != in.Best {
				least = max(least, math.Pow(p.Distance(in.Best, k)/(in.Max-v), 2))
			}
		}
		for _, v := range lambda {
			sum += v
		}
		if most := game.RhoTilde(p).Of(theta); rho*(1-gap) > most*(1+1e-6) || rho < least*(1-1e-6) || math.Abs(sum-1) > 1e-6 {
			t.Errorf("ρ_* is %v, want from %v to %v; the design sums to %v", rho, least, most, sum)
		}
	}
	for _, p := range []*game.Problem{check.BestArm(6, 1), check.Thresholds(8, 1)} {
		q := check.AsVectors(p)
		for range 5 {
			theta := check.Admitted(p, r)
			a, _, _, _ := Star(p, theta)
			b, _, _, err := Star(q, theta)
			if err != nil || math.Abs(a-b) > 2*Gap*a {
				t.Errorf("ρ_* is %v, and %v of unit vectors (%v)", a, b, err)
			}
			one, two := make([]float64, len(theta)), make([]float64, len(theta))
			fine, general := rhoStar{p, 1e-10, classOf(p).star}, rhoStar{q, 1e-6, classOf(q).star}
			if a, b = fine.Grad(one, theta), general.Grad(two, theta); math.Abs(a-b) > 2e-6*a || check.Farthest(one, two) > 1e-2*a*math.Sqrt(a) {
				t.Errorf("the gradients are %v and %v", one, two)
			}
		}
	}
}

// TestKieferWolfowitz: the G-optimal design has max_x xᵀA⁻¹x = rank 𝒳.
func TestKieferWolfowitz(t *testing.T) {
	r := rng.New(3).Rand()
	for range 5 {
		p := check.RandomVectors(4, 12, 0, 1, r)
		s := newVectorDesign(p.Span(), 12, p.Span().U)
		if err := s.solve(t.Context(), Gap); err != nil || !within(s.upper, 4) {
			t.Errorf("the design's value is %v, want the rank 4 (%v)", s.upper, err)
		}
	}
}

// TestVectorAnchors: no random instance is easier than the anchor of its hypothesis; the bounds meet; ρ̃ rises along segments
// from it. Unit vectors have the anchors 2z − 1 up to what makes no difference to ρ̃.
func TestVectorAnchors(t *testing.T) {
	r := rng.New(4).Rand()
	for range 4 {
		p := check.RandomVectors(3, 10, 6, 1, r)
		o, best, rho := newPolar(p), make([]float64, 10), game.RhoTilde(p)
		least := make([]float64, 6)
		anchors := make([][]float64, 6)
		for k := range least {
			at, bound := o.of(t.Context(), best, k)
			least[k], anchors[k] = bound, slices.Clone(best)
			if math.IsInf(at, 1) {
				continue
			}
			if p.Instance(best).Best != k || math.Abs(rho.Of(best)-at) > 1e-9*at || at > bound*(1+3*cutGap) {
				t.Errorf("hypothesis %d: ρ̃ of the anchor is %v, the bound %v", k, at, bound)
			}
		}
		for range 2000 {
			theta := check.Admitted(p, r)
			in, at := p.Instance(theta), rho.Of(theta)
			if at < least[in.Best]*(1-1e-9) {
				t.Fatalf("ρ̃ = %v is below the bound %v of hypothesis %d", at, least[in.Best], in.Best)
			}
			half := make([]float64, len(theta))
			for i, v := range anchors[in.Best] {
				half[i] = (v + theta[i]) / 2
			}
			if mid := rho.Of(half); mid > at*(1+1e-6) {
				t.Fatalf("ρ̃ falls along a segment from an anchor, from %v to %v", mid, at)
			}
		}
		p.Ease(Anchors(p))
		for k, at := range Cells(p) {
			if math.IsInf(at, 1) != math.IsInf(least[k], 1) || at < math.Inf(1) && math.Abs(at-least[k]) > 1e-3*at {
				t.Errorf("Cells is %v, the bound %v", at, least[k])
			}
		}
	}
	for _, p := range []*game.Problem{check.BestArm(5, 1), check.Thresholds(6, 1)} {
		for k, want := range Cells(p) {
			if got := Cells(check.AsVectors(p))[k]; math.Abs(got-want) > 1e-3*want {
				t.Errorf("the least ρ̃ of hypothesis %d is %v, want %v", k, got, want)
			}
		}
	}
}

// TestStaticOfSome: of two queries that are not unit vectors only the first tells the hypotheses
// apart. It has the whole design.
func TestStaticOfSome(t *testing.T) {
	p := check.Vectors([][]float64{{0.5, 0.5}, {0.5, -0.5}}, [][]float64{{0.5, 0.5}, {-0.5, -0.5}}, 10)
	if lambda, err := Static(t.Context(), p); err != nil || !(lambda[0] > 0.98) {
		t.Errorf("the design is %v (%v), want the first query alone", lambda, err)
	}
	if rho, _, _, err := Star(p, []float64{0.5, 0}); err != nil || math.Abs(rho-4) > 4*2*Gap {
		t.Errorf("ρ_* is %v (%v), want 4", rho, err)
	}
}

// TestStaticOfMany: taking pairs in as they are needed gives a design that is as good up to the gaps as that of all pairs at
// once, of fewer pairs.
func TestStaticOfMany(t *testing.T) {
	r := rng.New(8).Rand()
	for range 5 {
		p := check.RandomVectors(5, 30, 40, 1, r)
		worst := func(most int) float64 {
			lambda, err := static(t.Context(), p, most)
			if err != nil {
				t.Fatal(err)
			}
			s := newVectorDesign(p.Span(), p.Queries(), allPairs(p))
			copy(s.lambda, lambda)
			_, top, _ := s.evaluate()
			return top
		}
		all, some := worst(math.MaxInt), worst(0)
		if some > all*(1+2*staticGap) || all > some*(1+2*staticGap) {
			t.Errorf("the largest distance is %v by all pairs at once, %v by those that are needed", all, some)
		}
	}
}

// TestStaticStops: a context that is done ends the search for a design, which is found by a later one.
func TestStaticStops(t *testing.T) {
	p := check.RandomVectors(5, 30, 40, 1, rng.New(9).Rand())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Static(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was stopped: %v", err)
	}
	for _, most := range []int{0, math.MaxInt} {
		if _, err := static(ctx, p, most); !errors.Is(err, context.Canceled) {
			t.Errorf("a search of up to %d at once that was stopped: %v", most, err)
		}
	}
	lambda, err := Static(t.Context(), p)
	if err != nil || len(lambda) != 30 {
		t.Fatalf("the design %v, %v", lambda, err)
	}
	lambda[0] = 7 // the caller's own
	if again, err := Static(ctx, p); err != nil || again[0] == 7 {
		t.Errorf("the design that was kept: %v, %v", again, err)
	}
}
