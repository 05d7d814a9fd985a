package nn

import (
	"slices"

	"mapo/game"
)

// Splits returns how a [Structured] network reads 𝒵, 0 or 1, [|Z|, |X|]: the answers that hypotheses expect
// ([game.Problem.Bits]). The features compare the two sides of a query, so both must have hypotheses. So where all rows of
// shares expect one answer, it is 1 for shares above their mean, and for the first row alone where all are equal. It must not
// be written to. Costs O(|Z||X|).
func Splits(p *game.Problem) []float32 {
	bits := p.Bits()
	if p.Shares == nil {
		return bits
	}
	bits = slices.Clone(bits)
	d, n := p.Queries(), p.Hypotheses()
	for i := range d {
		ones, mean, spread := float32(0), 0.0, false
		for k := range n {
			yes := p.Shares.Yes[k*d+i]
			ones += bits[k*d+i]
			mean += yes / float64(n)
			spread = spread || yes != p.Shares.Yes[i]
		}
		if ones != 0 && ones != float32(n) {
			continue
		}
		for k := range n {
			bits[k*d+i] = 0
			if spread && p.Shares.Yes[k*d+i] > mean || !spread && k == 0 {
				bits[k*d+i] = 1
			}
		}
	}
	return bits
}
