package train

import (
	"slices"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/rng"
)

// blockRollouts and structuredRollouts are about how many rollouts a worker plays and learns from at a time: its activations
// stay in cache. The structured policy's are larger.
const (
	blockRollouts      = 240
	structuredRollouts = 64
)

// network is what the kinds of policy differ in.
type network interface {
	// fresh makes a network whose weights are drawn by key.
	fresh(p *game.Problem, key rng.Key) nn.Net
	// size returns about what a network for d queries has.
	size(d int) size
	// rollouts returns about how many a worker's block has.
	rollouts() int
	// of keeps what a policy in this role depends on.
	of(role Role)
}

// size is what a network has, about.
type size struct {
	weights int
	kept    int    // numbers that its backward pass needs of a state
	widest  int    // inputs or outputs of a layer
	key     string // of the setting that says how wide it is
}

// network returns the kind of policy that the configuration names.
func (c *Config) network() network {
	switch {
	case c.MLP != nil:
		return c.MLP
	case c.Gated != nil:
		return c.Gated
	}
	return c.Structured
}

func (g *Gated) fresh(p *game.Problem, _ rng.Key) nn.Net {
	if g.Start != "instant" {
		return nn.NewGated(p)
	}
	switch p.Goal().(type) {
	case *game.Labels:
		net := nn.NewGated(p)
		net.SetGate(0, poolGain, 0, 0)
		return net
	default:
		return rival.InstantNet(p, 0)
	}
}

// poolGain is the weight of the gain at which the training of a gated network begins on a pool of items, near the best that it does
// by the gain alone.
const poolGain = 15

func (*Gated) size(d int) size {
	return size{weights: nn.GatedWeights, kept: 4 * d, widest: 3, key: "gated"}
}

func (*Gated) rollouts() int { return structuredRollouts }

func (s *Structured) fresh(p *game.Problem, key rng.Key) nn.Net {
	net := nn.NewStructured(p, s.Units, key)
	switch s.Start {
	case "rivals":
		net.LeanToRivals()
	case "unasked":
		net.LeanToUnasked()
	}
	return net
}

func (s *Structured) size(d int) size {
	return size{weights: 2 * s.Units * s.Units, kept: d * (32 + 2*s.Units), widest: s.Units, key: "structured.units"}
}

func (*Structured) rollouts() int { return structuredRollouts }

func (m *MLP) fresh(p *game.Problem, key rng.Key) nn.Net { return nn.NewMLP(p, m.Hidden, key) }

func (m *MLP) size(d int) size {
	in := 3 * d
	out := size{widest: max(in, slices.Max(m.Hidden)), key: "mlp.hidden"}
	for _, n := range append(slices.Clip(m.Hidden), d) {
		out.weights, out.kept, in = out.weights+in*n, out.kept+n, n
	}
	return out
}

func (*MLP) rollouts() int { return blockRollouts }

// Arch says what network a training of this configuration has, as [nn.Net]'s Arch.
func Arch(p *game.Problem, c Config) string {
	return c.network().fresh(p, rng.New(0)).Arch()
}

// fresh makes a fresh network of the kind that the task asks for.
func (t *Task) fresh() nn.Net { return t.Config.network().fresh(t.P, t.Key.Name("psi")) }
