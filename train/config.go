package train

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"mapo"
	"mapo/adversary"
	"mapo/nn"
	"mapo/train/optim"
)

// Config holds what a training can be told, by the paper's letters (App. D).
// Its yaml keys may all be set under `train:` in a spec. [Preset] has values, Check the ranges.
type Config struct {
	Algorithm string `yaml:"algorithm"` // "oracle": a growing set of worst instances; "paper": Algorithm 2 with particles
	Estimator string `yaml:"estimator"` // "loo" (reading 18) or "paper" (Eq. 9–11 as printed)
	Critic    bool   `yaml:"critic"`    // with loo: what chance gave a game is taken off its loss (sim.Luck)
	Policy    string `yaml:"policy"`    // "structured" (weights shared over queries) or "mlp" (App. B)
	Units     int    `yaml:"units"`     // width of the structured policy's layers
	Start     string `yaml:"start"`     // the structured policy's: near "rivals" (nn.Structured.LeanToRivals), "unasked" (LeanToUnasked; Bayes-LAL's is uniform then) or "uniform"
	Hidden    []int  `yaml:"hidden"`    // widths of the network's inner layers

	N int `yaml:"N"` // particles (Eq. 6), or the most instances the oracle's set holds
	M int `yaml:"M"` // instances drawn an iteration, the I_m of Eq. 9–11
	L int `yaml:"L"` // rollouts of each; at least 2 where the estimator is loo

	LambdaBinary  float64 `yaml:"lambda_binary"`   // what best identification's loss is multiplied by
	LambdaPol     float64 `yaml:"lambda_pol_reg"`  // the policy's entropy, regret training
	LambdaPolFine float64 `yaml:"lambda_pol_fine"` // the policy's entropy, fine-tuning
	Magnet        float64 `yaml:"magnet"`          // oracle, where games are sampled: the policy's divergence from its running mean (MagnetGrad); 0: none
	LambdaGen     float64 `yaml:"lambda_gen_reg"`  // the entropy of softmax(w)
	LambdaBarrier float64 `yaml:"lambda_barrier"`  // the barrier

	Optimizer string  `yaml:"optimizer"`  // of ψ: "soap" (nn.Soap) or "adam" (the paper's, and Bayes-LAL's beside the oracle), at the same rates
	RatePsi   float64 `yaml:"rate_psi"`   // learning rate of ψ
	RateTheta float64 `yaml:"rate_theta"` // of θ̃, paper's algorithm only
	RateW     float64 `yaml:"rate_w"`     // of w, likewise
	Decay     float64 `yaml:"decay"`      // the share of RatePsi a phase ends with, falling linearly
	Dense     bool    `yaml:"dense"`      // Adam on all of Θ̃ (the paper's) or on the particles drawn (reading 1)

	Refresh     int     `yaml:"refresh"`     // oracle: iterations between two searches
	Add         int     `yaml:"add"`         // oracle: instances a search adds over all levels, with below of each; at most N/3 in all, at least 2 a level
	Below       bool    `yaml:"below"`       // oracle, regret at one level: every search keeps to all levels below too, not every second to one of them
	Thorough    int     `yaml:"thorough"`    // oracle: searches of a training that are as the judge's at desk scale and add twice as many; in a run those of π̂, or of its only policy
	Soften      float64 `yaml:"soften"`      // oracle that searches: what the logits of the policy handed out are multiplied by, in (0, 1]; 1: as trained
	Temperature float64 `yaml:"temperature"` // oracle: τ of softmax(mean loss/τ), in deviations of a game's loss
	Hedge       int     `yaml:"hedge"`       // oracle: iterations of π̂'s training in which a lead in mean loss adds once more to an instance's logit, at four times the τ; 0: never

	Init   int `yaml:"init"`   // N_it of Init, before every phase that reinitialises
	Regret int `yaml:"regret"` // N_it of regret training, paper's algorithm only
	Tilde  int `yaml:"tilde"`  // N_it of fine-tuning π̃_k, likewise
	Pi     int `yaml:"pi"`     // N_it of π_k; of the paper's algorithm its fine-tuning, best identification only
	Follow int `yaml:"follow"` // oracle: N_it of π_k that start from another's weights; 0: all start afresh
	PiHat  int `yaml:"pi_hat"` // N_it of fine-tuning π̂
}

// Counts returns the yaml keys of how long a training is: the iterations of its phases and between
// its searches, and its thorough searches. The others say how it is done.
func Counts() []string {
	return []string{"init", "regret", "tilde", "pi", "follow", "pi_hat", "refresh", "thorough"}
}

// Preset is the named configuration for a problem. "paper" is both tables of
// appendix D: its thresholds' column for thresholds, for other tables 20
// Questions' (best identification) or Jester's (simple regret), reading 17.
// "desk" is what two cores do in minutes, "smoke" in seconds; both learn the
// structured policy by the double oracle. For regret desk's has fewer units: what
// more of them learn has more holes.
func Preset(name string, p *mapo.Problem, loss mapo.Loss) (Config, error) {
	c := Config{
		Algorithm: "oracle", Estimator: "loo", Critic: true, Policy: "structured", Start: "rivals", Units: 16, Hidden: []int{128, 128},
		N: 320, M: 128, L: 4, Refresh: 80, Add: 8, Soften: 1, Temperature: .025,
		LambdaBinary: paperBinary(p), LambdaPolFine: .02, LambdaGen: .02, LambdaBarrier: 10,
		Optimizer: "adam", RatePsi: 6e-3, RateTheta: 2e-2, RateW: 3e-2, Decay: .1, Init: 40,
	}
	if loss == mapo.SimpleRegret {
		c.Start = "uniform"
	}
	switch name {
	case "paper":
		c.Algorithm, c.Critic, c.Policy, c.Start, c.Hidden = "paper", false, "mlp", "uniform", []int{256, 256, 256, 256}
		c.LambdaBarrier, c.RatePsi, c.RateTheta, c.RateW, c.Decay, c.Dense = 1e3, 1e-4, 1e-3, 1e-3, 1, true
		c.Init, c.Regret = 20000, 480000
		column(&c, p, loss)
		return c, nil
	case "desk":
		const thresholds = 1250 // iterations there
		whole, thorough := thresholds, 3
		if loss == mapo.BestIdentification {
			thorough, c.Hedge = 5, 100
		}
		if nn.Work(p) > nn.Costly { // of few iterations twice as many with half the games are better
			c.M, whole, thorough, c.Hedge = c.M/2, 2*whole, 0, 0
		}
		n := iterations(p, 60, whole, 4000)
		c.Regret, c.Pi, c.Follow, c.PiHat, c.Refresh = n*3/8, n, max(n/4, min(n/2, 150)), 9*n/2, max(30, min(40, n/4))
		if loss == mapo.BestIdentification {
			c.Units, c.LambdaPolFine, c.Decay, c.PiHat, c.Refresh = 32, .01, .02, 3*n, max(30, min(80, n/4))
			if thorough > 0 { // its searches take the time of the rest
				c.PiHat = 9 * n / 4
			}
		}
		c.Thorough = thorough
		c.RatePsi *= math.Sqrt(min(1, float64(n)/thresholds)) // few steps are short ones, or the start's worth is lost
		return c, nil
	case "smoke":
		c.N, c.M, c.L, c.Hidden = 48, 16, 8, []int{32}
		n := iterations(p, 40, 120, 120)
		c.Init, c.Regret, c.Pi, c.Follow, c.PiHat, c.Refresh = 5, n*3/8, n, n/2, n, 40
		return c, nil
	}
	return Config{}, fmt.Errorf("unknown preset %q; known are smoke, desk and paper", name)
}

// Settle changes a preset to what suits its algorithm and policy, and so many levels. Where a
// structured policy learns to identify and searches can be thorough, Soap moves ψ, a magnet
// holds it and a search adds more. A policy for one level alone has twice the iterations where
// searches can be thorough, and more of these to identify. One for regret has searches that keep to
// lower levels as well and, where it is structured, is moved by Soap; where searches can be thorough
// they are fewer, what is handed out is less sure of its queries than what was trained, and a
// structured one is held by a magnet and begins near queries unasked. Else trainings were left with
// holes that they did not see (docs/decisions/0012). The paper's algorithm stays as it is printed.
func (c *Config) Settle(loss mapo.Loss, levels int) {
	if c.Algorithm == "paper" {
		return
	}
	structured, cheap, alone := c.Policy == "structured", c.Thorough > 0, levels == 1
	if alone && cheap {
		c.Pi *= 2
	}
	switch {
	case loss == mapo.BestIdentification:
		if alone || structured && cheap {
			c.Add = adversary.FullSet / 3
		}
		if alone && cheap {
			c.Thorough = 8
		}
		if structured && cheap {
			c.Optimizer, c.Magnet = "soap", .3
			c.LambdaPolFine *= 3
		}
	case alone:
		c.Below = true
		if structured {
			c.Optimizer = "soap"
		}
		if cheap {
			c.Soften = .8
			c.Refresh = c.Refresh * 3 / 2
		}
		if structured && cheap {
			c.Start, c.Magnet, c.Decay = "unasked", .3, .02
		}
	}
}

// unread are the keys of Config that an algorithm or a kind of policy does not look at.
var unread = map[string][]string{
	"oracle":     {"lambda_pol_reg", "lambda_gen_reg", "lambda_barrier", "rate_theta", "rate_w", "dense", "init", "regret", "tilde"},
	"paper":      {"critic", "magnet", "refresh", "add", "below", "thorough", "soften", "temperature", "hedge", "follow"},
	"structured": {"hidden"},
	"mlp":        {"units", "start"},
}

// Ignored are the keys in which c differs from the preset it was made from though a training so
// configured does not look at them.
func (c *Config) Ignored(preset Config) (keys []string) {
	was, is := reflect.ValueOf(preset), reflect.ValueOf(*c)
	for i := range is.NumField() {
		key := is.Type().Field(i).Tag.Get("yaml")
		if slices.Contains(slices.Concat(unread[c.Algorithm], unread[c.Policy]), key) && !reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Follows reports whether all π_k but one start from that one's weights.
func (c *Config) Follows() bool { return c.algorithm().follows() }

// critic reports whether the critic is in use.
func (c *Config) critic() bool { return c.Critic && c.leaveOneOut() }

// leaveOneOut reports whether baselines are those of reading 18.
func (c *Config) leaveOneOut() bool { return c.Estimator == "loo" }

// iterations is n for the paper's thresholds, more for smaller problems, whose
// iterations cost less, and fewer for larger ones.
func iterations(p *mapo.Problem, least, n, most int) int {
	return max(least, min(most, int(float64(n)/nn.Work(p))))
}

// column fills in the paper's column for the problem.
func column(c *Config, p *mapo.Problem, loss mapo.Loss) {
	z := p.Hypotheses()
	c.LambdaBinary = paperBinary(p)
	switch {
	case isThresholds(p):
		c.N, c.M, c.L = 1000*z, 1000, 10
		c.LambdaPol, c.LambdaPolFine, c.LambdaGen = .2, .3, .05
		c.Tilde, c.Pi, c.PiHat = 200000, 200000, 500000
	case loss == mapo.BestIdentification:
		c.N, c.M, c.L = 300*z, 500, 30
		c.LambdaPol, c.LambdaPolFine, c.LambdaGen = .8, .8, .1
		c.Tilde, c.Pi, c.PiHat = 0, 1500000, 250000
	default:
		c.N, c.M, c.L = 2000*z, 500, 30
		c.LambdaPol, c.LambdaPolFine, c.LambdaGen = .8, .8, .05
		c.Tilde, c.Pi, c.PiHat = 200000, 0, 500000
	}
}

// isThresholds reports whether p is the paper's thresholds, whatever its name and
// the order of its queries and hypotheses: |X| + 1 hypotheses, each the one
// before with another query answered by yes.
func isThresholds(p *mapo.Problem) bool {
	d := p.Queries()
	chain := make([]int, d+1) // hypothesis by its number of ones, plus 1; 0: none yet
	for k := range p.Hypotheses() {
		ones := 0
		for _, z := range p.Row(k) {
			ones += int(z)
		}
		if chain[ones] != 0 {
			return false
		}
		chain[ones] = k + 1
	}
	for n := range chain {
		if chain[n] == 0 {
			return false
		}
		if n > 0 && !within(p.Row(chain[n-1]-1), p.Row(chain[n]-1)) {
			return false
		}
	}
	return true
}

// within reports whether b has a one wherever a has.
func within(a, b []float32) bool {
	for i, z := range a {
		if z > b[i] {
			return false
		}
	}
	return true
}

// paperBinary is λ_binary, which brings best identification to simple regret's
// scale (App. D).
func paperBinary(p *mapo.Problem) float64 {
	if isThresholds(p) {
		return 7.5
	}
	return 30
}

// Fault is a setting that no training can have.
type Fault struct {
	Setting string // its yaml key
	What    string // and the remedy
}

func (f *Fault) Error() string { return "train." + f.Setting + " " + f.What }

// Key is the setting's, by which a spec finds its line.
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

// Check reports the first setting that no training can have, as a [*Fault].
func (c *Config) Check() error {
	for _, n := range []struct {
		key       string
		v         int
		low, high int
	}{
		{"N", c.N, 1, mostCount}, {"M", c.M, 1, mostCount}, {"L", c.L, 1, mostCount},
		{"init", c.Init, 0, mostCount}, {"regret", c.Regret, 0, mostCount}, {"tilde", c.Tilde, 0, mostCount},
		{"pi", c.Pi, 0, mostCount}, {"follow", c.Follow, 0, mostCount}, {"pi_hat", c.PiHat, 0, mostCount},
		{"units", c.Units, 1, mostWidth}, {"refresh", c.Refresh, 1, mostCount},
		{"add", c.Add, 1, mostCount}, {"hedge", c.Hedge, 0, mostCount}, {"thorough", c.Thorough, 0, mostTimes},
	} {
		if n.v < n.low || n.v > n.high {
			return &Fault{n.key, fmt.Sprintf("is %d; it must be from %d to %d", n.v, n.low, n.high)}
		}
	}
	for _, f := range []struct {
		key string
		v   float64
	}{
		{"lambda_binary", c.LambdaBinary}, {"lambda_pol_reg", c.LambdaPol}, {"lambda_pol_fine", c.LambdaPolFine},
		{"lambda_gen_reg", c.LambdaGen}, {"lambda_barrier", c.LambdaBarrier}, {"rate_psi", c.RatePsi},
		{"magnet", c.Magnet}, {"rate_theta", c.RateTheta}, {"rate_w", c.RateW}, {"decay", c.Decay},
	} {
		if !(f.v >= 0 && f.v <= mostReal) {
			return &Fault{f.key, fmt.Sprintf("is %v; it must be a number from 0 to %g", f.v, mostReal)}
		}
	}
	if !(c.Soften > 0 && c.Soften <= 1) {
		return &Fault{"soften", fmt.Sprintf("is %v; it must be above 0 and at most 1, which leaves a policy as it was trained", c.Soften)}
	}
	if c.LambdaBinary == 0 {
		return &Fault{"lambda_binary", "is 0, with which no loss would count: set it above 0"}
	}
	if !(c.Temperature >= leastTemperature && c.Temperature <= mostReal) {
		return &Fault{"temperature", fmt.Sprintf("is %v; it must be a number from %g to %g", c.Temperature, leastTemperature, float64(mostReal))}
	}
	if c.Estimator == "loo" && c.L < 2 {
		return &Fault{"L", fmt.Sprintf("is %d; the estimator loo needs at least 2 rollouts an instance: raise L, or set estimator: paper", c.L)}
	}
	if len(c.Hidden) == 0 || slices.Min(c.Hidden) < 1 || slices.Max(c.Hidden) > mostWidth {
		return &Fault{"hidden", fmt.Sprintf("is %v; list at least one width, each from 1 to %d, such as [128, 128]", c.Hidden, mostWidth)}
	}
	return c.names()
}

// Suits reports why no training so configured can be for p: a [*Fault], or nil.
func (c *Config) Suits(p *mapo.Problem) error {
	d := p.Queries()
	if c.Policy == "structured" && d > nn.MaxStructured {
		return &Fault{"policy", fmt.Sprintf("structured is for at most %d queries, the problem has %d: keep fewer (problem: {select: {queries: …}}), or set train: {policy: mlp}", nn.MaxStructured, d)}
	}
	// About what the network has, and what its backward pass needs of a state.
	weights, kept, width, widest := 2*c.Units*c.Units, d*(32+2*c.Units), "units", c.Units
	if c.Policy == "mlp" {
		in := 3 * d
		weights, kept, width, widest = 0, 0, "hidden", max(in, slices.Max(c.Hidden))
		for _, n := range append(slices.Clip(c.Hidden), d) {
			weights, kept, in = weights+in*n, kept+n, n
		}
	}
	if weights > nn.MostParams {
		return &Fault{width, fmt.Sprintf("makes a network of over %d weights, more than a policy file is for: lower it", nn.MostParams)}
	}
	if c.Optimizer == "soap" && widest > optim.MostSoap {
		return &Fault{"optimizer", fmt.Sprintf("soap is for layers of at most %d inputs and outputs, one has %d: lower %s, or set optimizer: adam", optim.MostSoap, widest, width)}
	}
	for _, n := range []struct {
		key      string
		v, bytes int
	}{{"N", c.N, c.algorithm().memory(d)}, {"M", c.M, 24 * d}, {"L", c.L, 4 * p.T * kept}} {
		if need := float64(n.v) * float64(n.bytes); need > mostMemory {
			return &Fault{n.key, fmt.Sprintf("is %d, for which training needs some %.0f GiB of memory; %d GiB is the most: lower it", n.v, need/(1<<30), mostMemory>>30)}
		}
	}
	return nil
}

func (c *Config) names() error {
	for _, n := range []struct {
		key, v string
		known  []string
	}{
		{"algorithm", c.Algorithm, []string{"oracle", "paper"}},
		{"estimator", c.Estimator, []string{"loo", "paper"}},
		{"policy", c.Policy, []string{"structured", "mlp"}},
		{"start", c.Start, []string{"rivals", "unasked", "uniform"}},
		{"optimizer", c.Optimizer, optim.Names()},
	} {
		if !slices.Contains(n.known, n.v) {
			return &Fault{n.key, fmt.Sprintf("is %q; known are %s", n.v, strings.Join(n.known, ", "))}
		}
	}
	return nil
}
