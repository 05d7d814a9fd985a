package policies

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"mapo/policy/nn"
	"mapo/serve/wire"
)

func (p *Policy) Summary() wire.PolicySummary {
	c := p.Contract
	s := wire.PolicySummary{
		PolicyRef: p.ref(), Traits: p.traits(), Problem: p.problem.Name, Queries: p.Game.Questions(), Hypotheses: p.problem.Hypotheses(),
		Budget: p.problem.T, AskOnce: p.problem.AskOnce, DontKnow: nn.DontKnowFree, Loss: c.Loss, Levels: []wire.Worst{},
	}
	if p.Spends() {
		s.DontKnow = nn.DontKnowSpends
	}
	for _, l := range c.Levels {
		s.Levels = append(s.Levels, wire.Worst{R: l.Level, Worst: l.Mean, Lo: l.Lo, Hi: l.Hi})
	}
	return s
}

// traits returns how p's games go.
func (p *Policy) traits() wire.Traits {
	t := wire.Traits{Trained: !p.Untrained, Posterior: p.Game.Rows != nil, Learning: p.learning, Version: p.Version, Gives: givenOf(p.gives()), Stop: p.stop}
	p.form.Describe(&t, p.Game.Questions(), p.Game.Explore)
	return t
}

// encoded is a reply as it is sent, and its ETag.
type encoded struct {
	Data []byte
	Tag  string
}

// encode makes the reply that has p's contract, which may be several megabytes.
func (p *Policy) encode() (encoded, error) {
	contract, err := json.Marshal(p.Contract)
	if err != nil {
		return encoded{}, err
	}
	data, err := json.Marshal(wire.PolicyPage{PolicyRef: p.ref(), Traits: p.traits(), Contract: wire.Document{RawMessage: contract}})
	sum := sha256.Sum256(data)
	return encoded{data, `"` + hex.EncodeToString(sum[:8]) + `"`}, err
}
