package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo"
	"mapo/complexity"
	"mapo/internal/check"
)

func TestProject(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []*mapo.Problem{check.Thresholds(7, 5), check.BestArm(5, 5), check.Random(12, 20, 5, r)} {
		c := mapo.RhoTilde(p)
		least := complexity.LeastRho(p)
		d := p.Queries()
		grad := make([]float64, d)
		done := 0
		for range 300 {
			theta := make([]float64, d)
			for i := range theta {
				theta[i] = 2.4*r.Float64() - 1.2
			}
			level := least * (1 + 15*r.Float64()*r.Float64())
			rho, ok := project(p, c, theta, level, grad)
			for _, v := range theta {
				if math.Abs(v) > 1-mapo.Edge {
					t.Fatalf("%s: θ_i = %v is outside the box", p.Name, v)
				}
			}
			if ok != (rho <= level) {
				t.Fatalf("%s: Project says %v at ρ̃ = %v, level %v", p.Name, ok, rho, level)
			}
			if !ok {
				continue
			}
			done++
			if got := c.Of(theta); math.Abs(got-rho) > 1e-9*rho {
				t.Fatalf("%s: project returned ρ̃ = %v, it is %v", p.Name, rho, got)
			}
			again := slices.Clone(theta)
			if project(p, c, again, level, grad); !slices.Equal(again, theta) {
				t.Fatalf("%s: a projected point moved", p.Name)
			}
		}
		// It may fail near the least ρ̃, where not every z_* has a feasible point.
		if done < 200 {
			t.Errorf("%s: only %d of 300 points could be projected", p.Name, done)
		}
	}
}

func TestProjectOffATie(t *testing.T) {
	p := check.Thresholds(5, 5)
	theta := make([]float64, 5) // 0: all hypotheses tie, ρ̃ = ∞
	if rho, ok := project(p, mapo.RhoTilde(p), theta, 16, make([]float64, 5)); !ok || rho > 16 {
		t.Errorf("project from a tie: ρ̃ = %v, %v", rho, ok)
	}
}

func TestShrink(t *testing.T) {
	p := check.Thresholds(5, 5)
	c := mapo.RhoTilde(p)
	theta := []float64{.9, .8, -.9, -.7, -.9}
	if rho := shrink(c, theta, c.Of(theta), 20); rho > 20 || rho < 19.9 {
		t.Errorf("shrink ends at ρ̃ = %v, want just below 20", rho)
	}
}

// A Newton step brings an instance that is somewhat too hard to the level: nearly there in one, from where 𝒞 is smooth, and
// never away from it.
func TestNewton(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, p := range []*mapo.Problem{check.Thresholds(7, 5), check.BestArm(5, 5)} {
		c := mapo.RhoTilde(p)
		grad := make([]float64, p.Queries())
		nearer, tried := 0, 0
		for tried < 200 {
			theta := make([]float64, p.Queries())
			for i := range theta {
				theta[i] = 1.6*r.Float64() - .8
			}
			rho := c.Grad(grad, theta)
			if math.IsInf(rho, 1) || rho > 1e4 {
				continue
			}
			tried++
			newton(theta, grad, rho, rho/1.1)
			if c.Of(theta) < rho {
				nearer++
			}
		}
		if nearer < tried*9/10 {
			t.Errorf("%s: %d of %d steps make an instance easier", p.Name, nearer, tried)
		}
	}
}
