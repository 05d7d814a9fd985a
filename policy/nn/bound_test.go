package nn

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// Bounded refuses weights whose logits are not numbers, and hardly any others: with the largest it
// lets pass, in states as extreme as it allows for, every logit is finite.
func TestBounded(t *testing.T) {
	p := check.Thresholds(6, 8)
	gated := NewGated(p)
	for i := range gated.Params() {
		gated.Params()[i] = 10
	}
	for _, net := range []Net{NewStructured(p, 8, rng.New(1)), NewMLP(p, []int{64, 64, 64}, rng.New(2)), gated} {
		fresh := append([]float32(nil), net.Params()...)
		scale := func(by float32) bool {
			for i, v := range fresh {
				net.Params()[i] = by * v
			}
			return Bounded(net)
		}
		if !scale(1) {
			t.Fatalf("%s: fresh weights are refused", net.Arch())
		}
		by := float32(1)
		for scale(2 * by) {
			by *= 2
		}
		if by < 1e3 || by > 1e30 {
			t.Errorf("%s: weights %g times as large are refused", net.Arch(), 2*by)
		}
		scale(by)
		d := p.Queries()
		s := game.States{N: make([]float32, d), S: make([]float32, d), Left: []float32{8}}
		for i := range s.N {
			s.N[i] = boundInput
			s.S[i] = boundInput * float32(1-2*(i%2))
		}
		logits := make([]float32, d)
		net.Forward(logits, net.NewTape(1), s)
		for i, v := range logits {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%s: logit %d is %v", net.Arch(), i, v)
			}
		}
		for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32} {
			scale(1)
			net.Params()[3] = bad
			if Bounded(net) {
				t.Errorf("%s: a weight of %v is let pass", net.Arch(), bad)
			}
		}
	}
}
