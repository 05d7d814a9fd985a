package rival

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/nn"
)

// instantJSON is the weights a, b and c of each feature of an [nn.Gated] network, by the trade-off weight of the average that
// they were trained for.
//
//go:embed instant.json
var instantJSON []byte

// gates is the weights of one network.
type gates struct {
	Gain    [3]float32 `json:"gain"`
	Unlike  [3]float32 `json:"unlike"`
	LogGain [3]float32 `json:"log-gain"`
}

var instants = func() (list map[string]gates) {
	if err := json.Unmarshal(instantJSON, &list); err != nil {
		panic(fmt.Sprintf("rival: instant.json: %v", err))
	}
	return list
}()

// newInstant returns the gated network whose weights come with the program, for a trade-off weight of the average. They were
// trained on one table of animals and serve on any problem.
func newInstant(p *game.Problem, weight float64, g gates) game.Policy {
	net := g.net(p)
	return instant{nn.Policy(p, net), net, numbered("instant", weight), g}
}

// gatesOf returns the weights for a trade-off weight.
func gatesOf(weight float64) (g gates, ok bool) {
	g, ok = instants[strconv.FormatFloat(weight, 'g', -1, 64)]
	return g, ok
}

// InstantNet returns the network of [Instant], for a training to begin from. It panics where there are no weights for that
// trade-off weight.
func InstantNet(p *game.Problem, weight float64) *nn.Gated {
	g, ok := gatesOf(weight)
	if !ok {
		panic("rival: InstantNet of a weight that it has no network for")
	}
	return g.net(p)
}

// net returns a network of these weights.
func (g gates) net(p *game.Problem) *nn.Gated {
	net := nn.NewGated(p)
	for feature, w := range [][3]float32{g.Gain, g.Unlike, g.LogGain} {
		net.SetGate(feature, w[0], w[1], w[2])
	}
	return net
}

type instant struct {
	game.Policy
	net   *nn.Gated
	name  string
	gates gates
}

// String returns the name in specs and results.
func (i instant) String() string { return i.name }

func (i instant) revision() string { return fmt.Sprint(" ", i.gates) }

// Network returns the network of [Instant], with whichever decision; nil of any other policy.
func Network(policy game.Policy) nn.Net {
	switch policy := policy.(type) {
	case instant:
		return policy.net
	case decided:
		return Network(policy.Policy)
	}
	return nil
}

// instantWeight is the trade-off weight of the policy "instant".
const instantWeight = 0.7

func parseInstant(p *game.Problem, name, rest string, has bool) (recipe, error) {
	weight, err := instantWeight, error(nil)
	if has {
		weight, err = strconv.ParseFloat(rest, 64)
	}
	if err == nil {
		if g, ok := gatesOf(weight); ok {
			return recipe{numbered("instant", weight), decision.LeastSquares, func() (game.Policy, error) { return newInstant(p, weight, g), nil }}, nil
		}
	}
	var known []string
	for _, key := range slices.Sorted(maps.Keys(instants)) {
		known = append(known, "instant:"+key)
	}
	return recipe{}, fmt.Errorf("policy %q: there are no weights for it; known are %s", name, strings.Join(known, " and "))
}
