package rival

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/nn"
)

// adaptiveJSON is the weights of [Adaptive], as [EncodeWeights] writes them.
//
//go:embed adaptive.json
var adaptiveJSON []byte

// weights is a file of weights of an [nn.Adaptive] network. They serve on every problem and for every trade-off weight.
type weights struct {
	Gates   int               `json:"gates"`   // hidden units of the gates
	Units   int               `json:"units"`   // of each hidden layer of the second part
	Trained map[string]string `json:"trained"` // how
	Hash    string            `json:"sha256"`  // of Params, as little-endian float32
	Params  []float32         `json:"params"`
}

// EncodeWeights returns the file of weights of an [nn.Adaptive] network with so many hidden units; trained says how they came about.
func EncodeWeights(gates, units int, params []float32, trained map[string]string) ([]byte, error) {
	data, err := json.MarshalIndent(weights{gates, units, trained, hash(params), params}, "", " ")
	return append(data, '\n'), err
}

// decodeWeights reads what EncodeWeights wrote. An error says that weights and hash differ, or that they are not as many as units need.
func decodeWeights(data []byte) (w weights, err error) {
	if err := json.Unmarshal(data, &w); err != nil {
		return w, err
	}
	if w.Hash != hash(w.Params) || len(w.Params) != nn.AdaptiveParams(w.Gates, w.Units) {
		return w, errors.New("its weights are not those of its record")
	}
	return w, nil
}

// hash returns the SHA-256 of the weights' bytes, in hex.
func hash(params []float32) string {
	var data []byte
	for _, v := range params {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

var adaptives = func() weights {
	w, err := decodeWeights(adaptiveJSON)
	if err != nil {
		panic(fmt.Sprintf("rival: adaptive.json: %v", err))
	}
	return w
}()

// AdaptiveWeight is the trade-off weight of the policy "adaptive".
const AdaptiveWeight = 0.5

// Adaptive returns the policy whose weights come with the program, for a trade-off weight of the average in [0, 1]: 0 for the worst case
// alone. They were trained on made-up tables (package pretrain), and serve on any problem whose answers are ±1.
func Adaptive(p *game.Problem, weight float64) game.Policy {
	net := AdaptiveNet(p, weight)
	return adaptive{nn.Policy(p, net), net, numbered("adaptive", weight)}
}

// Network returns the network of [Adaptive] or [Instant], with whichever decision; nil of any other policy.
func Network(policy game.Policy) nn.Net {
	switch policy := policy.(type) {
	case adaptive:
		return policy.net
	case instant:
		return policy.net
	case decided:
		return Network(policy.Policy)
	}
	return nil
}

// AdaptiveUnits returns the hidden units of [Adaptive]'s network: those of its gates, and of each hidden layer of its second part.
func AdaptiveUnits() (gates, units int) { return adaptives.Gates, adaptives.Units }

// AdaptiveNet returns the network of [Adaptive], for a training to begin from.
func AdaptiveNet(p *game.Problem, weight float64) *nn.Adaptive {
	net := nn.NewAdaptive(p, adaptives.Gates, adaptives.Units, weight)
	copy(net.Params(), adaptives.Params)
	return net
}

type adaptive struct {
	game.Policy
	net  *nn.Adaptive
	name string
}

// String returns the name in specs and results.
func (i adaptive) String() string { return i.name }

func (i adaptive) revision() string { return " " + adaptives.Hash }

func parseAdaptive(p *game.Problem, name, rest string, has bool) (recipe, error) {
	weight := AdaptiveWeight
	if has {
		var err error
		if weight, err = strconv.ParseFloat(rest, 64); err != nil || !(weight >= 0 && weight <= 1) || math.Signbit(weight) {
			return recipe{}, fmt.Errorf("policy %q: the weight of the average must be from 0 to 1, such as adaptive:0.5", name)
		}
	}
	if p.Labels != nil {
		return recipe{}, fmt.Errorf("policy %q is for tables with answers of yes and no; for pools of items there are disagreement and model-selector:0.46", name)
	}
	if d := p.Queries(); d > nn.MaxStructured {
		return recipe{}, fmt.Errorf("policy %q: it takes at most %d queries, and the problem has %d: play information:0.03, or select fewer", name, nn.MaxStructured, d)
	}
	return recipe{numbered("adaptive", weight), decision.LeastSquares, func() (game.Policy, error) { return Adaptive(p, weight), nil }}, nil
}

// AdaptiveStart sets the gates of net so that queries are drawn about in proportion to the information gain and to how much the best
// row and its runners-up differ, and returns it: where a pretraining begins.
func AdaptiveStart(net *nn.Adaptive) *nn.Adaptive {
	const proportional = 4 // as both features are a quarter of a logarithm
	net.SetGate(nn.LogGain, proportional, 0, 0)
	net.SetGate(nn.LogUnlike, proportional, 0, 0)
	return net
}
