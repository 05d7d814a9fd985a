package pretrain

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync"

	"mapo/data/family"
	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/train"
	"mapo/train/optim"
	"mapo/train/preset"
)

// Config is what a pretraining can be told.
type Config struct {
	Family  family.Family `yaml:"family"`
	Seed    uint64        `yaml:"seed"`
	Tables  int           `yaml:"tables"` // training problems
	Weight  float64       `yaml:"weight"` // w, the trade-off weight of an average over the rows, in [0, 1)
	Steps   int           `yaml:"steps"`
	Batch   int           `yaml:"batch"`   // problems of a step
	M       int           `yaml:"M"`       // instances drawn for each of them
	L       int           `yaml:"L"`       // games of each instance
	N       int           `yaml:"N"`       // the most instances that a problem's adversary holds
	Refresh int           `yaml:"refresh"` // iterations of a problem between two of its adversary's searches

	// Thorough is how many of a problem's searches are long ones (adversary.OracleOptions.Brief), from half of its iterations on.
	Thorough int `yaml:"thorough"`

	Rate    float64 `yaml:"rate"`    // Adam's at first
	Decay   float64 `yaml:"decay"`   // the share of it that the end has
	Entropy float64 `yaml:"entropy"` // what the policy's entropy counts for at first

	// Soften is what the logits of the policy handed out are multiplied by, in (0, 1]. Training makes it sure of what the games that it
	// met favour, and on other tables that may be wrong.
	Soften float64 `yaml:"soften"`

	Validate Validation `yaml:"validate"`
}

// Default returns what a family takes where its file says nothing.
func Default() Config {
	return Config{
		Family: family.Default(), Seed: 1, Tables: 300, Weight: 0.7,
		Steps: 2000, Batch: 8, M: 16, L: 8, N: 48, Refresh: 16, Rate: 0.1, Decay: 0.1, Entropy: 0.01, Soften: 0.7,
		Validate: Validation{Tables: 8, Every: 500, Games: 1000},
	}
}

// Check reports the first setting that is out of range: its key, and what is wrong.
func (c *Config) Check() (key string, err error) {
	if key, err := c.Family.Check(); err != nil {
		return "family." + key, err
	}
	for _, x := range []struct {
		key         string
		v           int
		least, most int
	}{
		{"tables", c.Tables, 1, 10_000}, {"steps", c.Steps, 1, 10_000_000}, {"batch", c.Batch, 1, min(1000, c.Tables)},
		{"M", c.M, 2, 10_000}, {"L", c.L, 2, 10_000}, {"N", c.N, 6, 1000}, {"refresh", c.Refresh, 1, 1_000_000}, {"thorough", c.Thorough, 0, 1000},
		{"validate.tables", c.Validate.Tables, 0, 1000}, {"validate.every", c.Validate.Every, 1, 10_000_000}, {"validate.games", c.Validate.Games, 1, 1_000_000},
	} {
		if x.v < x.least || x.v > x.most {
			return x.key, fmt.Errorf("%s is %d; it must be from %d to %d", x.key, x.v, x.least, x.most)
		}
	}
	for _, x := range []struct {
		key  string
		v    float64
		most float64
	}{{"rate", c.Rate, 1}, {"decay", c.Decay, 1}, {"entropy", c.Entropy, 100}} {
		if !(x.v >= 0 && x.v <= x.most) {
			return x.key, fmt.Errorf("%s is %v; it must be from 0 to %g", x.key, x.v, x.most)
		}
	}
	if !(c.Soften > 0 && c.Soften <= 1) {
		return "soften", fmt.Errorf("soften is %v; it must be above 0 and at most 1, which leaves the policy as it was trained", c.Soften)
	}
	if !(c.Weight >= 0 && c.Weight < 1) {
		return "weight", fmt.Errorf("weight is %v; it must be at least 0 and below 1", c.Weight)
	}
	return "", nil
}

// trained says how weights came about.
func (c *Config) trained() map[string]string {
	return map[string]string{
		"tables": fmt.Sprint(c.Tables), "steps": fmt.Sprint(c.Steps), "batch": fmt.Sprint(c.Batch),
		"games": fmt.Sprint(c.M * c.L), "soften": fmt.Sprint(c.Soften), "thorough": fmt.Sprint(c.Thorough), "weight": fmt.Sprint(c.Weight), "kernel": num.Kernel(),
	}
}

// member is a training problem.
type member struct {
	task train.Task
	run  *train.Run
}

// Run is a pretraining under way.
type Run struct {
	c         Config
	key       rng.Key
	workers   int
	members   []member
	net       nn.Net    // the policy as it is trained
	psi       []float32 // net's parameters
	optimizer optim.Optimizer
	grads     [][]float32 // [batch]
	step      int
	due       bool // a comparison follows the step before
	valid     *validation
}

// New draws the training problems, which takes about 10 ms a problem, and begins a pretraining. workers 0 are as many as the machine runs at once.
func New(ctx context.Context, c Config, workers int) (*Run, error) {
	if _, err := c.Check(); err != nil {
		return nil, fmt.Errorf("pretrain: %w", err)
	}
	r := &Run{c: c, key: rng.New(c.Seed).Name("pretrain"), workers: workers, members: make([]member, c.Tables)}
	if workers == 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	if err := r.each(ctx, len(r.members), func(i int) (err error) {
		r.members[i], err = r.draw(i)
		return err
	}); err != nil {
		return nil, err
	}
	r.net = nn.NewGated(r.members[0].task.P)
	r.psi, r.optimizer = r.net.Params(), optim.New("adam", r.net)
	copy(r.psi, r.members[0].run.Net().Params())
	for range c.Batch {
		r.grads = append(r.grads, make([]float32, len(r.psi)))
	}
	r.valid = newValidation(&r.c, r.key.Name("validate"))
	return r, nil
}

// each calls do for 0 … n−1 on the run's workers until ctx ends, and returns the first error by number.
func (r *Run) each(ctx context.Context, n int, do func(i int) error) error {
	errs, next := make([]error, n), make(chan int)
	var all sync.WaitGroup
	for range min(n, r.workers) {
		all.Go(func() {
			for i := range next {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = do(i)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// mostLevels is among how many of a problem's lowest levels one is drawn: policies differ there.
const mostLevels = 4

// draw makes training problem i.
func (r *Run) draw(i int) (m member, err error) {
	key := r.key.Name("problem").At(i)
	p, levels, err := problem(&r.c.Family, key)
	if err != nil {
		return m, fmt.Errorf("pretrain: problem %d: %w", i+1, err)
	}
	level := levels[key.Name("level").Rand().IntN(len(levels))]
	c, err := preset.New("smoke", p, game.BestIdentification)
	if err != nil {
		return m, err
	}
	c.M, c.L, c.N, c.LambdaPolFine, c.Oracle.Refresh, c.Oracle.Thorough, c.Oracle.Brief = r.c.M, r.c.L, r.c.N, r.c.Entropy, r.c.Refresh, r.c.Thorough, true
	// Iterations are as many as the problem gets, so that its entropy falls as the pretraining's steps do.
	c.Pi = max(1, (r.c.Steps*r.c.Batch+r.c.Tables-1)/r.c.Tables)
	m.task = train.Task{P: p, C: difficulty.Of(p), Loss: game.BestIdentification, R: []float64{level}, Config: c, Key: key, Workers: 1}
	if r.c.Weight > 0 {
		m.task.Weight, m.task.Average = r.c.Weight, game.DrawFlipped(p, 0, mostFlipped)
	}
	m.run, err = train.New(m.task, nil)
	return m, err
}

// mostFlipped is up to which share of the rows' answers are wrong in the average.
const mostFlipped = 0.1

// problem draws one with its anchors, and the lowest levels that suit it.
func problem(f *family.Family, key rng.Key) (*game.Problem, []float64, error) {
	p, err := f.Draw(key.Name("table"))
	if err != nil {
		return nil, nil, err
	}
	p = difficulty.Anchored(p)
	_, least := difficulty.Easiest(p)
	levels := difficulty.RowLevels(p, farthest*slices.Min(least))
	return p, levels[:min(mostLevels, len(levels))], nil
}

// farthest is how many times the least difficulty of a problem the last level is at most.
const farthest = 64

// Step is one step on the weights.
type Step struct {
	Step, Steps int
	Grad        float64  // the length of the mean gradient
	Compared    []Result // what a comparison on held-out tables showed, where one was due
}

// Descend pretrains to the end, and yields once a step. In between the run is whole: the caller may take its Snapshot or Policy, or stop
// by breaking off. It yields ctx's error when that ends. Then, too, the run is whole: a step under way is finished first, and a comparison
// that was interrupted is made again after a resume. It yields an error, too, where weights grow beyond what logits can be made of.
func Descend(ctx context.Context, r *Run) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		for r.step < r.c.Steps || r.due {
			step, err := r.next(ctx)
			if err != nil {
				yield(Step{}, err)
				return
			}
			if !yield(step, nil) {
				return
			}
		}
	}
}

// next takes a step, unless an interrupted comparison of the last one is due, and compares where that is due.
func (r *Run) next(ctx context.Context) (out Step, err error) {
	if err := ctx.Err(); err != nil {
		return Step{}, err
	}
	if !r.due {
		if out.Grad, err = r.descend(context.WithoutCancel(ctx)); err != nil {
			return Step{}, err
		}
		r.due = r.valid.due(r.step)
	}
	if r.due {
		if out.Compared, err = r.valid.compare(ctx, r.weights(), r.workers); err != nil {
			return Step{}, err
		}
		r.due = false
	}
	out.Step, out.Steps = r.step, r.c.Steps
	return out, nil
}

// descend takes one step on the weights, and returns the length of the mean gradient. Where ctx ends in between, the run is not whole.
func (r *Run) descend(ctx context.Context) (float64, error) {
	if err := r.each(ctx, r.c.Batch, func(j int) error {
		clear(r.grads[j])
		return r.members[r.turn(j)].run.Play(ctx, r.grads[j], r.psi)
	}); err != nil {
		return 0, err
	}
	mean := r.grads[0]
	for _, g := range r.grads[1:] {
		for i, v := range g {
			mean[i] += v
		}
	}
	var square float64
	for i := range mean {
		mean[i] /= float32(r.c.Batch)
		square += float64(mean[i]) * float64(mean[i])
	}
	left := 1 - float64(r.step)/float64(r.c.Steps)
	r.optimizer.Step(r.psi, mean, r.c.Rate*(r.c.Decay+(1-r.c.Decay)*left))
	r.step++
	if !nn.Bounded(r.net) {
		return 0, fmt.Errorf("pretrain: the weights diverged at step %d of %d: set rate below %g", r.step, r.c.Steps, r.c.Rate)
	}
	return math.Sqrt(square), nil
}

// turn returns the problem that part j of the next step is on. In a round of steps each problem has one turn at most, in a random order.
func (r *Run) turn(j int) int {
	steps := len(r.members) / r.c.Batch // of a round
	round, at := r.step/steps, r.step%steps*r.c.Batch
	return r.key.Name("round").At(round).Rand().Perm(len(r.members))[at+j]
}

// Policy returns the policy handed out, as it stands: its logits are multiplied by Soften. Its contract is one of the first training
// problem, and its weights serve on any.
func (r *Run) Policy() (nn.Net, nn.Contract) {
	p := r.members[0].task.P
	net := nn.NewGated(p)
	copy(net.Params(), r.psi)
	nn.Soften(net, r.c.Soften)
	return net, nn.Contract{
		Name: "pretrained", Problem: p, Loss: game.BestIdentification.String(), Levels: []nn.Level{}, Seed: r.c.Seed, Trained: r.c.trained(),
		Rule:  "draw the next query by the network; when the budget is used up, name a hypothesis nearest to the mean answers (least squares), ties broken uniformly at random",
		Notes: []string{"learned on made-up tables, of which this problem is the first: transfer:FILE plays it on another"},
	}
}

// weights returns those of Policy.
func (r *Run) weights() []float32 {
	net, _ := r.Policy()
	return net.Params()
}

// policyOf returns the policy that the weights psi are on p.
func policyOf(p *game.Problem, psi []float32) game.Policy {
	net := nn.NewGated(p)
	copy(net.Params(), psi)
	return nn.Policy(p, net)
}
