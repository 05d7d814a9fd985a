package policies

import (
	"encoding/binary"
	"encoding/json"
	"hash"

	"mapo/game"
)

// kind is what differs by the goal of a problem in the contracts and hashes of its policies.
type kind struct {
	nearest, likeliest string // how least squares and the posterior recommend
	shares             int    // that a contract has to hold
	graded             bool   // whether hypotheses are rows of shares
	play               []any  // of a goal that a fingerprint names, as lines of JSON
	rest               []any  // of a goal that both end with
	hash               func(hash.Hash)
}

// kindOf returns that of p's goal.
func kindOf(p *game.Problem) kind {
	k := kind{nearest: ScoreRule, likeliest: VotesRule, hash: func(h hash.Hash) { _ = binary.Write(h, binary.LittleEndian, p.Known) }}
	switch g := p.Goal().(type) {
	case *game.Shares:
		k.graded, k.shares, k.play = true, len(g.Yes), []any{[]any{g.Yes, g.Weight, g.Wrong, g.Other}}
		k.nearest, k.likeliest = NearestRule, InferredRule
		if g.Wrong != nil {
			k.likeliest = fixedRule
		}
		k.hash = func(h hash.Hash) { // where there are shares Known follows from them
			_ = json.NewEncoder(h).Encode([]any{g.Wrong, g.Other, g.Unknown != nil}) // numbers and truth values into a hash: no error
			for _, list := range []any{g.Yes, g.Weight, g.Unknown} {
				_ = binary.Write(h, binary.LittleEndian, list)
			}
		}
	case *game.Labels:
		k.nearest = labelsRule
		k.rest = []any{[]any{g, p.Z}}
	case *game.Vectors:
		k.rest = []any{[]any{g, p.Z}}
	}
	return k
}

// end writes the rest.
func (k kind) end(h hash.Hash) {
	for _, v := range k.rest {
		data, _ := json.Marshal(v) // texts and finite numbers
		h.Write(data)
	}
}
