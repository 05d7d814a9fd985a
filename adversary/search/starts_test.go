package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

func TestStartsFit(t *testing.T) {
	p := check.Random(9, 12, 5, rand.New(rand.NewPCG(3, 4)))
	s := &Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{12, 40}}
	for _, loss := range game.Losses() {
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
	s := newShapes(p, game.RhoTilde(p))
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
