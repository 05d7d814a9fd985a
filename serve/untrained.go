package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"mapo"
	"mapo/game"
	"mapo/nn"
)

// Rules say how a policy without training is played.
type Rules struct {
	DontKnow string   // nn.DontKnowSpends, or "" for free
	Stop     float64  // the probability of the recommendation at which a game ends; 0: never
	Version  string   // of the program
	Warnings []string // what was found wrong with the data
}

// What the contract of a policy without training says.
const (
	untrainedRule = "the hypothesis of the largest posterior over the table's rows, the share of wrong answers inferred with it"
	scoreRule     = "the hypothesis of the largest score ⟨z, θ̂⟩"
	untrainedNote = "This policy was not trained, and its worst case is not measured."
)

// Untrained returns a policy that needs no training, such as information:0.03, at work on p. Its hash covers all that a
// game depends on: the policy's name, the problem with its texts, shares and weights, the rules, and the version of the
// decision.
func Untrained(id string, p *mapo.Problem, policy mapo.Policy, r Rules) (*Policy, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	c := &nn.Contract{
		Name: id, Arch: fmt.Sprint("untrained ", policy), Problem: p, Loss: mapo.BestIdentification.String(), Rule: scoreRule,
		DontKnow: r.DontKnow, Levels: []nn.Level{}, Version: r.Version, Notes: []string{untrainedNote}, Warnings: r.Warnings,
	}
	if p.Shares != nil {
		c.Rule = untrainedRule
	}
	served := newPolicy(id, c, policy)
	served.stop, served.untrained = r.Stop, true
	sum := sha256.New()
	if err := json.NewEncoder(sum).Encode([]any{c.Arch, p.Name, served.play, r.Stop}); err != nil {
		return nil, err
	}
	c.Hash = hex.EncodeToString(sum.Sum(nil))
	return served, nil
}

// newPolicy returns the policy of a contract at work.
func newPolicy(id string, c *nn.Contract, policy mapo.Policy) *Policy {
	p := &Policy{ID: id, Contract: c, problem: c.Problem, index: indexOf(c.Problem.X)}
	p.game = game.New(p.problem, policy, p.spends())
	p.play = playOf(p.problem, p.spends())
	p.page = sync.OnceValues(p.encode)
	return p
}

// Stop returns the probability of the recommendation at which its games end unless a request says otherwise; 0: never.
func (p *Policy) Stop() float64 { return p.stop }
