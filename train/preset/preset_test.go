package preset

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/train"
)

func TestPresetsAreSound(t *testing.T) {
	r := rng.New(1).Rand()
	for _, p := range []*game.Problem{check.Thresholds(5, 4), check.BestArm(4, 4), check.Random(5, 9, 4, r)} {
		for _, loss := range game.Losses() {
			for _, name := range []string{"smoke", "desk", "paper"} {
				c, err := New(name, p, loss)
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Check(); err != nil {
					t.Errorf("%s for %s, %s: %v", name, p.Name, loss, err)
				}
			}
		}
	}
	if _, err := New("large", check.BestArm(2, 1), game.SimpleRegret); err == nil || !strings.Contains(err.Error(), "smoke, desk and paper") {
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
		p    *game.Problem
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
		config, err := New("paper", c.p, game.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		if got := config.LambdaBinary == 7.5 && config.M == 1000; got != c.want {
			t.Errorf("%s: taken for thresholds is %v, want %v", c.why, got, c.want)
		}
	}
}

// TestDeskIsMinutes: desk's games cost as much in all on a table as on the paper's thresholds, but for the least
// there must be of them.
func TestDeskIsMinutes(t *testing.T) {
	cost := func(p *game.Problem) float64 {
		c, err := New("desk", p, game.BestIdentification)
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

// saying is what a test says of a training: blocks, and a change.
type saying struct {
	blocks []string
	change func(c *train.Config) error
}

func (s saying) Has(block string) bool          { return slices.Contains(s.blocks, block) }
func (s saying) Decode(dst *train.Config) error { return s.change(dst) }

// TestChoice: the blocks that are named stand, with the preset's numbers; else those that the preset begins with.
func TestChoice(t *testing.T) {
	p := check.Thresholds(5, 5)
	for _, c := range []struct {
		name   string
		blocks []string
		want   string
	}{
		{"smoke", nil, "oracle structured"}, {"desk", []string{"paper"}, "paper structured"}, {"desk", []string{"mlp", "oracle"}, "oracle mlp"},
		{"paper", nil, "paper mlp"}, {"paper", []string{"oracle", "structured"}, "oracle structured"}, {"paper", []string{"paper"}, "paper mlp"},
	} {
		got, err := For(c.name, p, game.BestIdentification, 2, saying{c.blocks, func(*train.Config) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for block, there := range map[string]bool{"oracle": got.Oracle != nil, "paper": got.Paper != nil, "structured": got.Structured != nil, "mlp": got.MLP != nil} {
			if there {
				list = append(list, block)
			}
		}
		if want := strings.Fields(c.want); !same(list, want) {
			t.Errorf("%s with %v has the blocks %v, want %v", c.name, c.blocks, list, want)
		}
	}
	for _, both := range [][]string{{"oracle", "paper"}, {"mlp", "structured"}} {
		var fault *train.Fault
		if _, err := For("desk", p, game.BestIdentification, 2, saying{both, nil}); !errors.As(err, &fault) || !strings.Contains(err.Error(), "keep one of them") {
			t.Errorf("both %v: %v", both, err)
		}
	}
}

func same(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// TestSayings: what is said wins over what suits, what no training can have is a fault, and Decode's error is returned.
func TestSayings(t *testing.T) {
	p := check.Thresholds(5, 5)
	get := func(change func(c *train.Config) error) (train.Config, error) {
		return For("desk", p, game.SimpleRegret, 1, saying{nil, change})
	}
	plain, err := For("desk", p, game.SimpleRegret, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Optimizer != "soap" || plain.Oracle.Soften != .8 || plain.Structured.Start != "unasked" {
		t.Errorf("desk for regret at one level is %+v", plain)
	}
	told, err := get(func(c *train.Config) error { c.Oracle.Soften, c.Optimizer = 1, "adam"; return nil })
	if err != nil || told.Oracle.Soften != 1 || told.Optimizer != "adam" || told.Oracle.Magnet != plain.Oracle.Magnet {
		t.Errorf("%+v (%v) is not what was said", told.Oracle, err)
	}
	var fault *train.Fault
	for key, change := range map[string]func(c *train.Config) error{
		"M":                func(c *train.Config) error { c.M = 0; return nil },
		"pi":               func(c *train.Config) error { c.Pi = 0; return nil },
		"structured.units": func(c *train.Config) error { c.Structured.Units = 1 << 20; return nil },
	} {
		if _, err := get(change); !errors.As(err, &fault) || fault.Setting != key {
			t.Errorf("%s: %v", key, err)
		}
	}
	broken := errors.New("broken")
	if _, err := get(func(*train.Config) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestFrom: earlier specs say from: fresh, which changes nothing. from: instant is refused with the remedy, and so is another name.
func TestFrom(t *testing.T) {
	p := check.Thresholds(5, 5)
	from := func(name string) (train.Config, error) {
		return For("desk", p, game.BestIdentification, 2, saying{nil, func(c *train.Config) error { c.From = name; return nil }})
	}
	plain, err := For("desk", p, game.BestIdentification, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := from("fresh"); err != nil || !reflect.DeepEqual(got, plain) {
		t.Errorf("from: fresh: %+v, %v", got, err)
	}
	for name, want := range map[string]string{
		"instant": "train.from is instant, which is no longer part of mapo; leave it out",
		"file":    "train.from is file, which is no longer part of mapo; leave it out",
	} {
		var fault *train.Fault
		if _, err := from(name); !errors.As(err, &fault) || fault.Setting != "from" || err.Error() != want {
			t.Errorf("from: %s: %v", name, err)
		}
	}
}

// TestFewWeights: a gated policy has long steps at every scale and its own counts at desk; what the user says stands.
func TestFewWeights(t *testing.T) {
	p := check.Graded(6, 9, 4, rng.New(2).Rand())
	for _, c := range []struct {
		name   string
		levels int
		pi     int // 0: the preset's
	}{{"desk", 1, 300}, {"desk", 3, 300}, {"smoke", 2, 0}} {
		got, err := For(c.name, p, game.BestIdentification, c.levels, gatedBlock{})
		if err != nil {
			t.Fatal(err)
		}
		if got.RatePsi != 0.2 || got.Structured != nil || c.pi > 0 && (got.Pi != c.pi || got.PiHat != 600 || got.M*got.L != 128) {
			t.Errorf("%s, %d levels: %+v", c.name, c.levels, got)
		}
	}
	got, err := For("desk", p, game.BestIdentification, 2, gatedBlock{rate: 0.01})
	if err != nil || got.RatePsi != 0.01 {
		t.Errorf("a rate of one's own is %v, %v", got.RatePsi, err)
	}
}

// gatedBlock is a user who asks for a gated policy, and maybe for a rate.
type gatedBlock struct{ rate float64 }

func (gatedBlock) Has(block string) bool { return block == "gated" }

func (g gatedBlock) Decode(dst *train.Config) error {
	if g.rate > 0 {
		dst.RatePsi = g.rate
	}
	return nil
}
