package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/train/optim"
)

// Fault is a setting that no training can have.
type Fault struct {
	Setting string // its yaml key, such as "oracle.refresh"
	What    string // and the remedy
}

func (f *Fault) Error() string { return "train." + f.Setting + " " + f.What }

// Key returns the setting's key, by which a spec finds its line.
func (f *Fault) Key() string { return f.Setting }

// Most a setting may be: more than any training has a use for, little enough for
// sums and products to stay numbers.
const (
	mostCount = math.MaxInt32
	mostTimes = 1000 // of what is done so often in a training
	mostWidth = 8192
	mostReal  = 1e9

	mostMemory = 16 << 30 // bytes that N, M or L may ask for

	leastTemperature = 1e-6 // below it softmax(mean loss/τ) is out of range
)

// whole is a setting that is a whole number, and its range.
type whole struct {
	key       string
	v         int
	low, high int
}

// checkWhole reports the first number outside its range.
func checkWhole(list ...whole) error {
	for _, n := range list {
		if n.v < n.low || n.v > n.high {
			return &Fault{n.key, fmt.Sprintf("is %d; it must be from %d to %d", n.v, n.low, n.high)}
		}
	}
	return nil
}

// number is a setting that is a number from 0 on.
type number struct {
	key string
	v   float64
}

// checkNumbers reports the first number outside its range.
func checkNumbers(list ...number) error {
	for _, f := range list {
		if !(f.v >= 0 && f.v <= mostReal) {
			return &Fault{f.key, fmt.Sprintf("is %v; it must be a number from 0 to %g", f.v, mostReal)}
		}
	}
	return nil
}

// checkName reports a name that is not one of those known.
func checkName(key, v string, known ...string) error {
	if slices.Contains(known, v) {
		return nil
	}
	return &Fault{key, fmt.Sprintf("is %q; known are %s", v, strings.Join(known, ", "))}
}

// first returns the first error that there is.
func first(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// Check reports the first setting that no training can have, as a [*Fault].
func (c *Config) Check() error {
	switch {
	case (c.Oracle == nil) == (c.Paper == nil):
		return &Fault{"oracle", "and train.paper are two algorithms: give one of them"}
	case c.policies() != 1:
		return &Fault{"structured", "and train.mlp and train.gated are kinds of policy: give one of them"}
	}
	err := first(
		checkWhole(whole{"N", c.N, 1, mostCount}, whole{"M", c.M, 1, mostCount}, whole{"L", c.L, 1, mostCount},
			whole{"pi", c.Pi, 0, mostCount}, whole{"pi_hat", c.PiHat, 0, mostCount}),
		checkNumbers(number{"lambda_binary", c.LambdaBinary}, number{"lambda_pol_fine", c.LambdaPolFine},
			number{"rate_psi", c.RatePsi}, number{"decay", c.Decay}),
		checkName("estimator", c.Estimator, "loo", "paper"),
		checkName("optimizer", c.Optimizer, optim.Names()...),
		c.algorithm().check(),
		c.network().check(),
	)
	switch {
	case err != nil:
		return err
	case c.LambdaBinary == 0:
		return &Fault{"lambda_binary", "is 0, with which no loss would count: set it above 0"}
	case c.leaveOneOut() && c.L < 2:
		return &Fault{"L", fmt.Sprintf("is %d; the estimator loo needs at least 2 rollouts an instance: raise L, or set estimator: paper", c.L)}
	}
	return nil
}

func (o *Oracle) check() error {
	err := first(
		checkWhole(whole{"oracle.follow", o.Follow, 0, mostCount}, whole{"oracle.refresh", o.Refresh, 1, mostCount},
			whole{"oracle.add", o.Add, 1, mostCount}, whole{"oracle.hedge", o.Hedge, 0, mostCount}, whole{"oracle.thorough", o.Thorough, 0, mostTimes}),
		checkNumbers(number{"oracle.magnet", o.Magnet}),
	)
	switch {
	case err != nil:
		return err
	case !(o.Soften > 0 && o.Soften <= 1):
		return &Fault{"oracle.soften", fmt.Sprintf("is %v; it must be above 0 and at most 1, which leaves a policy as it was trained", o.Soften)}
	case !(o.Temperature >= leastTemperature && o.Temperature <= mostReal):
		return &Fault{"oracle.temperature", fmt.Sprintf("is %v; it must be a number from %g to %g", o.Temperature, leastTemperature, float64(mostReal))}
	}
	return nil
}

func (a *Paper) check() error {
	return first(
		checkWhole(whole{"paper.init", a.Init, 0, mostCount}, whole{"paper.regret", a.Regret, 0, mostCount}, whole{"paper.tilde", a.Tilde, 0, mostCount}),
		checkNumbers(number{"paper.lambda_pol_reg", a.LambdaPol}, number{"paper.lambda_gen_reg", a.LambdaGen},
			number{"paper.lambda_barrier", a.LambdaBarrier}, number{"paper.rate_theta", a.RateTheta}, number{"paper.rate_w", a.RateW}),
	)
}

// policies returns how many kinds of policy are given.
func (c *Config) policies() (n int) {
	for _, given := range []bool{c.Structured != nil, c.MLP != nil, c.Gated != nil, c.Adaptive != nil} {
		if given {
			n++
		}
	}
	return n
}

func (n *Adaptive) check() error {
	if err := checkWhole(whole{"adaptive.gates", n.Gates, 1, nn.MostAdaptive}, whole{"adaptive.units", n.Units, 1, nn.MostAdaptive}); err != nil {
		return err
	}
	if !(n.Weight >= 0 && n.Weight <= 1) {
		return &Fault{"adaptive.weight", fmt.Sprintf("is %v; it must be from 0 to 1", n.Weight)}
	}
	return checkName("adaptive.start", n.Start, "instant", "rules", "uniform")
}

func (g *Gated) check() error { return checkName("gated.start", g.Start, "instant", "uniform") }

func (s *Structured) check() error {
	return first(
		checkWhole(whole{"structured.units", s.Units, 1, mostWidth}),
		checkName("structured.start", s.Start, "rivals", "unasked", "uniform"),
	)
}

func (m *MLP) check() error {
	if len(m.Hidden) == 0 || slices.Min(m.Hidden) < 1 || slices.Max(m.Hidden) > mostWidth {
		return &Fault{"mlp.hidden", fmt.Sprintf("is %v; list at least one width, each from 1 to %d, such as [128, 128]", m.Hidden, mostWidth)}
	}
	return nil
}

// Suits reports why no training so configured can be for p: a [*Fault], or nil.
func (c *Config) Suits(p *game.Problem) error {
	d := p.Queries()
	size := c.network().size(d)
	switch {
	case c.Adaptive != nil && (p.Vectors != nil || p.Labels != nil || p.Answers.Gaussian()):
		return &Fault{"from", "is instant, whose weights are for tables with answers of yes and no: say from: fresh"}
	case c.Adaptive != nil && d > nn.MaxStructured:
		return &Fault{"from", fmt.Sprintf("is instant, which is for at most %d queries, the problem has %d: keep fewer (problem: {select: {queries: …}}), or say from: fresh", nn.MaxStructured, d)}
	case c.Structured != nil && d > nn.MaxStructured:
		fewer := "problem: {select: {queries: …}}"
		if p.Labels != nil {
			fewer = "a lower sample under classifiers"
		}
		return &Fault{"structured", fmt.Sprintf("is for at most %d queries, the problem has %d: keep fewer (%s), or set train: {mlp: {}}", nn.MaxStructured, d, fewer)}
	case size.weights > nn.MostParams:
		return &Fault{size.key, fmt.Sprintf("makes a network of over %d weights, more than a policy file is for: lower it", nn.MostParams)}
	case c.Optimizer == "soap" && size.widest > optim.MostSoap:
		return &Fault{"optimizer", fmt.Sprintf("soap is for layers of at most %d inputs and outputs, one has %d: lower %s, or set optimizer: adam", optim.MostSoap, size.widest, size.key)}
	}
	for _, n := range []struct {
		key      string
		v, bytes int
	}{{"N", c.N, c.algorithm().memory(d)}, {"M", c.M, 24 * d}, {"L", c.L, 4 * p.T * size.kept}} {
		if need := float64(n.v) * float64(n.bytes); need > mostMemory {
			return &Fault{n.key, fmt.Sprintf("is %d, for which training needs some %.0f GiB of memory; %d GiB is the most: lower it", n.v, need/(1<<30), mostMemory>>30)}
		}
	}
	return nil
}
