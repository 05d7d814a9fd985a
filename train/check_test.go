package train

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/train/optim"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		key, want string
		change    func(c *Config)
	}{
		{"N", "train.N is 0; it must be from 1", func(c *Config) { c.N = 0 }},
		{"M", "train.M is -3; it must be from 1", func(c *Config) { c.M = -3 }},
		{"M", "to 2147483647", func(c *Config) { c.M = 1 << 40 }},
		{"L", "raise L, or set estimator: paper", func(c *Config) { c.L = 1 }},
		{"pi_hat", "from 0", func(c *Config) { c.PiHat = -1 }},
		{"oracle.thorough", "to 1000", func(c *Config) { c.Oracle.Thorough = 1 << 30 }},
		{"rate_psi", "train.rate_psi is NaN; it must be a number from 0", func(c *Config) { c.RatePsi = math.NaN() }},
		{"paper.lambda_barrier", "is +Inf", func(c *Config) { paper(c); c.Paper.LambdaBarrier = math.Inf(1) }},
		{"paper.init", "from 0", func(c *Config) { paper(c); c.Paper.Init = -1 }},
		{"oracle.temperature", "train.oracle.temperature is 0; it must be a number from 1e-06", func(c *Config) { c.Oracle.Temperature = 0 }},
		{"lambda_binary", "is 0, with which no loss would count", func(c *Config) { c.LambdaBinary = 0 }},
		{"oracle.soften", "is 0; it must be above 0", func(c *Config) { c.Oracle.Soften = 0 }},
		{"oracle.soften", "is NaN", func(c *Config) { c.Oracle.Soften = math.NaN() }},
		{"oracle.soften", "at most 1", func(c *Config) { c.Oracle.Soften = 1.5 }},
		{"structured.units", "is 0", func(c *Config) { c.Structured.Units = 0 }},
		{"structured.start", `is "here"; known are rivals, unasked, uniform`, func(c *Config) { c.Structured.Start = "here" }},
		{"mlp.hidden", "is []; list at least one width", func(c *Config) { mlp(c) }},
		{"mlp.hidden", "is [8 0]", func(c *Config) { mlp(c, 8, 0) }},
		{"estimator", `is "lou"; known are loo, paper`, func(c *Config) { c.Estimator = "lou" }},
		{"optimizer", `is ""; known are soap, adam`, func(c *Config) { c.Optimizer = "" }},
		{"oracle", "two algorithms: give one", func(c *Config) { c.Oracle = nil }},
		{"oracle", "two algorithms: give one", func(c *Config) { c.Paper = new(Paper) }},
		{"structured", "kinds of policy: give one", func(c *Config) { c.MLP = new(MLP) }},
		{"structured", "kinds of policy: give one", func(c *Config) { c.Structured, c.MLP, c.Gated = nil, new(MLP), new(Gated) }},
		{"gated.start", "instant", func(c *Config) { c.Structured, c.Gated = nil, &Gated{Start: "greedy"} }},
	} {
		config := base()
		c.change(&config)
		var fault *Fault
		if err := config.Check(); !errors.As(err, &fault) || fault.Key() != c.key || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s: %q", err, c.key, c.want)
		}
	}
	wide := base()
	var fault *Fault
	if err := wide.Suits(check.BestArm(nn.MaxStructured+1, 2)); !errors.As(err, &fault) || fault.Key() != "structured" {
		t.Errorf("got %v, want that it is too wide", err)
	}
	if err := wide.Suits(check.BestArm(nn.MaxStructured, 2)); err != nil {
		t.Error(err)
	}
	printed := base()
	printed.Estimator, printed.L = "paper", 1
	if err := printed.Check(); err != nil {
		t.Errorf("the paper's estimator with one rollout: %v", err)
	}
}

// mostWidth is the widest layer that the tags of MLP and Structured allow.
const mostWidth = 8192

// What a network or a batch of any size would cost is said before it is begun.
func TestSuitsSize(t *testing.T) {
	p := check.Thresholds(6, 8)
	for _, c := range []struct {
		key    string
		change func(*Config)
	}{
		{"M", func(c *Config) { c.M = mostCount }},
		{"L", func(c *Config) { c.L = mostCount }},
		{"N", func(c *Config) { paper(c); c.N = mostCount }},
		{"mlp.hidden", func(c *Config) { mlp(c, mostWidth, mostWidth) }},
		{"mlp.hidden", func(c *Config) { mlp(c, slices.Repeat([]int{mostWidth}, 60)...) }},
		{"structured.units", func(c *Config) { c.Structured.Units = mostWidth }},
		{"optimizer", func(c *Config) { c.Optimizer, c.Structured.Units = "soap", 1024 }},
		{"optimizer", func(c *Config) { mlp(c, 1024); c.Optimizer = "soap" }},
		{"", func(c *Config) { c.Optimizer, c.Structured.Units = "soap", optim.MostSoap }},
		{"", func(c *Config) { c.M, c.L, c.N = 1000, 30, 1_000_000 }},
		{"", func(c *Config) { mlp(c, 4096, 4096) }},
	} {
		config := base()
		c.change(&config)
		if err := config.Check(); err != nil {
			t.Fatal(err)
		}
		var fault *Fault
		switch err := config.Suits(p); {
		case c.key == "" && err != nil:
			t.Error(err)
		case c.key != "" && (!errors.As(err, &fault) || fault.Key() != c.key):
			t.Errorf("got %v, want a fault of %s", err, c.key)
		}
	}
}

// What would not be trained at all is said, of the policies that there are.
func TestIdle(t *testing.T) {
	p := check.Thresholds(4, 3)
	for _, c := range []struct {
		key    string
		levels int
		change func(*Config)
	}{
		{"pi", 1, func(c *Config) { c.Pi = 0 }},
		{"", 1, func(c *Config) { c.PiHat = 0 }},
		{"pi_hat", 2, func(c *Config) { c.PiHat = 0 }},
		{"", 1, func(c *Config) { paper(c); c.Pi = 0 }},
		{"pi", 1, func(c *Config) { paper(c); c.Paper.Regret, c.Paper.Tilde, c.Pi = 0, 0, 0 }},
	} {
		config := base()
		c.change(&config)
		var fault *Fault
		switch err := config.Idle(game.BestIdentification, c.levels); {
		case c.key == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.key != "" && (!errors.As(err, &fault) || fault.Key() != c.key):
			t.Errorf("%d levels: got %v, want a fault of %s", c.levels, err, c.key)
		}
	}
	config := base()
	config.Pi = 0
	if _, err := New(Task{P: p, C: game.RhoTilde(p), R: []float64{16}, Config: config, Key: rng.New(1)}, nil); err == nil {
		t.Error("a training without an iteration was begun")
	}
}

// A training that diverges ends with one error that says what to change.
func TestDiverges(t *testing.T) {
	p := check.Thresholds(4, 3)
	for _, rate := range []float64{1, 1e9} {
		c := base()
		mlp(&c, slices.Repeat([]int{64}, 16)...)
		c.RatePsi, c.Pi = rate, 50
		r := begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{16}, Config: c, Key: rng.New(1)})
		var err error
		for _, err = range Descend(t.Context(), r) {
			if err != nil {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), "diverged at iteration") || !strings.Contains(err.Error(), "train.rate_psi") {
			t.Errorf("rate %g: got %v", rate, err)
		}
	}
}

// A clone shares nothing that a change of one could change in the other.
func TestClone(t *testing.T) {
	c := base()
	mlp(&c, 8)
	other := c.Clone()
	other.Oracle.Refresh, other.MLP.Hidden[0] = 7, 9
	if c.Oracle.Refresh != 40 || c.MLP.Hidden[0] != 8 {
		t.Error("a change of the clone changes the configuration")
	}
}
