package adversary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

func TestOwn(t *testing.T) {
	for _, c := range []struct {
		m      int
		weight float64
		want   int
	}{
		{64, 1e-6, 56}, {64, .125, 56}, {64, .25, 48}, {64, .5, 32}, {64, .9, 8}, {64, .999, 8}, {2, .1, 1}, {2, .9, 1}, {3, .01, 2}, {17, .01, 14},
	} {
		if got := Own(c.m, c.weight); got != c.want {
			t.Errorf("M = %d, w = %v: %d of the instances are the adversary's, want %d", c.m, c.weight, got, c.want)
		}
	}
}

// However many instances come from the prior, and however the adversary's are drawn, an instance counts in the mean for what
// it does in the objective: (1−w)·softmax(w)_i and w·prior. False alarms: 3 in 10⁸.
func TestMixMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutines: nothing for the race detector")
	}
	p := check.Thresholds(3, 4)
	own := [][]float64{{1, 1, 1}, {1, .75, -.5}, {.5, -.75, -1}}
	other := [][]float64{{-1, -1, -1}, {.25, 0, 0}}
	prob := []float64{.2, .5, .3}
	var logs []float64
	for _, p := range prob {
		logs = append(logs, math.Log(p))
	}
	s := settingOf(p, 20)
	means, weights := NewMeans(s, own, MeanOptions{Temperature: 1}), NewWeights(s, own, WeightOptions{})
	for name, inner := range map[string]Adversary{"means": means, "weights": weights} {
		for _, w := range []float64{.05, .4, .95} {
			t.Run(fmt.Sprintf("%s, w = %v", name, w), func(t *testing.T) {
				a := NewMix(inner, game.Rows("rows", other), w, s.Key)
				ph := phaseOf(game.BestIdentification, 1e9)
				a.Enter(ph, nil)
				if name == "means" {
					s := stateOf[meanState](t, means)
					s.Mean = logs
					restore(t, means, ph, s)
				} else {
					s := stateOf[weightState](t, weights)
					s.W = logs
					restore(t, weights, ph, s)
				}
				var b Batch
				iteration := 0
				for i, want := range []float64{(1 - w) * prob[0], (1 - w) * prob[1], (1 - w) * prob[2], w / 2, w / 2} {
					theta := slices.Concat(own, other)[i]
					check.Mean(t, want, 0, 1.3, .03, func(dst []float64) {
						clear(dst)
						for k := range dst {
							iteration++
							if _, err := a.Prepare(t.Context(), nil, iteration); err != nil {
								t.Fatal(err)
							}
							b.Reset(10, 3)
							a.Draw(&b, s.Key.At(iteration))
							for m, by := range b.Importance {
								if slices.Equal(b.Theta[m*3:m*3+3], theta) {
									dst[k] += by / float64(len(b.Importance))
								}
							}
						}
					})
				}
			})
		}
	}
}

// The adversary learns from its own instances alone: the prior's move neither its means nor its weights, nor training's
// estimate of the worst case.
func TestMixLeavesTheAdversaryAlone(t *testing.T) {
	p := check.Thresholds(3, 4)
	s := settingOf(p, 20)
	rows := [][]float64{{.6, .6, -.6}, {1, 1, 1}}
	for name, make := range map[string]func() Adversary{
		"means":   func() Adversary { return NewMeans(s, rows, MeanOptions{Temperature: 1}) },
		"weights": func() Adversary { return NewWeights(s, rows, WeightOptions{Rate: .1}) },
	} {
		t.Run(name, func(t *testing.T) {
			observe := func(prior float64) (Diagnostics, []byte) {
				a := NewMix(make(), game.Rows("sure", [][]float64{{1, 1, 1}}), .5, s.Key)
				a.Enter(phaseOf(game.BestIdentification, 3), nil)
				var b Batch
				b.Reset(10, 3)
				a.Draw(&b, s.Key)
				if len(b.Index) != 5 {
					t.Fatalf("%d of the instances are the adversary's, want 5", len(b.Index))
				}
				var g Games
				for m := range 10 {
					loss := prior
					if m < 5 {
						loss = float64(m)
					}
					g.Mean, g.Variance = append(g.Mean, loss), append(g.Variance, loss)
				}
				seen := a.Observe(&b, &g)
				state, err := a.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				return seen, state
			}
			seen, state := observe(0)
			other, after := observe(99)
			if seen.Worst != other.Worst || !slices.Equal(state, after) {
				t.Errorf("what the prior's instances lose changes the estimate from %v to %v, the state: %t", seen.Worst, other.Worst, !slices.Equal(state, after))
			}
			if name == "weights" && math.Abs(seen.Worst-2) > 1e-12 {
				t.Errorf("training's worst case is %v, its instances' mean 2", seen.Worst)
			}
		})
	}
}

// The prior's instances are draws of their own: different within an iteration, between iterations and between phases.
func TestPriorDraws(t *testing.T) {
	p := check.Thresholds(5, 6)
	s := settingOf(p, 30)
	for name, a := range map[string]Adversary{
		"prior": NewPrior(s, roaming{}),
		"mix":   NewMix(NewMeans(s, [][]float64{setInstance(1)}, MeanOptions{Temperature: 1}), roaming{}, .5, s.Key),
	} {
		seen := map[float64]bool{}
		lo := 0
		for at := range 4 {
			ph := phaseOf(game.SimpleRegret, 2)
			ph.Index = at / 2
			a.Enter(ph, nil)
			if _, err := a.Prepare(t.Context(), nil, at%2); err != nil {
				t.Fatal(err)
			}
			var b Batch
			b.Reset(16, 5)
			a.Draw(&b, rng.New(2))
			lo = len(b.Index)
			for m := lo; m < 16; m++ {
				seen[b.Theta[5*m]] = true
			}
		}
		if want := 4 * (16 - lo); len(seen) != want || want < 32 {
			t.Errorf("%s: %d of %d draws are different", name, len(seen), want)
		}
	}
}

// roaming is a prior none of whose draws is like another.
type roaming struct{}

func (roaming) Name() string { return "walk" }

func (roaming) Draw(dst []float64, r *rand.Rand) int {
	for i := range dst {
		dst[i] = 2*r.Float64() - 1
	}
	return -1
}
