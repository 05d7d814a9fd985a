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

// instantJSON is the weights of [Instant], as [EncodeWeights] writes them.
//
//go:embed instant.json
var instantJSON []byte

// weights is a file of weights of an [nn.Instant] network. They serve on every problem and for every trade-off weight.
type weights struct {
	Units   int               `json:"units"`   // hidden ones
	Trained map[string]string `json:"trained"` // how
	Hash    string            `json:"sha256"`  // of Params, as little-endian float32
	Params  []float32         `json:"params"`
}

// EncodeWeights returns the file of weights of an [nn.Instant] network with so many hidden units; trained says how they came about.
func EncodeWeights(units int, params []float32, trained map[string]string) ([]byte, error) {
	data, err := json.MarshalIndent(weights{units, trained, hash(params), params}, "", " ")
	return append(data, '\n'), err
}

// decodeWeights reads what EncodeWeights wrote. An error says that weights and hash differ, or that they are not as many as units need.
func decodeWeights(data []byte) (w weights, err error) {
	if err := json.Unmarshal(data, &w); err != nil {
		return w, err
	}
	if w.Hash != hash(w.Params) || len(w.Params) != nn.InstantParams(w.Units) {
		return w, errors.New("its weights are not those of its record")
	}
	return w, nil
}

// hash is SHA-256 of the weights' bytes, in hex.
func hash(params []float32) string {
	var data []byte
	for _, v := range params {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

var instants = func() weights {
	w, err := decodeWeights(instantJSON)
	if err != nil {
		panic(fmt.Sprintf("rival: instant.json: %v", err))
	}
	return w
}()

// InstantWeight is the trade-off weight of the policy "instant".
const InstantWeight = 0.5

// Instant returns the policy whose weights come with the program, for a trade-off weight of the average in [0, 1]: 0 for the worst case
// alone. They were trained on made-up tables (package pretrain), and serve on any problem whose answers are ±1.
func Instant(p *game.Problem, weight float64) game.Policy {
	net := InstantNet(p, weight)
	return instant{nn.Policy(p, net), net, numbered("instant", weight)}
}

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

// InstantNet returns the network of [Instant], for a training to begin from.
func InstantNet(p *game.Problem, weight float64) *nn.Instant {
	net := nn.NewInstant(p, instants.Units, weight)
	copy(net.Params(), instants.Params)
	return net
}

type instant struct {
	game.Policy
	net  *nn.Instant
	name string
}

// String is the name in specs and results.
func (i instant) String() string { return i.name }

func (i instant) revision() string { return " " + instants.Hash }

func parseInstant(p *game.Problem, name, rest string, has bool) (recipe, error) {
	weight := InstantWeight
	if has {
		var err error
		if weight, err = strconv.ParseFloat(rest, 64); err != nil || !(weight >= 0 && weight <= 1) {
			return recipe{}, fmt.Errorf("policy %q: the weight of the average must be from 0 to 1, such as instant:0.5", name)
		}
	}
	return recipe{numbered("instant", weight), decision.LeastSquares, func() game.Policy { return Instant(p, weight) }}, nil
}
