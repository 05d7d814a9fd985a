package train

import (
	"context"
	"math"
	"slices"
	"testing"

	"mapo"
	"mapo/adversary"
	"mapo/internal/check"
	"mapo/rng"
)

// quick returns a configuration of the paper's algorithm whose iterations take milliseconds.
func quick(t testing.TB, p *mapo.Problem) Config {
	t.Helper()
	c, err := Preset("paper", p, mapo.SimpleRegret)
	if err != nil {
		t.Fatal(err)
	}
	c.Init, c.Hidden = 0, []int{32, 32}
	c.N, c.M, c.L, c.Refresh = 64, 64, 16, 1e6
	return c
}

// smoke returns the preset.
func smoke(t testing.TB, p *mapo.Problem, loss mapo.Loss) Config {
	t.Helper()
	c, err := Preset("smoke", p, loss)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sampled is a small task whose games are drawn.
func sampled(t testing.TB, algorithm string) Task {
	t.Helper()
	p := check.Thresholds(4, 4)
	c := smoke(t, p, mapo.BestIdentification)
	c.Algorithm, c.Pi, c.Regret, c.N, c.M, c.L, c.Critic = algorithm, 6, 6, 12, 4, 2, algorithm == "oracle"
	return Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1)}
}

// begin returns a task's training.
func begin(t testing.TB, task Task) *Run {
	t.Helper()
	r, err := New(task, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// finish trains a run to its end.
func finish(t testing.TB, r *Run) {
	t.Helper()
	for _, err := range Descend(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// iterate makes one iteration.
func iterate(t testing.TB, r *Run) Step {
	t.Helper()
	step, err := r.iterate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.s.Iter++
	return step
}

// estimate leaves the i-th of independent estimates of Eq. 11 in r.grad, by the last phase's objective, and returns what its
// games showed. ψ does not move.
func estimate(t testing.TB, r *Run, i int) *Games {
	t.Helper()
	ph := &r.phases[len(r.phases)-1]
	r.batch.Reset(r.t.Config.M, r.t.P.Queries())
	r.adversary.Draw(&r.batch, rng.New(2).At(i))
	clear(r.grad)
	games, err := r.estimator.Gradient(t.Context(), r.grad, &r.batch, Moment{Phase: &ph.Phase, Key: rng.New(3).At(i), Entropy: ph.polReg})
	if err != nil {
		t.Fatal(err)
	}
	return games
}

func norm64(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// box is a toy adversary: instances that are uniform over the box |θ_i| ≤ 1 − ε.
type box struct {
	drawn int // batches
}

func (*box) Enter(adversary.Phase)                                    {}
func (*box) Prepare(context.Context, mapo.Policy, int) (int64, error) { return 0, nil }
func (*box) Hardest(int) [][]float64                                  { return nil }
func (b *box) Snapshot() ([]byte, error)                              { return []byte{byte(b.drawn)}, nil }
func (b *box) Restore(_ adversary.Phase, snapshot []byte) error {
	b.drawn = int(snapshot[0])
	return nil
}
func (*box) Observe(_ *adversary.Batch, g *adversary.Games) adversary.Diagnostics {
	return adversary.Diagnostics{Worst: slices.Max(g.Mean)}
}

func (b *box) Draw(batch *adversary.Batch, key rng.Key) {
	b.drawn++
	r := key.Rand()
	for i := range batch.Theta {
		batch.Theta[i] = (2*r.Float64() - 1) * (1 - mapo.Edge)
	}
}

// TestToyAdversary: an adversary that is written outside the project takes one type. Training against it learns what is good
// on the box's average, is stopped and resumed with the same bytes, and shows what it observed.
func TestToyAdversary(t *testing.T) {
	for _, algorithm := range []string{"oracle", "paper"} {
		t.Run(algorithm, func(t *testing.T) {
			task := sampled(t, algorithm)
			task.R, task.Loss = nil, mapo.SimpleRegret
			task.Config.Pi, task.Config.Regret, task.Config.Tilde, task.Config.M, task.Config.L = 120, 120, 0, 32, 4
			task.Config.Start, task.Config.Init, task.Config.RatePsi = "uniform", 0, .02
			whole, half := task, task
			whole.Adversary, half.Adversary = new(box), new(box)
			r, first := begin(t, whole), 0.
			average := func() (sum float64) {
				for i := range 40 {
					for _, v := range estimate(t, r, i).Mean {
						sum += v / 40 / 32
					}
				}
				return sum
			}
			first = average()
			finish(t, r)
			if last := average(); last > .8*first {
				t.Errorf("the average goes from %.4f to %.4f", first, last)
			}
			h := begin(t, half)
			for step, err := range Descend(t.Context(), h) {
				if err != nil {
					t.Fatal(err)
				}
				if !(step.Worst > 0) {
					t.Fatalf("%+v does not show what the adversary observed", step)
				}
				if step.Iter == 50 {
					break
				}
			}
			kept, err := h.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Resume(half, kept)
			if err != nil {
				t.Fatal(err)
			}
			finish(t, again)
			if !slices.Equal(again.Net().Params(), r.Net().Params()) {
				t.Error("the resumed training ends in other weights")
			}
		})
	}
}
