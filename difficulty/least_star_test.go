package difficulty

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// byStar is p with levels by ρ_*.
func byStar(p *game.Problem) *game.Problem {
	p.Difficulty = RhoStarName
	return p
}

// kinds are a problem of each kind.
func kinds() map[string]*game.Problem {
	r := rng.New(5).Rand()
	rows := &game.Problem{Name: "rows", T: 4, Seek: &game.Shares{}}
	for i := range 6 {
		rows.X = append(rows.X, string(rune('a'+i)))
	}
	for k := range 9 {
		rows.Names = append(rows.Names, string(rune('A'+k)))
		rows.Seek.(*game.Shares).Weight = append(rows.Seek.(*game.Shares).Weight, 1./9)
		for range 6 {
			rows.Seek.(*game.Shares).Yes = append(rows.Seek.(*game.Shares).Yes, r.Float64())
		}
	}
	rows.Grade()
	return map[string]*game.Problem{
		"thresholds": check.Thresholds(5, 3), "arms": check.BestArm(6, 8), "rows": rows,
		"vectors": check.RandomVectors(3, 8, 5, 9, r), "pool": check.Pool(9, 4, 3, 5, true, r),
	}
}

// TestStarOfArms: with all gaps Δ the design gives the best arm √(K−1) times as much as another, so that
// ρ_* = (1 + √(K−1))²/Δ². With any gaps it solves Σ_i 1/(ρΔ_i² − 1/x) = 1 − x at the x, the share of the best arm, where ρ is least.
func TestStarOfArms(t *testing.T) {
	for _, gap := range []float64{0.5, 1, 1.9} {
		theta := make([]float64, 10)
		for i := range theta[1:] {
			theta[i+1] = -gap / 2
		}
		theta[0] = gap / 2
		if got, want := Of(byStar(check.BestArm(10, 1))).Of(theta), 16/(gap*gap); math.Abs(got-want) > Gap*want {
			t.Errorf("nine arms %v behind: ρ_* is %v, want %v", gap, got, want)
		}
	}
	theta := []float64{0.7, 0.4, -0.1, -0.9}
	want := math.Inf(1)
	for x := 0.001; x < 1; x += 0.001 {
		lo, hi := 1/x/0.09, 1e6
		for range 60 {
			rho, sum := (lo+hi)/2, 0.0
			for _, v := range theta[1:] {
				sum += 1 / (rho*(theta[0]-v)*(theta[0]-v) - 1/x)
			}
			if sum > 1-x {
				lo = rho
			} else {
				hi = rho
			}
		}
		want = min(want, hi)
	}
	if got := Of(byStar(check.BestArm(4, 1))).Of(theta); math.Abs(got-want) > 2*Gap*want {
		t.Errorf("ρ_* of %v is %v, want %v", theta, got, want)
	}
}

// TestStarCells: on a problem of each kind no instance that a walk finds is easier than that of its hypothesis, and ρ_* of it
// is at most ρ̃'s least.
func TestStarCells(t *testing.T) {
	for name, p := range kinds() {
		rho := Cells(p)
		star := Cells(byStar(p))
		c, r := Of(p), rng.New(6).Rand()
		for k, least := range star {
			if math.IsInf(rho[k], 1) {
				continue // best nowhere
			}
			if !(least <= rho[k]*(1+2*Gap)) {
				t.Errorf("%s: ρ_* of hypothesis %d is at least %v, ρ̃ %v", name, k, least, rho[k])
			}
			theta := make([]float64, p.Queries())
			for range 300 {
				p.Anywhere(theta, r)
				if in := p.Instance(theta); in.Best == k && c.Of(theta) < least*(1-5*Gap) {
					t.Errorf("%s: %v has ρ_* %v, and the least of its hypothesis is %v", name, theta, c.Of(theta), least)
				}
			}
		}
	}
}

// TestStarAnchors: the anchors are those of the measure, and by ρ_* they are easier than by ρ̃, or as easy.
func TestStarAnchors(t *testing.T) {
	for _, name := range []string{"rows", "vectors"} {
		p := kinds()[name]
		own := rhoOf(p, RhoStar(p), p.Hypotheses(), Anchors(p))
		easier := 0
		for k, v := range Cells(byStar(p)) {
			if v > own[k]*(1+1e-6) {
				t.Errorf("%s: the anchor of hypothesis %d has ρ_* %v, that by ρ̃ has %v", name, k, v, own[k])
			}
			if v < own[k]*(1-0.001) {
				easier++
			}
		}
		if easier == 0 {
			t.Errorf("%s: no anchor is easier by ρ_* than that by ρ̃", name)
		}
	}
}
