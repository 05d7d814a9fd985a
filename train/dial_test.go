package train

import (
	"math"
	"slices"
	"testing"

	"mapo"
	"mapo/adversary"
	"mapo/exact"
	"mapo/internal/check"
	"mapo/nn"
	"mapo/rng"
)

// dialRun is a training on a finite Θ with an average over the rows of a prior.
func dialRun(t *testing.T, algorithm string, weight float64, change func(*Config)) *Run {
	t.Helper()
	p := check.Thresholds(3, 4)
	c, err := Preset("smoke", p, mapo.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	c.Algorithm, c.M, c.L, c.Temperature, c.Regret = algorithm, 10, 4, 1, 0
	if change != nil {
		change(&c)
	}
	run, err := New(Task{
		P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1),
		Finite:  [][]float64{{1, 1, 1}, {1, .75, -.5}, {.5, -.75, -1}},
		Average: mapo.Rows("rows", [][]float64{{-1, -1, -1}, {.25, 0, 0}}), Weight: weight,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// However many instances come from the prior, and however the adversary's are
// drawn, an instance counts in the mean for what it does in the objective:
// (1−w)·softmax(w)_i and w·prior. False alarms: 3 in 10⁸.
func TestDialMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutines: nothing for the race detector")
	}
	for _, algorithm := range []string{"oracle", "paper"} {
		for _, weight := range []float64{.05, .4, .95} {
			run := dialRun(t, algorithm, weight, nil)
			prob := []float64{.2, .5, .3}
			for i, p := range prob {
				run.s.Particles.W[i] = math.Log(p)
				if algorithm == "oracle" {
					run.s.Mean[i] = math.Log(p)
				}
			}
			for i, want := range []float64{(1 - weight) * prob[0], (1 - weight) * prob[1], (1 - weight) * prob[2], weight / 2, weight / 2} {
				all := slices.Concat(run.t.Finite, [][]float64{{-1, -1, -1}, {.25, 0, 0}})
				check.Mean(t, want, 0, 1.3, .03, func(dst []float64) {
					clear(dst)
					for k := range dst {
						run.s.Iter++
						run.drawInstances(run.t.Key.Name("draw").At(run.s.Iter).Rand())
						for m, by := range run.importance {
							if slices.Equal(run.theta[m*3:m*3+3], all[i]) {
								dst[k] += by / float64(len(run.importance))
							}
						}
					}
				})
			}
		}
	}
}

// What is drawn counts in Eq. 11 by its importance: the parts of the adversary's
// and of the prior's instances add up to the whole.
func TestDialGradient(t *testing.T) {
	for _, algorithm := range []string{"oracle", "paper"} {
		run := dialRun(t, algorithm, .4, nil)
		a := run.t.adversarial()
		ph := run.phases[len(run.phases)-1]
		ph.polReg = 0
		run.drawInstances(rng.New(2).Rand())
		parts := make([][]float32, 3)
		for part := range parts {
			for m := range run.importance {
				run.importance[m] = map[bool]float64{true: 2, false: 3}[m < a]
				if part == 1 && m >= a || part == 2 && m < a {
					run.importance[m] = 0
				}
			}
			if err := run.collect(t.Context(), ph, rng.New(3)); err != nil {
				t.Fatal(err)
			}
			parts[part] = slices.Clone(run.gradPsi)
		}
		whole, off := norm32(parts[0]), 0.
		for i, v := range parts[0] {
			off = max(off, math.Abs(float64(v-parts[1][i]-parts[2][i])))
		}
		if norm32(parts[1]) == 0 || norm32(parts[2]) == 0 || off > 1e-5*whole {
			t.Errorf("%s: parts of length %v and %v are %v off the whole's %v", algorithm, norm32(parts[1]), norm32(parts[2]), off, whole)
		}
	}
}

func TestAdversarial(t *testing.T) {
	for _, c := range []struct {
		m      int
		weight float64
		want   int
	}{
		{64, 0, 64}, {64, 1e-6, 56}, {64, .125, 56}, {64, .25, 48}, {64, .5, 32}, {64, .9, 8}, {64, .999, 8}, {2, .1, 1}, {2, .9, 1}, {3, .01, 2}, {17, .01, 14},
	} {
		task := Task{Weight: c.weight, Config: Config{M: c.m}}
		if got := task.adversarial(); got != c.want {
			t.Errorf("M = %d, w = %v: %d of the instances are the adversary's, want %d", c.m, c.weight, got, c.want)
		}
	}
}

// The adversary's own numbers are of its own instances: the prior's neither move
// the set's means nor training's estimate of the worst case.
func TestDialLeavesTheAdversaryAlone(t *testing.T) {
	for _, algorithm := range []string{"oracle", "paper"} {
		run := dialRun(t, algorithm, .5, func(c *Config) { c.Pi = 3 })
		// The prior's instances lose nothing: a worst case with them in it would be halved.
		run.t.Average = mapo.Rows("sure", [][]float64{{1, 1, 1}})
		run.t.Finite = [][]float64{{.6, .6, -.6}}
		run.s.Particles = *adversary.Fixed(run.t.Finite)
		run.s.Mean = []float64{0}
		for step, err := range Descend(t.Context(), run) {
			if err != nil {
				t.Fatal(err)
			}
			if len(run.idx) != 5 || slices.Max(run.idx) != 0 {
				t.Fatalf("%s: drawn are %v", algorithm, run.idx)
			}
			var own float64
			for _, v := range run.mean[:5] {
				own += v / 5 / run.scale(run.phases[0])
			}
			if algorithm == "paper" && step.Iter == 1 && math.Abs(step.Worst-own) > 1e-12 {
				t.Errorf("training's worst case is %v, its instances' mean %v", step.Worst, own)
			}
		}
	}
}

// Turned up, the dial buys average for worst case, by the exact judge, on the mean of
// six trainings.
func TestDialTrades(t *testing.T) {
	if testing.Short() {
		t.Skip("a training")
	}
	p := check.Thresholds(3, 5)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	grid := exact.Grid(p, mapo.RhoTilde(p), []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}, 32)
	rows := [][]float64{{-.25, -1, -1}, {1, 1, .25}} // each the other, read backwards and the other way round: a policy starts on both alike
	prior := mapo.Rows("ends", rows)
	const seeds = 6
	var worst, average [2]float64
	for i := range 2 * seeds {
		dialled := i / seeds
		c, err := Preset("smoke", p, mapo.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		c.Pi, c.M, c.L, c.N, c.Start = 300, 32, 8, 48, "uniform" // from the rivals both are soon near the best average
		run, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{32}, Config: c,
			Average: prior, Weight: .97 * float64(dialled), Key: rng.New(uint64(i % seeds))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		finish(t, run)
		f := g.Flow(nn.Policy(p, run.Net()))
		most, _ := f.Worst(mapo.BestIdentification, grid)
		worst[dialled] += most / seeds
		average[dialled] += (f.Loss(mapo.BestIdentification, rows[0]) + f.Loss(mapo.BestIdentification, rows[1])) / 2 / seeds
	}
	if average[1] > average[0]-.05 || worst[1] < worst[0]+.05 {
		t.Errorf("from w = 0 to .97 the average goes from %.3f to %.3f, the worst case from %.3f to %.3f", average[0], average[1], worst[0], worst[1])
	}
}
