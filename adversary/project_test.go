package adversary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo"
	"mapo/internal/check"
)

func TestProject(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []*mapo.Problem{check.Thresholds(7, 5), check.BestArm(5, 5), check.Random(12, 20, 5, r)} {
		c := mapo.RhoTilde(p)
		least := mapo.LeastRho(p)
		d := p.Queries()
		grad := make([]float64, d)
		done := 0
		for range 300 {
			theta := make([]float64, d)
			for i := range theta {
				theta[i] = 2.4*r.Float64() - 1.2
			}
			level := least * (1 + 15*r.Float64()*r.Float64())
			rho, ok := Project(p, c, theta, level, grad)
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
				t.Fatalf("%s: Project returned ρ̃ = %v, it is %v", p.Name, rho, got)
			}
			again := slices.Clone(theta)
			if Project(p, c, again, level, grad); !slices.Equal(again, theta) {
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
	if rho, ok := Project(p, mapo.RhoTilde(p), theta, 16, make([]float64, 5)); !ok || rho > 16 {
		t.Errorf("Project from a tie: ρ̃ = %v, %v", rho, ok)
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

func TestStartsFit(t *testing.T) {
	p := check.Random(9, 12, 5, rand.New(rand.NewPCG(3, 4)))
	s := &Search{P: p, C: mapo.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{12, 40}}
	for _, loss := range mapo.Losses() {
		s.Loss = loss
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		for j := range 20 * len(h.shape.families) {
			tr := h.fresh(j%2, j, s.Key.At(j))
			if tr == nil {
				continue
			}
			made++
			if rho := s.C.Of(tr.theta); !h.counts(tr, j%2) || math.Abs(rho-tr.rho) > 1e-9*rho {
				t.Fatalf("start %d has ρ̃ = %v, noted %v, for level %v", j, rho, tr.rho, s.Levels[j%2])
			}
		}
		if made < 180 {
			t.Errorf("%v: only %d of 200 starts fit", loss, made)
		}
	}
}

func TestTransport(t *testing.T) {
	// A vertex carried to another hypothesis is that hypothesis's vertex.
	p := check.Thresholds(8, 5)
	s := newShapes(p)
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		theta := make([]float64, 8)
		k := s.hypothesis(r)
		for i := range theta {
			theta[i] = .5 * s.sign(k, i)
		}
		transport(s, theta, nil, r)
		in := p.Instance(theta)
		for i, v := range theta {
			if v != .5*s.sign(in.Best, i) {
				t.Fatalf("transport made %v of a vertex", theta)
			}
		}
	}
}
