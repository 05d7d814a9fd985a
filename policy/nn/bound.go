package nn

import "math"

// MostParams bounds a network that is to be trained, so that a policy file holds it with the
// largest of contracts.
const MostParams = 32 << 20

const (
	boundInput = 1e4  // what no entry of a state, nor a feature made of it, exceeds: a spec's games have as many answers at most
	boundSum   = 1e35 // what a layer's sums must stay below, float32 ending at 3.4e38
)

// Bounded reports whether net gives a finite logit in every state, by the sizes of its weights
// alone: layer for layer the largest sum of |w| into a unit times the largest input, and its
// bias. Costs O(weights). The network must be one that a policy file can hold.
func Bounded(net Net) bool {
	blocks := Weights(net)
	most := boundInput
	for i := 0; i < len(blocks); i += 2 { // weights [in, out], biases [out]
		out := len(blocks[i+1].Data)
		sums := make([]float64, out)
		for j, w := range blocks[i].Data {
			sums[j%out] += math.Abs(float64(w))
		}
		next := 0.
		for j, b := range blocks[i+1].Data {
			next = math.Max(next, sums[j]*most+math.Abs(float64(b))) // NaN stays
		}
		if !(next <= boundSum) {
			return false
		}
		most = next
	}
	return true
}
