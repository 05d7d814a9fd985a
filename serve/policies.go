package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"mapo/policy/nn"
)

func (p *Policy) summary() PolicySummary {
	c := p.Contract
	s := PolicySummary{
		PolicyRef: p.ref(), Traits: p.traits(), Problem: p.problem.Name, Queries: p.game.Questions(), Hypotheses: p.problem.Hypotheses(),
		Budget: p.problem.T, AskOnce: p.problem.AskOnce, DontKnow: nn.DontKnowFree, Loss: c.Loss, Levels: []Worst{},
	}
	if p.spends() {
		s.DontKnow = nn.DontKnowSpends
	}
	for _, l := range c.Levels {
		s.Levels = append(s.Levels, Worst{l.Level, l.Mean, l.Lo, l.Hi})
	}
	return s
}

// traits returns how p's games go.
func (p *Policy) traits() Traits {
	t := Traits{Trained: !p.untrained, Posterior: p.game.Rows != nil, Learning: p.learning, Version: p.version, Gives: givenOf(p.gives()), Stop: p.stop}
	if a := p.problem.Answers; a.Gaussian() {
		t.Answers = &Gaussian{a.Sigma, a.Bound}
	}
	if l := p.labels(); l != nil {
		t.Labels = &Pool{l.Classes, len(l.Items), p.game.Explore}
	}
	return t
}

// encoded is a reply as it is sent, and its ETag.
type encoded struct {
	data []byte
	tag  string
}

// encode makes the reply that has p's contract, which may be several megabytes.
func (p *Policy) encode() (encoded, error) {
	contract, err := json.Marshal(p.Contract)
	if err != nil {
		return encoded{}, err
	}
	data, err := json.Marshal(PolicyPage{p.ref(), p.traits(), document{contract}})
	sum := sha256.Sum256(data)
	return encoded{data, `"` + hex.EncodeToString(sum[:8]) + `"`}, err
}
