package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/record"
	"mapo/rng"
)

// base returns a small configuration that all tests begin with: the structured policy by the double oracle.
func base() Config {
	return Config{
		Oracle:     &Oracle{Refresh: 40, Add: 8, Soften: 1, Temperature: .025, Follow: 60},
		Structured: &Structured{Units: 16, Start: "rivals"},
		Estimator:  "loo", Critic: true,
		N: 48, M: 16, L: 8,
		LambdaBinary: 30, LambdaPolFine: .02,
		Optimizer: "adam", RatePsi: 6e-3, Decay: .1, Pi: 120, PiHat: 120,
	}
}

// paper has a configuration train by Algorithm 2.
func paper(c *Config) {
	c.Oracle, c.Paper = nil, &Paper{LambdaGen: .02, LambdaBarrier: 10, RateTheta: 2e-2, RateW: 3e-2, Init: 5, Regret: 45}
}

// by has a configuration train by the algorithm of this name, "oracle" or "paper".
func by(c *Config, algorithm string) {
	if *c = c.Clone(); algorithm == "paper" && c.Paper == nil {
		paper(c)
	}
	if algorithm == "oracle" && c.Oracle == nil {
		c.Oracle, c.Paper = base().Oracle, nil
		c.Oracle.Refresh = 1e6
	}
}

// mlp has a configuration train an MLP of these widths.
func mlp(c *Config, hidden ...int) { c.Structured, c.MLP = nil, &MLP{Hidden: hidden} }

// structured has a configuration train the structured policy.
func structured(c *Config) { c.Structured, c.MLP = base().Structured, nil }

// quick returns a configuration near the paper's, whose iterations take milliseconds.
func quick() Config {
	c := base()
	mlp(&c, 32, 32)
	c.Paper = &Paper{LambdaPol: .2, LambdaGen: .05, LambdaBarrier: 1e3, RateTheta: 1e-3, RateW: 1e-3, Dense: true, Regret: 480000, Tilde: 200000}
	c.Oracle, c.Critic, c.N, c.M, c.L, c.LambdaPolFine, c.RatePsi, c.Decay, c.Pi, c.PiHat = nil, false, 64, 64, 16, .3, 1e-4, 1, 200000, 500000
	c.LambdaBinary = 7.5
	return c
}

// sampled is a small task whose games are drawn.
func sampled(t testing.TB, algorithm string) Task {
	t.Helper()
	p := check.Thresholds(4, 4)
	c := base()
	if c.Pi, c.N, c.M, c.L = 6, 12, 4, 2; algorithm == "paper" {
		paper(&c)
		c.Paper.Regret, c.Critic = 6, false
	}
	return Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1)}
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
func iterate(t testing.TB, r *Run) record.Step {
	t.Helper()
	for step, err := range Descend(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		return step
	}
	t.Fatal("the training has ended")
	return record.Step{}
}

// estimation is a training taken apart: estimates of Eq. 11 by the last phase's objective, as they are before a step clips
// them, from games of a policy that does not move.
type estimation struct {
	task      Task
	net       nn.Net
	adversary adversary.Adversary
	estimator Estimator
	phase     phase
	batch     adversary.Batch
	grad      []float32
}

// takeApart begins a task's training and takes it apart.
func takeApart(t testing.TB, task Task) *estimation {
	t.Helper()
	r := begin(t, task)
	return &estimation{
		task: task, net: r.Net(), adversary: r.adversary, estimator: r.estimator, phase: r.phases[len(r.phases)-1], batch: r.batch,
		grad: make([]float32, len(r.Net().Params())),
	}
}

// estimate leaves the i-th of independent estimates in e.grad, and returns what its games showed.
func (e *estimation) estimate(t testing.TB, i int) *Games {
	t.Helper()
	e.batch.Reset(e.task.Config.M, e.task.P.Queries())
	e.adversary.Draw(&e.batch, rng.New(2).At(i))
	clear(e.grad)
	now := Moment{Phase: &e.phase.Phase, Key: rng.New(3).At(i), Entropy: e.phase.entropy(0)}
	games, err := e.estimator.Gradient(t.Context(), e.grad, &e.batch, now)
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// prepare has the adversary ready its instances for an iteration.
func (e *estimation) prepare(t testing.TB, iteration int) {
	t.Helper()
	if _, err := e.adversary.Prepare(t.Context(), nn.Policy(e.task.P, e.net), iteration); err != nil {
		t.Fatal(err)
	}
}

// holds returns what a training's sampled estimates hold between two iterations.
func holds(t testing.TB, estimator []byte) (s sampledState) {
	t.Helper()
	if err := adversary.Decode(estimator, &s); err != nil {
		t.Fatal(err)
	}
	return s
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

func (*box) Prepare(context.Context, game.Policy, int) (int64, error) { return 0, nil }
func (b *box) Snapshot() ([]byte, error)                              { return []byte{byte(b.drawn)}, nil }
func (b *box) Enter(_ adversary.Phase, snapshot []byte) error {
	if snapshot != nil {
		b.drawn = int(snapshot[0])
	}
	return nil
}
func (*box) Observe(_ *adversary.Batch, g *adversary.Games) adversary.Diagnostics {
	return adversary.Diagnostics{Worst: slices.Max(g.Mean)}
}

func (b *box) Draw(batch *adversary.Batch, key rng.Key) {
	b.drawn++
	r := key.Rand()
	for i := range batch.Theta {
		batch.Theta[i] = (2*r.Float64() - 1) * (1 - game.Edge)
	}
}

// refusing is an adversary that cannot enter a phase.
type refusing struct {
	box
	phase int
}

func (a *refusing) Enter(ph adversary.Phase, _ []byte) error {
	if ph.Index == a.phase {
		return errRefused
	}
	return nil
}

var errRefused = errors.New("refused")

// TestEnterRefused: where an adversary cannot enter a phase the training ends with its error.
func TestEnterRefused(t *testing.T) {
	task := sampled(t, "paper")
	task.R, task.Loss = nil, game.BestIdentification
	task.Config.Pi, task.Config.Paper.Regret, task.Config.Paper.Init = 2, 2, 0
	task.Adversary = new(refusing)
	if _, err := New(task, nil); !errors.Is(err, errRefused) {
		t.Errorf("the first phase: %v", err)
	}
	task.Adversary = &refusing{phase: 1}
	steps := 0
	for _, err := range Descend(t.Context(), begin(t, task)) {
		if steps++; steps == 2 != errors.Is(err, errRefused) {
			t.Errorf("step %d: %v", steps, err)
		}
	}
	if steps != 2 {
		t.Errorf("%d steps, want 2", steps)
	}
}

// TestToyAdversary: an adversary that is written outside the project takes one type. Training against it learns what is good
// on the box's average, is stopped and resumed with the same bytes, and shows what it observed.
func TestToyAdversary(t *testing.T) {
	for _, algorithm := range []string{"oracle", "paper"} {
		t.Run(algorithm, func(t *testing.T) {
			task := sampled(t, algorithm)
			task.R, task.Loss = nil, game.SimpleRegret
			task.Config.Pi, task.Config.M, task.Config.L, task.Config.RatePsi = 120, 32, 4, .02
			task.Config.Structured.Start = "uniform"
			if a := task.Config.Paper; a != nil {
				a.Regret, a.Init = 120, 0
			}
			whole, half := task, task
			whole.Adversary, half.Adversary = new(box), new(box)
			r, first := begin(t, whole), 0.
			average := func() (sum float64) {
				e := takeApart(t, whole)
				copy(e.net.Params(), r.Net().Params())
				for i := range 40 {
					for _, v := range e.estimate(t, i).Mean {
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
