package nn

import (
	"slices"

	"mapo/game"
	"mapo/policy/posterior"
)

// class is how networks read a kind of problem.
type class struct {
	encoder  func(p *game.Problem, units int) encoder // of [Structured]
	features int                                      // of that
	kind     string                                   // what its Arch begins with
	optional bool                                     // whether kind may be missing
	wrong    string                                   // why an Arch that begins otherwise does not read such problems
	counts   int                                      // as how many hypotheses of bits one counts in [Work]
	votes    bool                                     // whether models vote on the classes of items, which are worth more or less
	shares   []float64                                // P(yes) of rows, which a policy file holds; nothing of others
}

// classOf returns that of p.
func classOf(p *game.Problem) class {
	c := class{
		encoder: func(p *game.Problem, units int) encoder { return newReader(p, units) }, features: readings(p), counts: 1,
		kind: even, optional: posterior.Instances(p) > 0, wrong: "its features are an earlier version's: train it again, or use the version that trained it",
	}
	switch goal := p.Goal().(type) {
	case *game.Shares:
		c.shares = goal.Yes
	case *game.Labels:
		c.votes = true
	case *game.Vectors:
		c.encoder, c.features = func(p *game.Problem, _ int) encoder { return newVectorReader(p) }, vectorFeatures
		c.kind, c.optional, c.wrong, c.counts = vectorKind, false, "it does not read queries that are vectors", 4
	}
	return c
}

// MostShares is how many shares a contract holds at most; of a larger problem it has none.
const MostShares = game.MostShares

// SharesOf returns how many shares p has for a policy file to hold: 0 but of rows.
func SharesOf(p *game.Problem) int {
	return len(classOf(p).shares)
}

// Splits returns how a [Structured] network reads 𝒵, 0 or 1, [|Z|, |X|]: the answers that hypotheses expect
// ([game.Problem.Bits]). The features compare the two sides of a query, so both must have hypotheses. So where all rows of
// shares expect one answer, it is 1 for shares above their mean, and for the first row alone where all are equal. It must not
// be written to. Costs O(|Z||X|).
func Splits(p *game.Problem) []float32 {
	bits, all := p.Bits(), classOf(p).shares
	if len(all) == 0 {
		return bits
	}
	bits = slices.Clone(bits)
	d, n := p.Queries(), p.Hypotheses()
	for i := range d {
		ones, mean, spread := float32(0), 0.0, false
		for k := range n {
			yes := all[k*d+i]
			ones += bits[k*d+i]
			mean += yes / float64(n)
			spread = spread || yes != all[i]
		}
		if ones != 0 && ones != float32(n) {
			continue
		}
		for k := range n {
			bits[k*d+i] = 0
			if spread && all[k*d+i] > mean || !spread && k == 0 {
				bits[k*d+i] = 1
			}
		}
	}
	return bits
}
