package train

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo"
	"mapo/internal/check"
	"mapo/nn"
	"mapo/rng"
	"mapo/train/optim"
)

func TestPresetsAreSound(t *testing.T) {
	r := rng.New(1).Rand()
	for _, p := range []*mapo.Problem{check.Thresholds(5, 4), check.BestArm(4, 4), check.Random(5, 9, 4, r)} {
		for _, loss := range mapo.Losses() {
			for _, name := range []string{"smoke", "desk", "paper"} {
				c, err := Preset(name, p, loss)
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Check(); err != nil {
					t.Errorf("%s for %s, %s: %v", name, p.Name, loss, err)
				}
			}
		}
	}
	if _, err := Preset("large", check.BestArm(2, 1), mapo.SimpleRegret); err == nil || !strings.Contains(err.Error(), "smoke, desk and paper") {
		t.Errorf("an unknown preset: %v", err)
	}
}

// TestThresholdsByStructure: the paper's column for thresholds goes to what they
// are and not to what they are called.
func TestThresholdsByStructure(t *testing.T) {
	p := check.Thresholds(5, 4)
	renamed := *p
	renamed.Name = "animals"
	named := check.BestArm(5, 4)
	named.Name = "thresholds"
	backwards := check.Thresholds(5, 4)
	slices.Reverse(backwards.Z) // queries and hypotheses in reverse
	short := check.Thresholds(5, 4)
	short.Names, short.Z = short.Names[:5], short.Z[:5*5]
	bent := check.Thresholds(5, 4)
	copy(bent.Row(2), []float32{0, 0, 0, 1, 1})
	for _, c := range []struct {
		why  string
		p    *mapo.Problem
		want bool
	}{
		{"thresholds", p, true},
		{"under another name", &renamed, true},
		{"another problem under their name", named, false},
		{"their queries in another order", check.Permute(p, []int{3, 0, 4, 1, 2}), true},
		{"back to front", backwards, true},
		{"one hypothesis missing", short, false},
		{"a hypothesis that is in no chain", bent, false},
	} {
		config, err := Preset("paper", c.p, mapo.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		if got := config.LambdaBinary == 7.5 && config.M == 1000; got != c.want {
			t.Errorf("%s: taken for thresholds is %v, want %v", c.why, got, c.want)
		}
	}
}

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
		{"thorough", "to 1000", func(c *Config) { c.Thorough = 1 << 30 }},
		{"rate_psi", "train.rate_psi is NaN; it must be a number from 0", func(c *Config) { c.RatePsi = math.NaN() }},
		{"lambda_barrier", "is +Inf", func(c *Config) { c.LambdaBarrier = math.Inf(1) }},
		{"temperature", "train.temperature is 0; it must be a number from 1e-06", func(c *Config) { c.Temperature = 0 }},
		{"lambda_binary", "is 0, with which no loss would count", func(c *Config) { c.LambdaBinary = 0 }},
		{"soften", "is 0; it must be above 0", func(c *Config) { c.Soften = 0 }},
		{"soften", "is NaN", func(c *Config) { c.Soften = math.NaN() }},
		{"soften", "at most 1", func(c *Config) { c.Soften = 1.5 }},
		{"hidden", "is []; list at least one width", func(c *Config) { c.Hidden = nil }},
		{"hidden", "is [8 0]", func(c *Config) { c.Hidden = []int{8, 0} }},
		{"algorithm", `is "orcale"; known are oracle, paper`, func(c *Config) { c.Algorithm = "orcale" }},
		{"policy", `is ""; known are structured, mlp`, func(c *Config) { c.Policy = "" }},
	} {
		config, err := Preset("smoke", check.BestArm(3, 2), mapo.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&config)
		var fault *Fault
		if err := config.Check(); !errors.As(err, &fault) || fault.Key() != c.key || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s: %q", err, c.key, c.want)
		}
	}
	wide := Config{Policy: "structured"}
	var fault *Fault
	if err := wide.Suits(check.BestArm(nn.MaxStructured+1, 2)); !errors.As(err, &fault) || fault.Key() != "policy" {
		t.Errorf("got %v, want that it is too wide", err)
	}
	if err := wide.Suits(check.BestArm(nn.MaxStructured, 2)); err != nil {
		t.Error(err)
	}
	paper := Config{}
	if config, err := Preset("smoke", check.BestArm(3, 2), mapo.BestIdentification); err == nil {
		paper = config
	}
	paper.Estimator, paper.L = "paper", 1
	if err := paper.Check(); err != nil {
		t.Errorf("the paper's estimator with one rollout: %v", err)
	}
}

// TestDeskIsMinutes: desk's games cost as much in all on a table as on the paper's thresholds, but for the least
// there must be of them.
func TestDeskIsMinutes(t *testing.T) {
	cost := func(p *mapo.Problem) float64 {
		c, err := Preset("desk", p, mapo.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		return float64(c.Pi*c.M*c.L) * nn.Work(p)
	}
	want := cost(check.Thresholds(25, 20))
	for _, n := range []int{20, 100, 200} {
		if got := cost(check.Random(100, n, 20, rng.New(1).Rand())); math.Abs(got/want-1) > .02 { // whole iterations, of a hundred or more
			t.Errorf("%d hypotheses cost %.3g of the thresholds", n, got/want)
		}
	}
}

// What a network or a batch of any size would cost is said before it is begun.
func TestSuitsSize(t *testing.T) {
	p := check.Thresholds(6, 8)
	for _, c := range []struct {
		key    string
		change func(*Config)
	}{
		{"M", func(c *Config) { c.M = mostCount }},
		{"L", func(c *Config) { c.L = mostCount }},
		{"N", func(c *Config) { c.Algorithm, c.N = "paper", mostCount }},
		{"hidden", func(c *Config) { c.Policy, c.Hidden = "mlp", []int{mostWidth, mostWidth} }},
		{"hidden", func(c *Config) { c.Policy, c.Hidden = "mlp", slices.Repeat([]int{mostWidth}, 60) }},
		{"units", func(c *Config) { c.Units = mostWidth }},
		{"optimizer", func(c *Config) { c.Optimizer, c.Units = "soap", 1024 }},
		{"optimizer", func(c *Config) { c.Optimizer, c.Policy, c.Hidden = "soap", "mlp", []int{1024} }},
		{"", func(c *Config) { c.Optimizer, c.Units = "soap", optim.MostSoap }},
		{"", func(c *Config) { c.M, c.L, c.N = 1000, 30, 1_000_000 }},
		{"", func(c *Config) { c.Policy, c.Hidden = "mlp", []int{4096, 4096} }},
	} {
		config, err := Preset("desk", p, mapo.SimpleRegret)
		if err != nil {
			t.Fatal(err)
		}
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
		preset, key string
		levels      int
		change      func(*Config)
	}{
		{"desk", "pi", 1, func(c *Config) { c.Pi = 0 }},
		{"desk", "", 1, func(c *Config) { c.PiHat = 0 }},
		{"desk", "pi_hat", 2, func(c *Config) { c.PiHat = 0 }},
		{"paper", "", 1, func(c *Config) { c.Pi = 0 }},
		{"paper", "pi", 1, func(c *Config) { c.Regret, c.Tilde, c.Pi = 0, 0, 0 }},
	} {
		config, err := Preset(c.preset, p, mapo.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&config)
		var fault *Fault
		switch err := config.Idle(mapo.BestIdentification, c.levels); {
		case c.key == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.key != "" && (!errors.As(err, &fault) || fault.Key() != c.key):
			t.Errorf("%s, %d levels: got %v, want a fault of %s", c.preset, c.levels, err, c.key)
		}
	}
	config, err := Preset("smoke", p, mapo.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	config.Pi = 0
	if _, err := New(Task{P: p, C: mapo.RhoTilde(p), R: []float64{16}, Config: config, Key: rng.New(1)}, nil); err == nil {
		t.Error("a training without an iteration was begun")
	}
}

// A training that diverges ends with one error that says what to change.
func TestDiverges(t *testing.T) {
	p := check.Thresholds(4, 3)
	for _, rate := range []float64{1, 1e9} {
		c := quick(t, p)
		c.Algorithm, c.Policy, c.Hidden, c.RatePsi, c.Optimizer, c.Pi = "oracle", "mlp", slices.Repeat([]int{64}, 16), rate, "adam", 50
		r, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{16}, Config: c, Key: rng.New(1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
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

// What is told in vain is listed: keys that differ from the preset's and that the algorithm or the policy does not
// look at. Every such key is one of Config's.
func TestIgnored(t *testing.T) {
	preset, err := Preset("desk", check.Thresholds(5, 5), mapo.SimpleRegret)
	if err != nil {
		t.Fatal(err)
	}
	if got := preset.Ignored(preset); got != nil {
		t.Errorf("a preset ignores its own %v", got)
	}
	c := preset
	c.RateTheta, c.Hidden, c.Units, c.Magnet = .5, []int{7}, 7, .7
	if got := c.Ignored(preset); !slices.Equal(got, []string{"hidden", "rate_theta"}) {
		t.Errorf("the oracle with a structured policy ignores %v", got)
	}
	c.Algorithm, c.Policy = "paper", "mlp"
	if got := c.Ignored(preset); !slices.Equal(got, []string{"units", "magnet"}) {
		t.Errorf("the paper's algorithm with an MLP ignores %v", got)
	}
	var keys []string
	for field := range reflect.TypeFor[Config]().Fields() {
		keys = append(keys, field.Tag.Get("yaml"))
	}
	for kind, ks := range unread {
		for _, key := range ks {
			if !slices.Contains(keys, key) {
				t.Errorf("%s: no setting is called %q", kind, key)
			}
		}
	}
}
