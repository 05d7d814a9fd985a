package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
)

func TestProject(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []*game.Problem{check.Thresholds(7, 5), check.BestArm(5, 5), check.Random(12, 20, 5, r)} {
		c := game.RhoTilde(p)
		least := difficulty.Least(p)
		d := p.Queries()
		grad := make([]float64, d)
		done := 0
		for range 300 {
			theta := make([]float64, d)
			for i := range theta {
				theta[i] = 2.4*r.Float64() - 1.2
			}
			level := least * (1 + 15*r.Float64()*r.Float64())
			rho, ok := project(rays{p, c}, c, theta, level, grad)
			for _, v := range theta {
				if math.Abs(v) > 1-game.Edge {
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
			if project(rays{p, c}, c, again, level, grad); !slices.Equal(again, theta) {
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
	if rho, ok := project(rays{p, game.RhoTilde(p)}, game.RhoTilde(p), theta, 16, make([]float64, 5)); !ok || rho > 16 {
		t.Errorf("project from a tie: ρ̃ = %v, %v", rho, ok)
	}
}

func TestShrink(t *testing.T) {
	p := check.Thresholds(5, 5)
	c := game.RhoTilde(p)
	theta := []float64{.9, .8, -.9, -.7, -.9}
	if rho := (rays{p, c}).harden(theta, c.Of(theta), 20); rho > 20 || rho < 19.9 {
		t.Errorf("shrink ends at ρ̃ = %v, want just below 20", rho)
	}
}

// A Newton step brings an instance that is somewhat too hard to the level: nearly there in one, from where 𝒞 is smooth, and
// never away from it.
func TestNewton(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, p := range []*game.Problem{check.Thresholds(7, 5), check.BestArm(5, 5)} {
		c := game.RhoTilde(p)
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

// One Newton step between two arms, where 𝒞^(−1/2) = |θ_1 − θ_2|/2 is linear, comes to the level, just inside, by the shortest way: both
// move alike, and where the box holds one back the other makes the whole way. ρ̃ = 4/gap².
func TestNewtonByHand(t *testing.T) {
	p := check.BestArm(2, 1)
	c := game.RhoTilde(p)
	grad := make([]float64, 2)
	const gap = .2 * newtonInside // at ρ̃ = 100, aimed a little inside
	for _, x := range []struct {
		why         string
		theta, want []float64
	}{
		{"apart", []float64{.2, .1}, []float64{.15 + gap/2, .15 - gap/2}},
		{"the other way", []float64{.1, .2}, []float64{.15 - gap/2, .15 + gap/2}},
		{"the first is at the box", []float64{box, .9}, []float64{box, box - gap}},
		{"the second is at the box", []float64{-.9, -box}, []float64{-box + gap, -box}},
		{"too far in one step", []float64{.01, 0}, []float64{.005 + gap/2, .005 - gap/2}},
	} {
		rho := c.Grad(grad, x.theta)
		newton(x.theta, grad, rho, 100)
		if apart(x.theta, x.want) > 1e-9 {
			t.Errorf("%s: Newton comes to %v, want %v", x.why, x.theta, x.want)
		}
		if rho := c.Of(x.theta); rho > 100 || rho < 99.8 {
			t.Errorf("%s: ρ̃ = %v after a step, want just below 100", x.why, rho)
		}
	}
	far := []float64{.01, 0}
	newton(far, grad, c.Grad(grad, far), 4) // a gap of 1
	if want := []float64{.01 + newtonReach, -newtonReach}; apart(far, want) > 1e-9 {
		t.Errorf("a long step ends at %v, want no more than %v along each query", far, newtonReach)
	}
}

// The fallback of a projection ends just inside the level, too, by mixing no more of 2z_* − 1 in than it takes.
func TestProjectFallback(t *testing.T) {
	three := check.Thresholds(3, 1)
	c := game.RhoTilde(three)
	theta := []float64{.05, .04, -.05} // z_* is the second: 2z_* − 1 = (1, 1, −1)
	rho, ok := mix(rays{three, c}, c, theta, 30, make([]float64, 3))
	if !ok || rho > 30 || rho < 28 || math.Abs(rho-c.Of(theta)) > 1e-9 {
		t.Errorf("mixed to %v with ρ̃ = %v, %v; want just below 30", theta, rho, ok)
	}
	if by := theta[0] - .05; by < .05 || math.Abs(by/(box-.05)-(theta[2]+.05)/(.05-box)) > 1e-9 {
		t.Errorf("mixed to %v, which is not between θ and 2z_* − 1", theta)
	}
}

// TestMixReachesTheLevel: a mixture ends close to the level asked for, not at the easy instance that it mixes with.
func TestMixReachesTheLevel(t *testing.T) {
	p := check.Random(6, 12, 4, rand.New(rand.NewPCG(5, 5)))
	c, r := game.RhoTilde(p), rand.New(rand.NewPCG(6, 6))
	theta, scratch, mixed := make([]float64, 6), make([]float64, 6), 0
	for range 200 {
		for i := range theta {
			theta[i] = 2*r.Float64() - 1
		}
		before := c.Of(theta)
		level := 60.0
		if before <= level {
			continue
		}
		rho, ok := mix(rays{p, c}, c, theta, level, scratch)
		if !ok {
			continue
		}
		if mixed++; rho > level || rho < 0.9*level {
			t.Errorf("from difficulty %.4g a mixture has %.4g, want just below %g", before, rho, level)
		}
	}
	if mixed < 20 {
		t.Errorf("%d mixtures, want at least 20", mixed)
	}
}
