package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/train"
	"mapo/train/preset"
)

// Options say what to measure; the zero value is the paper's thresholds on all
// cores with its network.
type Options struct {
	Queries  int     // |X| of the thresholds; 0: 25
	Rollouts int     // M·L of an iteration; 0: 10,000, the paper's
	Budget   int     // T; 0: 20
	Workers  int     // 0: as many as the machine runs at once
	Seconds  float64 // how long to go on, but for at least three iterations; 0: 10
	Policy   string  // "mlp" or "structured"; "": mlp
}

// Result is what `mapo bench --json` prints. The plain algorithm needs 259 GFLOP for an iteration of 25 queries, 10,000
// rollouts and a budget of 20. The peak is probed around every iteration.
type Result struct {
	Kernel         string  `json:"kernel"`
	Precision      string  `json:"precision"`
	Queries        int     `json:"queries"`
	Rollouts       int     `json:"rollouts"`
	Budget         int     `json:"budget"`
	Workers        int     `json:"workers"`
	SecondsMin     float64 `json:"seconds_min"` // of an iteration: rollouts, backward passes and Adam
	SecondsMedian  float64 `json:"seconds_median"`
	SecondsMax     float64 `json:"seconds_max"`
	StepsPerSecond float64 `json:"steps_per_second"` // of the environment, by the median
	Gflops         float64 `json:"gflops"`           // what the plain algorithm needs, by the median
	PeakGflops     float64 `json:"peak_gflops"`      // the median of the probes
	PeakFraction   float64 `json:"peak_fraction"`
}

// orDefault replaces zeros and refuses what cannot be measured.
func (o Options) orDefault() (Options, error) {
	for _, f := range []struct {
		name    string
		v       *int
		def     int
		largest int
	}{
		{"queries", &o.Queries, 25, 2048}, {"rollouts", &o.Rollouts, 10000, 1e7}, {"budget", &o.Budget, 20, 1e4},
		{"workers", &o.Workers, runtime.GOMAXPROCS(0), 1024},
	} {
		if *f.v == 0 {
			*f.v = f.def
		}
		if *f.v < 1 || *f.v > f.largest {
			return o, fmt.Errorf("%s is %d; it must be 1 to %d", f.name, *f.v, f.largest)
		}
	}
	if o.Seconds == 0 {
		o.Seconds = 10
	}
	if !(o.Seconds > 0 && o.Seconds <= 1e6) {
		return o, fmt.Errorf("seconds is %v; it must be above 0, up to 10⁶", o.Seconds)
	}
	if o.Policy == "" {
		o.Policy = "mlp"
	}
	if o.Policy != "mlp" && o.Policy != "structured" {
		return o, fmt.Errorf("unknown policy %q; known: mlp, structured", o.Policy)
	}
	return o, nil
}

// least is how many iterations are timed at least, after one to warm up.
const least = 3

// Iterations times the iterations of Algorithm 2 as `mapo train` runs them:
// thresholds, the paper's network (or the structured policy), its particles and
// rates.
func Iterations(ctx context.Context, o Options) (Result, error) {
	o, err := o.orDefault()
	if err != nil {
		return Result{}, err
	}
	t, err := task(o)
	if err != nil {
		return Result{}, err
	}
	run, err := train.New(t, nil)
	if err != nil {
		return Result{}, err
	}
	var seconds, peaks []float64
	begin := time.Now()
	last := begin
	for _, err := range train.Descend(ctx, run) {
		if err != nil {
			return Result{}, err
		}
		took := time.Since(last).Seconds()
		if peaks != nil {
			seconds = append(seconds, took)
		} else {
			begin = time.Now() // the first grows the scratch
		}
		peaks = append(peaks, Peak(o.Workers))
		if len(seconds) >= least && time.Since(begin).Seconds() >= o.Seconds {
			break
		}
		last = time.Now()
	}
	return o.result(run.Net(), seconds, peaks), nil
}

// task returns one iteration after another of the paper's regret training.
func task(o Options) (train.Task, error) {
	p := dataset.Thresholds(o.Queries, o.Budget)
	c, err := preset.New("paper", p, game.SimpleRegret)
	if err != nil {
		return train.Task{}, err
	}
	c.Paper.Init, c.Paper.Tilde, c.Paper.Regret = 0, 0, 1e9
	if o.Policy == "structured" {
		c.MLP, c.Structured = nil, &train.Structured{Units: 16, Start: "uniform"}
	}
	c.L = rolloutsEach(o)
	c.M = o.Rollouts / c.L
	if o.Queries > 25 {
		c.N = 10 * p.Hypotheses() // starting more takes longer than all that is timed
	}
	if c.L == 1 {
		c.Estimator = "paper"
	}
	return train.Task{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, R: []float64{128}, Config: c,
		Key: rng.New(1), Workers: o.Workers}, nil
}

// rolloutsEach returns L: the paper's 10 for its thresholds and 30 for the tables
// of 100 queries, or the largest smaller number that divides the rollouts.
func rolloutsEach(o Options) int {
	l := 10
	if o.Queries > 25 {
		l = 30
	}
	for o.Rollouts%l != 0 {
		l--
	}
	return l
}

func (o Options) result(net nn.Net, seconds, peaks []float64) Result {
	slices.Sort(seconds)
	r := Result{
		Kernel: num.Kernel(), Precision: "f32", Queries: o.Queries, Rollouts: o.Rollouts, Budget: o.Budget, Workers: o.Workers,
		SecondsMin: seconds[0], SecondsMedian: median(seconds), SecondsMax: seconds[len(seconds)-1], PeakGflops: median(peaks),
	}
	steps := float64(o.Rollouts * o.Budget)
	r.StepsPerSecond = steps / r.SecondsMedian
	r.Gflops = steps * operations(net, o.Queries) / 1e9 / r.SecondsMedian
	r.PeakFraction = r.Gflops / r.PeakGflops
	return r
}

// operations returns what a state costs the plain algorithm. The structured policy
// uses each weight once a query: nearly so, its context being the state's.
func operations(net nn.Net, queries int) float64 {
	if m, ok := net.(interface{ Operations() float64 }); ok {
		return m.Operations()
	}
	return 3 * 2 * float64(queries*len(net.Params()))
}

func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// probe is how long a probe of the peak takes.
const probe = 60 * time.Millisecond

// Peak returns the most floating-point operations a second, in 10⁹, that some
// workers reach together with the kernel in use: multiply-adds on registers
// alone, run by all of them at once.
func Peak(workers int) float64 {
	var all sync.WaitGroup
	operations := make([]float64, workers)
	begin := time.Now()
	for i := range workers {
		all.Go(func() {
			for time.Since(begin) < probe {
				operations[i] += num.Burn(20000)
			}
		})
	}
	all.Wait()
	took := time.Since(begin).Seconds()
	var sum float64
	for _, n := range operations {
		sum += n
	}
	return sum / took / 1e9
}
