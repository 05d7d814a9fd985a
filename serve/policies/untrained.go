package policies

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/decision"
	"mapo/policy/external"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/policy/stopping"
	"mapo/serve/wire"
)

// Rules say how a policy without training is played.
type Rules struct {
	DontKnow string       // nn.DontKnowSpends, or "" for free
	Stop     float64      // the probability of the recommendation at which a game ends; 0: never
	Loss     game.Loss    // what a game is for
	Version  string       // of the program
	Warnings []string     // what was found wrong with the data
	Averages []nn.Average // how often it is wrong where games end by Stop; none: not measured

	Table   *table.Table                          // whose rows are the hypotheses; nil: they are not rows
	OnTable func(t *table.Table) (*Policy, error) // makes the same policy on another table; nil: it does not learn
}

// What the contract of a policy without training says.
const (
	ScoreRule   = "the hypothesis of the largest score ⟨z, θ̂⟩"
	labelsRule  = "the model of the largest score ⟨z, θ̂⟩: the one that is right about the most items, where a label stands for all items on which the models predict the same"
	VotesRule   = "the hypothesis of the largest posterior, if each answer is what the hypothesis says with probability 0.9"
	RegretRule  = "the hypothesis of the least expected regret by the posterior"
	agreesRule  = "the classifier that agrees with the most labels, an item without one counting 0.15 by the other classifiers’ votes"
	NearestRule = "the hypothesis of the largest Σ (z_i θ̂_i − z_i²/2) over the queries asked, z = 2·share − 1 and θ̂ the mean answer to each"
	rowsRule    = "the hypothesis of the largest posterior; an answer y, 1 or -1, or 0.5 or -0.5 for probably or probably not, has the likelihood " +
		"(1 + y·(2·q − 1))/2 with q = clip((1 − 2ε)·share + ε, 0.02, 0.98), "
	InferredRule = rowsRule + "summed over ε = 0, 0.05, 0.1, 0.2, 0.3 with the weights 0.3, 0.25, 0.2, 0.15, 0.1"
	fixedRule    = rowsRule + "and ε = wrong_answers; where that is 0 and all known shares are 0 or 1, nothing is clipped until no hypothesis is left, " +
		"and then ε is 0, 0.05, 0.1, 0.2, 0.3 with the weights 0.3, 0.25, 0.2, 0.15, 0.1"
	UntrainedNote = "This policy was not trained on this problem, and its worst case is not measured."
)

// decides returns how a policy without training recommends on p, by its name in package decision; "": by a rule of its own.
func decides(p *game.Problem, policy game.Policy) string {
	if program, is := policy.(*external.Policy); is {
		return program.Decision()
	}
	if _, rule, says := strings.Cut(fmt.Sprint(policy), "+"); says && slices.Contains(decision.Names(), rule) {
		return rule
	}
	switch _, own := policy.(game.Decider); {
	case !own:
		return decision.LeastSquares
	case kindOf(p).graded:
		return decision.Posterior
	}
	return ""
}

// ruleOf says in words how a policy without training recommends on p by a decision, in games for a loss.
func ruleOf(p *game.Problem, policy game.Policy, by string, loss game.Loss) string {
	switch {
	case by == "":
		return rival.Rule(policy)
	case by == decision.Posterior && loss == game.SimpleRegret:
		return RegretRule
	case by == decision.Votes:
		return agreesRule
	case by == decision.Posterior:
		return kindOf(p).likeliest
	}
	return kindOf(p).nearest
}

// notesOf returns what a reader of a contract should know.
func notesOf(p *game.Problem) []string {
	if kindOf(p).shares > nn.MostShares {
		return []string{UntrainedNote, fmt.Sprintf("The table has more than %d shares, and this contract leaves them out.", nn.MostShares)}
	}
	return []string{UntrainedNote}
}

// Untrained returns a policy that needs no training, such as information:0.03 or a program, at work on p. Its hash covers
// all that a game depends on. That is the policy's name, the problem with its texts, shares and weights, the rules, and the
// version of the decision. A session is tied to it.
func Untrained(id string, p *game.Problem, policy game.Policy, r Rules) (*Policy, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	name := fmt.Sprint(policy)
	kind, by := name, decides(p, policy)
	program, isProgram := policy.(*external.Policy)
	if isProgram {
		kind = "program" // what is on the command line is private
		if by != decision.LeastSquares {
			name += "+" + by
		}
	}
	c := &nn.Contract{
		Name: id, Arch: "untrained " + kind, Problem: p, Loss: r.Loss.String(), Rule: ruleOf(p, policy, by, r.Loss),
		DontKnow: r.DontKnow, Levels: []nn.Level{}, Version: r.Version, Notes: notesOf(p), Warnings: r.Warnings,
		Averages: r.Averages,
	}
	if len(r.Averages) > 0 && r.Stop > 0 { // which these are of
		c.Stopping = stopping.Name(stopping.Confidence, r.Stop)
	}
	served := newPolicy(id, c, policy)
	served.stop, served.Untrained = r.Stop, true
	if r.Table != nil {
		served.Table, served.onTable = r.Table, r.OnTable
		served.like = sync.OnceValue(func() [][]int { return dataset.Alike(r.Table) })
	}
	if isProgram {
		served.retire = program.Retire
	}
	switch {
	case by == "", c.Rule == VotesRule:
		name += " decides" // sessions of versions that ranked by the score cannot be continued
	case c.Rule == RegretRule:
		name += " by regret" // nor those of versions that recommended the likeliest
	}
	c.Hash = hashOf(decisionVersion, name+rival.Revision(policy), p, served.Spends(), r.Stop)
	served.Play = c.Hash[:len(served.Play)]
	return served, nil
}

// hashOf covers all that the games of a policy without training depend on.
func hashOf(version int, policy string, p *game.Problem, spends bool, stop float64) string {
	h, k := sha256.New(), kindOf(p)
	write := func(v any) { _ = json.NewEncoder(h).Encode(v) } // texts, numbers and truth values into a hash: no error
	write([]any{version, policy, stop, p.Name, p.T, p.AskOnce, spends, p.X, p.Names, k.graded})
	for _, z := range p.Bits() {
		h.Write([]byte{byte(z)})
	}
	k.hash(h)
	wire.FormOf(p).Hash(write)
	k.end(h)
	return hex.EncodeToString(h.Sum(nil))
}

// newPolicy returns the policy of a contract at work.
func newPolicy(id string, c *nn.Contract, policy game.Policy) *Policy {
	p := &Policy{ID: id, Contract: c, problem: c.Problem, form: wire.FormOf(c.Problem)}
	p.index = indexOf(p.Questions())
	p.Game = play.New(p.problem, policy, p.Spends())
	p.Play = playOf(p.problem, p.Spends())
	p.Page = sync.OnceValues(p.encode)
	p.Finder = sync.OnceValue(p.makeFinder)
	return p
}

// Close ends its program, if it has one, as soon as no caller asks it.
func (p *Policy) Close() {
	if p.retire != nil {
		p.retire()
	}
}

// Stop returns the probability of the recommendation at which its games end unless a request says otherwise; 0: never.
func (p *Policy) Stop() float64 { return p.stop }
