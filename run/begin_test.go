package run

import (
	"fmt"
	"math"
	"testing"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/run/job"
)

// begun are the weights of π_1 … π_4 and π̂ of a run whose trainings move them by next to nothing, so those they started
// from, but for what change does.
func begun(t *testing.T, loss game.Loss, follow int, change func(*Plan)) (pi [][]float32, hat []float32) {
	t.Helper()
	plan := tiny(t, 8, 16, 32, 64)
	plan.Loss, plan.Rivals, plan.Priors = loss, nil, nil
	plan.Train.RatePsi, plan.Train.Pi, plan.Train.Oracle.Follow, plan.Train.PiHat = 1e-9, 1, follow, 1
	if change != nil {
		change(&plan)
	}
	s := folder(t)
	f, err := New(t.Context(), plan, s, &job.Local{Store: s, Steps: Steps(plan.Known()...), Cores: 1})
	if err != nil {
		t.Fatal(err)
	}
	ladder, err := MAPO(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	weights := func(p *Policy) []float32 {
		net, _, err := nn.Decode(p.Net.File)
		if err != nil {
			t.Fatal(err)
		}
		return net.Params()
	}
	for _, p := range ladder.Pi {
		pi = append(pi, weights(p))
	}
	return pi, weights(ladder.PiHat)
}

// apart is how far two networks' weights are from each other, at most.
func apart(a, b []float32) (far float64) {
	for i := range a {
		far = math.Max(far, math.Abs(float64(a[i]-b[i])))
	}
	return far
}

// same reports whether two networks have the same weights, but for a training of next to nothing.
func same(a, b []float32) bool { return apart(a, b) < 1e-6 }

// π̂ starts from the weights of the π_k in the middle, the lower one of four. Where π_k follow, they start from that
// one's, for regret from the upper one's; else each has fresh weights of its own.
func TestWhereTrainingsStart(t *testing.T) {
	for _, c := range []struct {
		loss  game.Loss
		first int // which of the π_k the others follow
	}{{game.BestIdentification, 1}, {game.SimpleRegret, 2}} {
		t.Run(fmt.Sprint(c.loss), func(t *testing.T) {
			fresh, hat := begun(t, c.loss, 0, nil)
			for k, w := range fresh {
				if same(w, hat) != (k == 1) {
					t.Errorf("π̂ starts from the weights of π_%d: %t, want those of π_2 alone", k+1, same(w, hat))
				}
			}
			follow, hat := begun(t, c.loss, 1, nil)
			for k, w := range append(follow, hat) {
				if !same(w, fresh[c.first]) {
					t.Errorf("policy %d of π_1 … π_4, π̂ does not start from the weights of π_%d", k+1, c.first+1)
				}
			}
		})
	}
}

// A policy file that is given takes the place of fresh weights, and π̂ starts from it in any case.
func TestTrainingsStartFromAFile(t *testing.T) {
	from := tiny(t, 16)
	from.Rivals, from.Priors = nil, nil
	file := learned(t, from, folder(t))
	net, _, err := nn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	const rate = 1e-3 // how far Adam's first step goes, at most
	pi, hat := begun(t, game.BestIdentification, 0, func(p *Plan) { p.Init, p.Train.RatePsi, p.Train.Pi = file, rate, 20 })
	if far := apart(hat, net.Params()); far > 1.5*rate {
		t.Errorf("after one step π̂ is %.2g from the file's weights, want %g at most", far, rate)
	}
	for k, w := range pi {
		if far := apart(w, net.Params()); far < 3*rate || far > 20*rate {
			t.Errorf("after 20 steps π_%d is %.2g from the file's weights, want %g to %g", k+1, far, 3*rate, 20*rate)
		}
	}
}
